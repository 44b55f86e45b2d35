/** Whether PostgreSQL text can hold a value: neither NUL nor half a surrogate pair. */
export function isStorableText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\u0000') && value.isWellFormed();
}

/**
 * Characters up to which text is composed: no e-mail address, password or field of a form that is accepted is longer,
 * and the time grows with the square of the length where combining marks are out of order.
 */
const maximumComposedLength = 3_072;

/** Text in the composed form of Unicode (NFC); text longer than 3,072 characters as it is. */
export function composeText(text: string): string {
  return text.length > maximumComposedLength ? text : text.normalize('NFC');
}
