import { type Violation, violation } from '../../platform/problems/rule-texts.js';
import { computedGroup, computedGroupKeys } from './computed-keys.js';
import { filterErrors } from './filter-rules.js';
import { isAvailable, type Measure, measureFields, measureKey, measureOf } from './measures.js';
import { keyOf, type ReportChanges, type ReportDefinition } from './report.js';
import {
  type ColumnKey,
  isCustomKey,
  isGroupable,
  isSortable,
  type ReportColumn,
  type ReportColumns,
} from './report-columns.js';

/** An inconsistency in a definition, and its location. */
export interface DefinitionError {
  readonly path: readonly (string | number)[];
  readonly violation: Violation;
}

/**
 * Finds inconsistencies between the parts of a definition, and with the types of its columns. Each part is valid by itself. Columns
 * that the reader does not have are not checked, see {@link findUnknownKeys}.
 */
export function findDefinitionErrors(
  { filters, sort, groupBy, measures }: ReportDefinition,
  columns: ReportColumns,
): DefinitionError[] {
  const errors: DefinitionError[] = [];
  for (const [index, filter] of filters.entries()) {
    const column = columns.get(filter.field);
    for (const { path, violation } of column === undefined ? [] : filterErrors(filter, column)) {
      errors.push({ path: ['filters', index, ...path], violation });
    }
  }
  for (const [index, key] of groupBy.entries()) {
    const column = columns.get(key);
    if (column !== undefined && !isGroupable(column))
      errors.push({ path: ['group_by', index], violation: violation('ungrouped_type', { key }) });
  }
  if (groupBy.length === 0 && measures.length > 0)
    errors.push({ path: ['measures'], violation: violation('without_measures') });
  const ofGroups = groupBy.length > 0 ? [...groupBy, ...measures.map(measureKey), 'count'] : null;
  return [
    ...errors,
    ...measureErrors(measures, columns),
    ...sortErrors(sort.map(keyOf), { ofGroups, columns }),
  ];
}

function* measureErrors(measures: readonly Measure[], columns: ReportColumns): Iterable<DefinitionError> {
  const keys = measures.map(measureKey);
  for (const [index, measure] of measures.entries()) {
    const { field } = measure;
    const path = ['measures', index];
    if (keys.indexOf(measureKey(measure)) < index) yield { path, violation: violation('not_repeated') };
    // A custom attribute that the reader does not have is not checked.
    const isUnknown = isCustomKey(field) && !columns.has(field);
    if (!isUnknown && !isAvailable(measure, columns))
      yield { path: [...path, 'field'], violation: violation('measured_type', { key: field }) };
  }
}

function* sortErrors(
  keys: readonly string[],
  {
    ofGroups,
    columns,
  }: {
    /** Keys by which the groups of the report can be sorted; `null` for a list. */
    ofGroups: readonly string[] | null;
    columns: ReportColumns;
  },
): Iterable<DefinitionError> {
  for (const [index, key] of keys.entries()) {
    const path = ['sort', index];
    const column = columns.get(key);
    if (ofGroups !== null && !ofGroups.includes(key)) {
      yield { path, violation: violation('grouped_sort') };
    } else if (column !== undefined && !isSortable(column)) {
      yield { path, violation: violation('unsorted_type', { key }) };
    }
    if (ofGroups === null && (key === 'count' || computedGroup(key) || measureOf(key))) {
      yield { path, violation: violation('ungrouped_sort', { key }) };
    }
  }
}

/**
 * Finds the keys of custom attributes that the author of a change does not have: attributes that are hidden from the author, archived
 * or unknown. The errors are the same, and list the valid keys as those of other unknown keys do.
 */
export function findUnknownKeys(
  { columns: shown = [], filters = [], sort = [], groupBy = [], measures = [] }: ReportChanges,
  columns: ReportColumns,
): DefinitionError[] {
  const keysOf = (isValid: (column: ReportColumn) => boolean) =>
    [...columns.values()].filter(isValid).map(({ key }): string => key);
  const all = () => keysOf(() => true);
  const grouping = () => [...keysOf(isGroupable), ...computedGroupKeys];
  const sorting = () => {
    const keys = [...keysOf(isSortable), ...(groupBy.length > 0 ? [...computedGroupKeys, 'count'] : [])];
    return keys.flatMap((key) => [key, `-${key}`]);
  };
  const errors = (
    keys: readonly string[],
    pathOf: (index: number) => DefinitionError['path'],
    valid: () => string[],
  ) =>
    keys.flatMap((key, index) =>
      isCustomKey(key) && !columns.has(key)
        ? [{ path: pathOf(index), violation: violation('one_of', { values: valid() }) }]
        : [],
    );
  return [
    ...errors(shown, (index) => ['columns', index], all),
    ...errors(
      filters.map(({ field }): ColumnKey => field),
      (index) => ['filters', index, 'field'],
      all,
    ),
    ...errors(sort.map(keyOf), (index) => ['sort', index], sorting),
    ...errors(groupBy, (index) => ['group_by', index], grouping),
    ...errors(
      measures.map(({ field }) => field),
      (index) => ['measures', index, 'field'],
      () => measureFields(columns).map(({ key }) => key),
    ),
  ];
}
