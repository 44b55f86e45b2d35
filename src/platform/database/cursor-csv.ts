const special = /[",\r\n]/;

/**
 * First characters of a cell that a spreadsheet interprets as a formula, or skips before one.
 *
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
export const formulaStarts: ReadonlySet<string> = new Set('=+-@\t\r');

/**
 * Formats a line like `COPY … TO STDOUT (FORMAT csv)`: it ends with LF, and only cells that require it are quoted. NULL is
 * an empty cell, and an empty text is quoted.
 *
 * @see the PostgreSQL documentation of COPY, "CSV Format"
 */
export function csvLine(cells: readonly (string | null)[]): string {
  const isOnly = cells.length === 1;
  return `${cells.map((cell) => csvCell(cell, isOnly)).join(',')}\n`;
}

function csvCell(cell: string | null, isOnly: boolean): string {
  if (cell === null) return '';
  // Versions of PostgreSQL before 18 read a line with only \. as the end of the data.
  const isQuoted = cell === '' || special.test(cell) || (isOnly && cell === '\\.');
  return isQuoted ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Rows of one chunk, which is in memory. */
const rowsPerChunk = 2_000;

/** Rows of a cursor, and the names of its columns. */
interface FetchedRows {
  readonly rows: readonly (readonly (string | null)[])[];
  readonly fields: readonly { readonly name: string }[];
}

/**
 * Yields the rows of a cursor as CSV with a header line, in chunks of whole lines.
 *
 * @param fetch returns the next rows, at most so many
 */
export async function* cursorCsv(
  fetch: (count: number) => Promise<FetchedRows>,
): AsyncGenerator<Buffer, void, undefined> {
  for (let isFirst = true; ; isFirst = false) {
    const { rows, fields } = await fetch(rowsPerChunk);
    const lines = rows.map(csvLine);
    if (isFirst) lines.unshift(csvLine(fields.map(({ name }) => name)));
    if (lines.length > 0) yield Buffer.from(lines.join(''));
    if (rows.length < rowsPerChunk) return;
  }
}
