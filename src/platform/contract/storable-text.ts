/** Whether PostgreSQL can store a text: it must not contain NUL or lone surrogates. */
export function isStorableText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\u0000') && value.isWellFormed();
}
