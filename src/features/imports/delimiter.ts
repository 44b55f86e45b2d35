/** Characters between the columns of CSV that are recognized. */
export const delimiters = [',', ';', '\t'] as const;

export type Delimiter = (typeof delimiters)[number];

/** The delimiter that occurs most often outside of quotes in the first line; a comma when none occurs. */
export function detectDelimiter(line: string): Delimiter {
  const counts = new Map<string, number>(delimiters.map((delimiter) => [delimiter, 0]));
  let quoted = false;
  for (const character of line) {
    const count = counts.get(character);
    if (character === '"') quoted = !quoted;
    else if (!quoted && count !== undefined) counts.set(character, count + 1);
  }
  return delimiters.reduce((best, other) =>
    (counts.get(other) ?? 0) > (counts.get(best) ?? 0) ? other : best,
  );
}
