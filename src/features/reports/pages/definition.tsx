import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { counted } from '../../../platform/counted.js';
import { DescriptionItem, DescriptionList } from '../../../platform/pages/form-parts.js';
import { computedGroup } from '../computed-keys.js';
import { measureKey, measureLabel, measureOf } from '../measures.js';
import { relativeDate } from '../relative-dates.js';
import { keyOf, type Report, type ReportDefinition, type ReportFilter } from '../report.js';
import type { ReportColumns } from '../report-columns.js';
import { relativeDateText } from './date-values.js';
import { PageColumns, useValueText } from './value-text.js';

const operators: Readonly<Record<ReportFilter['operator'], string>> = {
  eq: 'is',
  not_eq: 'is not',
  contains: 'contains',
  starts_with: 'starts with',
  lt: 'is less than',
  lte: 'is at most',
  gt: 'is greater than',
  gte: 'is at least',
  in: 'is one of',
  not_in: 'is none of',
  before: 'is before',
  after: 'is after',
  on_or_before: 'is on or before',
  on_or_after: 'is on or after',
  empty: 'is empty',
  not_empty: 'is not empty',
};

/** An operator as text. */
export function formatOperator(operator: string): string {
  return Object.hasOwn(operators, operator) ? operators[operator as ReportFilter['operator']] : operator;
}

/** A key of groups or of a measure, or `count`, as text. A key that does not exist is as it was entered. */
export function keyLabel(key: string, columns: ReportColumns): string {
  if (key === 'count') return 'Employees';
  const measure = measureOf(key);
  return measure
    ? measureLabel(measure, columns)
    : (columns.get(key)?.label ?? computedGroup(key)?.label ?? key);
}

/** A sort key as text, such as "Last name, descending". */
export function formatSortKey(key: string, columns: ReportColumns): string {
  return `${keyLabel(keyOf(key), columns)}, ${key.startsWith('-') ? 'descending' : 'ascending'}`;
}

/** A list of names in a sentence, such as "department and hire year". */
function formatList(names: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(names);
}

/** A label within a sentence. */
export function inSentence(label: string): string {
  return /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);
}

/** When a page runs a report. The page provides it, so that relative dates in filters also have the dates that they are then. */
export const RunTime = createContext<Date | null>(null);

/** A filter, which may be incomplete. */
interface ShownFilter {
  readonly field: string;
  readonly operator: string;
  readonly value?: string | readonly string[];
}

/**
 * A filter as text, such as "Department is one of Sales, Legal". Parts of a value, and values without a column, are as they were
 * entered.
 */
function FilterText({ filter: { field, operator, value = [] } }: { filter: ShownFilter }) {
  const columns = useContext(PageColumns);
  const column = columns.get(field);
  const valueText = useValueText();
  const now = useContext(RunTime);
  const isPart = operator === 'contains' || operator === 'starts_with';
  const values = [value].flat().map((text) => {
    if (text === '') return 'empty text';
    if (isPart || column === undefined) return text;
    const isDate = column.type === 'date' || column.type === 'date_time';
    const relative = isDate ? relativeDateText(text) : null;
    if (relative === null) return valueText(column.key, text);
    const date = now && relativeDate(text, now);
    return date === null ? relative : `${relative} (${valueText('hire_date', date)})`;
  });
  return <>{`${keyLabel(field, columns)} ${formatOperator(operator)} ${values.join(', ')}`.trim()}</>;
}

/** Filters as a list of sentences. */
export function FilterList({ filters }: { filters: readonly ShownFilter[] }) {
  return (
    <ul class="conditions">
      {filters.map((filter, index) => (
        <li key={index}>
          <FilterText filter={filter} />
        </li>
      ))}
    </ul>
  );
}

/** Keys of columns or groups as text, such as "Department, Hire year". */
export function KeyLabels({ keys }: { keys: readonly string[] }) {
  const columns = useContext(PageColumns);
  return <>{keys.map((key) => keyLabel(key, columns)).join(', ')}</>;
}

/** Sort keys as text. */
export function SortLabels({ sort }: { sort: readonly string[] }) {
  const columns = useContext(PageColumns);
  return <>{sort.map((key) => formatSortKey(key, columns)).join('; ')}</>;
}

/** Summary of a report, such as "12 columns, 2 filters, sorted by last name". */
export function describeDefinition(
  { columns, filters, sort, groupBy, measures }: ReportDefinition,
  columnsOfUser: ReportColumns,
): string {
  const named = (keys: readonly string[]) =>
    formatList(keys.map((key) => inSentence(keyLabel(key, columnsOfUser))));
  const shown = groupBy.length > 0 ? `Count by ${named(groupBy)}` : counted(columns.length, 'column');
  const keys = sort.map((key) => {
    const label = inSentence(keyLabel(keyOf(key), columnsOfUser));
    return key.startsWith('-') ? `${label} (descending)` : label;
  });
  return [
    shown,
    ...(measures.length > 0 ? [`with ${named(measures.map(measureKey))}`] : []),
    ...(filters.length > 0 ? [counted(filters.length, 'filter')] : []),
    ...(keys.length > 0 ? [`sorted by ${formatList(keys)}`] : []),
  ].join(', ');
}

/**
 * The definition of a report as a list of facts.
 *
 * @param children further facts, which are first
 */
export function DefinitionDescription({
  report,
  children,
}: {
  report: Report;
  children?: ComponentChildren;
}) {
  const { columns, groupBy, measures, filters, sort } = report;
  return (
    <DescriptionList>
      {children}
      {groupBy.length > 0 ? (
        <DescriptionItem name="Groups">
          <KeyLabels keys={groupBy} />
        </DescriptionItem>
      ) : (
        <DescriptionItem name="Columns">
          <KeyLabels keys={columns} />
        </DescriptionItem>
      )}
      {measures.length > 0 && (
        <DescriptionItem name="Measures">
          <KeyLabels keys={measures.map(measureKey)} />
        </DescriptionItem>
      )}
      <DescriptionItem name="Filters">
        {filters.length === 0 ? 'None: all employees' : <FilterList filters={filters} />}
      </DescriptionItem>
      <DescriptionItem name="Sort by">
        {sort.length === 0 ? 'Default' : <SortLabels sort={sort} />}
      </DescriptionItem>
    </DescriptionList>
  );
}
