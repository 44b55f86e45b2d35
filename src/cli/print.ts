import type { CommandProcess } from './command-process.js';

/** Writes a line of a command's answer. */
export function print({ stdout }: CommandProcess, line: string): void {
  stdout.write(`${line}\n`);
}

/** A count as people read it: `1,000,000`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

/** Text of others without characters that could steer a terminal, and not longer than a line should be. */
export function harmless(text: string, maximumLength = 400): string {
  return text.slice(0, maximumLength).replaceAll(/\p{Cc}/gu, '?');
}
