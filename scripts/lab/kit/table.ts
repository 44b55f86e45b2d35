/** A table whose first column is text; the others are numbers. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A table as Markdown with aligned columns. */
export function markdown({ columns, rows }: Table): string {
  const widths = columns.map((column, index) =>
    Math.max(3, ...[column, ...rows.map((row) => row[index])].map(length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => pad(cell, widths[index], index > 0)).join(' | ')} |`;
  const rule = widths.map((width, index) => (index === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(columns), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

function length(text: string): number {
  return [...text].length;
}

function pad(text: string, width: number, toTheRight: boolean): string {
  const space = ' '.repeat(width - length(text));
  return toTheRight ? space + text : text + space;
}
