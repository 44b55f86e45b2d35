import { isObject } from '../../../platform/contract/outside-text.js';
import { csvLine } from '../../../platform/database/cursor-csv.js';
import { withCustomMembers } from '../../employees/index.js';
import type { Entry } from '../lines.js';
import { memberTexts, shorten, shortenAll } from './file-preview.js';
import type { FileMapping } from './upload-state.js';

/**
 * Characters that are stored of a rejected row. The attributes of an employee have about 2,000. In a longer row, the values
 * are shortened.
 */
const maximumRowLength = 4_096;

/**
 * The values of a rejected row, one for each column. A line that cannot be split is in the first column, and the fields after
 * those of the header are in the last one.
 */
export function cellsOf(
  source: Entry['source'] = '',
  { columns, delimiter }: Pick<FileMapping, 'columns' | 'delimiter'>,
): string[] {
  const fields = typeof source === 'string' ? membersOf(source, columns) : source;
  const padded = columns.map((_, column) => fields?.[column] ?? '');
  if (fields === undefined) padded[0] = source as string;
  const surplus = fields?.slice(columns.length).filter((field) => field !== '') ?? [];
  const cells = [...padded.slice(0, -1), [padded.at(-1), ...surplus].join(delimiter ?? ',')];
  const length = cells.reduce((sum, cell) => sum + cell.length, 0);
  const isLong = fields !== undefined && length > maximumRowLength;
  const value = isLong ? Math.floor(maximumRowLength / columns.length) : maximumRowLength;
  return shortenAll(cells, { value, row: Number.POSITIVE_INFINITY });
}

/** The members of a JSON object by column; `undefined` for other text. */
function membersOf(text: string, columns: readonly string[]): string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? memberTexts(withCustomMembers(value), columns) : undefined;
  } catch {
    return undefined;
  }
}

/** A row that was rejected, and the reason. */
export interface RejectedRow {
  readonly cells: readonly string[];
  readonly message: string;
}

/** Characters of the name of a person that a page shows. */
const maximumNameLength = 80;

/** The name of the person of a rejected row; empty when the row has none. */
export function nameIn(cells: readonly string[], attributes: readonly string[]): string {
  const parts = ['first_name', 'last_name'].map((name) => cells[attributes.indexOf(name)]?.trim());
  return shorten(parts.filter(Boolean).join(' '), maximumNameLength);
}

/** The rejected rows as CSV: the columns of the file, and the reason. */
export function rejectedCsv(columns: readonly string[], rows: readonly RejectedRow[]): Buffer {
  const lines = rows.map(({ cells, message }) => csvLine([...cells, message]));
  return Buffer.from([csvLine([...columns, 'Reason of rejection']), ...lines].join(''));
}
