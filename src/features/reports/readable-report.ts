import { type AttributeAccess, isRestricted } from '../../platform/contract/attribute-access.js';
import { invalidParameter } from '../../platform/problems/invalid-request.js';
import { type Violation, violation } from '../../platform/problems/rule-texts.js';
import { attributesOf } from './computed-keys.js';
import { filterErrors } from './filter-rules.js';
import { isAvailable } from './measures.js';
import { comparedKeys, keyOf, type ReportDefinition } from './report.js';
import {
  isCustomKey,
  isGroupable,
  isSortable,
  type ReportColumn,
  type ReportColumns,
} from './report-columns.js';

/** What a reader may read. */
interface Readable {
  readonly access: AttributeAccess;
  /** The columns of the reader for the report. */
  readonly columns: ReportColumns;
}

/**
 * A report as a reader without access to some attributes runs it: without their columns. A report that filters, sorts or groups by
 * one, or has a measure of one, would reveal its values, and a report of such columns only has nothing to show. A custom attribute that is hidden, archived or
 * unknown is the same. `violation`: why the report cannot run.
 */
export function asReadable<Definition extends ReportDefinition>(
  report: Definition,
  { access, columns: columnsOfReader }: Readable,
): { readonly report: Definition } | { readonly violation: Violation } {
  const isHidden = (attribute: string) =>
    isCustomKey(attribute) ? !columnsOfReader.has(attribute) : isRestricted(attribute, access);
  const { columns } = report;
  const readable = columns.filter((key) => !isHidden(key));
  const onlyColumn = readable.length === 0 ? columns[0] : undefined;
  const needed = comparedKeys(report).flatMap(attributesOf).find(isHidden) ?? onlyColumn;
  if (needed !== undefined) return { violation: violation('readable_report', { attribute: needed }) };
  const unsuitable = unsuitableKey(report, columnsOfReader);
  return unsuitable === undefined
    ? { report: { ...report, columns: readable } }
    : { violation: violation('usable_report', { attribute: unsuitable }) };
}

/**
 * The report of {@link asReadable}.
 *
 * @throws {Problem} 400 `invalid_request` that names an attribute
 */
export function readableReport<Definition extends ReportDefinition>(
  report: Definition,
  readable: Readable,
): Definition {
  const found = asReadable(report, readable);
  if ('violation' in found) throw invalidParameter('report_id', found.violation);
  return found.report;
}

/** The first custom attribute that was deleted and added again with a type for which the report is invalid. */
function unsuitableKey(report: ReportDefinition, columns: ReportColumns): string | undefined {
  const filters = report.filters.filter(({ field }) => isCustomKey(field));
  const isUnsuitable = (key: string, isSuitable: (column: ReportColumn) => boolean) => {
    const column = columns.get(key);
    return column !== undefined && !isSuitable(column);
  };
  return (
    filters.find((filter) =>
      isUnsuitable(filter.field, (column) => [...filterErrors(filter, column)].length === 0),
    )?.field ??
    report.sort.map(keyOf).find((key) => isUnsuitable(key, isSortable)) ??
    report.groupBy.find((key) => isUnsuitable(key, isGroupable)) ??
    report.measures.find((measure) => !isAvailable(measure, columns))?.field
  );
}
