import type { ReportDefinition } from '../report.js';
import { inSentence, keyLabel, listWords } from './labels.js';

/** Summary of a report, such as "12 columns, 2 filters, sorted by last name". */
export function definitionWords({ columns, filters, sort, groupBy }: ReportDefinition): string {
  const shown =
    groupBy.length > 0
      ? `Count by ${listWords(groupBy.map((key) => inSentence(keyLabel(key))))}`
      : counted(columns.length, 'column');
  const keys = sort.map((key) => {
    const label = inSentence(keyLabel(key.replace(/^-/, '')));
    return key.startsWith('-') ? `${label} (descending)` : label;
  });
  return [
    shown,
    ...(filters.length > 0 ? [counted(filters.length, 'filter')] : []),
    ...(keys.length > 0 ? [`sorted by ${listWords(keys)}`] : []),
  ].join(', ');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
