/** Characters of a line, without the indentation of the statement. */
const width = 80;

/** Indents the lines of a text. */
export function indent(text: string, by: string): string {
  // Not with ^ in a pattern: for JavaScript, U+2028 in a string also ends a line.
  return text
    .split('\n')
    .map((line) => (line === '' ? line : `${by}${line}`))
    .join('\n');
}

/** How a language writes the items between two brackets. */
export interface Brackets {
  readonly open: string;
  readonly close: string;
  /** Inside the brackets when they are on one line. */
  readonly padding?: string;
  readonly by: string;
}

/** Items in brackets: on one line if they fit, otherwise each on a line of its own. */
export function enclosed(items: readonly string[], { open, close, padding = '', by }: Brackets): string {
  if (items.length === 0) return `${open}${close}`;
  const line = `${open}${padding}${items.join(', ')}${padding}${close}`;
  if (line.length <= width && !line.includes('\n')) return line;
  return `${open}\n${indent(items.map((item) => `${item},\n`).join(''), by)}${close}`;
}

/** How a language writes the values of JSON. */
export interface Literals {
  readonly null: string;
  readonly true: string;
  readonly false: string;
  readonly string: (value: string) => string;
  readonly pair: (name: string, value: string) => string;
  readonly array: Brackets;
  readonly object: Brackets;
}

/** A value of JSON as an expression. */
export function literal(value: unknown, language: Literals): string {
  if (typeof value === 'string') return language.string(value);
  if (value === null || typeof value === 'boolean') return language[`${value}`];
  if (Array.isArray(value)) {
    const items = value.map((item) => literal(item, language));
    return enclosed(items, language.array);
  }
  if (typeof value !== 'object') return String(value);
  const members = Object.entries(value).map(([name, member]) =>
    language.pair(name, literal(member, language)),
  );
  return enclosed(members, language.object);
}

/** A value as JSON: on one line if it fits. */
export function json(value: unknown, by = '  '): string {
  // Strings of JSON have no line breaks.
  const line = JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ');
  return line.length <= width ? line : JSON.stringify(value, null, by);
}
