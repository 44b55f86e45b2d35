/** Whether PostgreSQL text can hold a value: neither NUL nor half a surrogate pair. */
export function isStorableText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\u0000') && value.isWellFormed();
}
