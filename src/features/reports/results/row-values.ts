import type { CustomValue } from '../../employees/index.js';
import type { ColumnDescription } from '../report-columns.js';

/** The value of a column in a row, from its text. */
export function toValue(text: string, type: ColumnDescription['type']): CustomValue {
  switch (type) {
    case 'integer':
    case 'number':
      return Number(text);
    case 'boolean':
      return text === 'true';
    case 'list':
      return JSON.parse(text);
    default:
      return text;
  }
}
