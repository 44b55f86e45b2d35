import { type AttributeAccess, isRestricted } from '../../platform/contract/attribute-access.js';
import { invalidParameter } from '../../platform/problems/invalid-request.js';
import { violation } from '../../platform/problems/rule-texts.js';
import { keyOf, type ReportDefinition } from './report.js';

/** The attribute that a key of a report shows or compares. */
function attributeOf(key: string): string {
  return key === 'hire_year' ? 'hire_date' : key;
}

/**
 * A report as a reader without access to some attributes runs it: without their columns. A report that filters, sorts or groups by
 * one would reveal its values, and a report of such columns only has nothing to show.
 *
 * @throws {Problem} 400 `invalid_request` that names an attribute
 */
export function readableReport<Definition extends ReportDefinition>(
  report: Definition,
  access: AttributeAccess,
): Definition {
  if (access.restricted.length === 0) return report;
  const isHidden = (key: string) => isRestricted(attributeOf(key), access);
  const { columns, filters, sort, groupBy } = report;
  const readable = columns.filter((key) => !isHidden(key));
  const onlyColumn = readable.length === 0 ? columns[0] : undefined;
  const used = [...filters.map(({ field }) => field), ...sort.map(keyOf), ...groupBy].find(isHidden);
  const needed = used ?? onlyColumn;
  if (needed !== undefined)
    throw invalidParameter('report_id', violation('readable_report', { attribute: attributeOf(needed) }));
  return { ...report, columns: readable };
}
