/** A count with its noun, such as "1 secret" or "2 secrets". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
