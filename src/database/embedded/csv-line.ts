const special = /[",\r\n]/;

/**
 * Writes a line as `COPY … TO STDOUT (FORMAT csv)` does: UTF-8, ends with LF, and quotes only the cells that need it.
 * NULL is nothing, and an empty text is quoted.
 *
 * @see the PostgreSQL documentation of COPY, "CSV Format"
 */
export function csvLine(cells: readonly (string | null)[]): string {
  const isOnly = cells.length === 1;
  return `${cells.map((cell) => csvCell(cell, isOnly)).join(',')}\n`;
}

function csvCell(cell: string | null, isOnly: boolean): string {
  if (cell === null) return '';
  // Alone on its line, \. is the end of the data to older versions of PostgreSQL.
  const isQuoted = cell === '' || special.test(cell) || (isOnly && cell === '\\.');
  return isQuoted ? `"${cell.replaceAll('"', '""')}"` : cell;
}
