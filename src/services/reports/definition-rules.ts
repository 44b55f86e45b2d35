import type { ReportDefinition, ReportFilter } from './report.js';
import { columnOf } from './report-columns.js';
import { readRfc3339 } from './rfc3339.js';

/** Something in a definition that contradicts the rest of it, and where. */
export interface DefinitionFault {
  readonly path: readonly (string | number)[];
  /** What the member must be; follows its name. */
  readonly rule: string;
}

/** Finds what the parts of a definition, each well formed, say against each other. */
export function findFaults({ columns, filters, sort, groupBy }: ReportDefinition): DefinitionFault[] {
  const faults: DefinitionFault[] = [];
  if (columns.length > 0 && groupBy.length > 0) {
    faults.push({ path: ['columns'], rule: 'cannot be combined with a group_by that is not empty' });
  }
  for (const [index, filter] of filters.entries()) {
    for (const { path, rule } of filterFaults(filter)) {
      faults.push({ path: ['filters', index, ...path], rule });
    }
  }
  const keys = sort.map((entry) => entry.replace(/^-/, ''));
  return [...faults, ...sortFaults(keys, groupBy)];
}

function* filterFaults({ field, operator, value }: ReportFilter): Iterable<DefinitionFault> {
  const { type } = columnOf(field);
  const takesList = operator === 'in' || operator === 'not_in';
  if (takesList !== Array.isArray(value)) {
    const rule = takesList ? `must be a list for ${operator}` : `must be a single string for ${operator}`;
    yield { path: ['value'], rule };
    return;
  }
  if (type === 'string') return;
  if (operator === 'contains' || operator === 'starts_with') {
    yield { path: ['operator'], rule: `must not be ${operator} for ${field}, which is no text` };
    return;
  }
  for (const [index, text] of [value].flat().entries()) {
    if (readRfc3339(text) !== null) continue;
    yield {
      path: takesList ? ['value', index] : ['value'],
      rule: 'must be an RFC 3339 date-time with a time zone',
    };
  }
}

function* sortFaults(keys: readonly string[], groupBy: readonly string[]): Iterable<DefinitionFault> {
  const grouped = groupBy.length > 0;
  for (const [index, key] of keys.entries()) {
    const path = ['sort', index];
    if (grouped && key !== 'count' && !groupBy.includes(key)) {
      yield { path, rule: 'must be count or one of the columns in group_by' };
    }
    if (!grouped && key === 'count') {
      yield { path, rule: 'must not be count in a report without group_by' };
    }
  }
}
