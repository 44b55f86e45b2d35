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
