/** Writes a line of a command's answer. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
