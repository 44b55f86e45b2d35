import type { CommandProcess } from './context.js';

/** Writes a line to standard output. */
export function print({ stdout }: CommandProcess, line: string): void {
  stdout.write(`${line}\n`);
}

/** Removes control characters, which could manipulate a terminal, and shortens the text. */
export function sanitizeForTerminal(text: string, maximumLength = 400): string {
  return text.slice(0, maximumLength).replaceAll(/\p{Cc}/gu, '?');
}

export type Row = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** Prints records as a table or as a JSON array. */
export function printList(
  commandProcess: CommandProcess,
  columns: readonly string[],
  rows: readonly Row[],
  { json }: { json?: boolean },
): void {
  if (json) {
    print(commandProcess, JSON.stringify(rows, null, 2));
    return;
  }
  const cells = [columns, ...rows.map((row) => columns.map((column) => cellText(row[column])))];
  const widths = columns.map((_, index) => Math.max(...cells.map((cell) => cell[index]?.length ?? 0)));
  for (const line of cells) {
    print(
      commandProcess,
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

function cellText(value: Row[string] | undefined): string {
  if (value === null || value === undefined) return '-';
  return sanitizeForTerminal(typeof value === 'object' ? value.join(' ') : String(value));
}
