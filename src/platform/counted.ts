/** A count with its noun, such as "1 secret" or "2 secrets". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A number with separators, such as "12,345". */
export function numberText(value: number): string {
  return value.toLocaleString('en');
}
