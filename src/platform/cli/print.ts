import type { CommandProcess } from './command-process.js';

/** Writes a line to standard output. */
export function print({ stdout }: CommandProcess, line: string): void {
  stdout.write(`${line}\n`);
}

/** Formats a count: `1,000,000`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

/** Removes control characters, which could manipulate a terminal, and shortens the text. */
export function harmless(text: string, maximumLength = 400): string {
  return text.slice(0, maximumLength).replaceAll(/\p{Cc}/gu, '?');
}
