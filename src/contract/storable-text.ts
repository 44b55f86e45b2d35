/** Whether PostgreSQL can store a text: it must not contain NUL or lone surrogates. */
export function isStorableText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\u0000') && value.isWellFormed();
}

/**
 * Maximum characters of text that is normalized. No valid e-mail address, password or form field is longer, and the
 * time is quadratic for combining marks that are not in canonical order.
 */
const maximumComposedLength = 3_072;

/** Text in Unicode normalization form C; text longer than 3,072 characters is returned unchanged. */
export function composeText(text: string): string {
  return text.length > maximumComposedLength ? text : text.normalize('NFC');
}
