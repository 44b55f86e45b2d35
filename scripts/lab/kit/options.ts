/**
 * Reads the number of an option.
 *
 * @throws {Error} unless it is greater than 0
 */
export function positiveNumber(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0`);
  return value;
}
