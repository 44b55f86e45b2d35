import type { Entry } from './entry.js';
import type { Line } from './lines.js';

/**
 * Reads JSON Lines: an object in each line. Empty lines are skipped.
 *
 * @see https://jsonlines.org
 */
export async function* readJsonEntries(lines: AsyncIterable<Line>): AsyncGenerator<Entry, void, undefined> {
  for await (const { number: line, text, tooLong } of lines) {
    if (tooLong) yield { line, error: 'the line is too long' };
    else if (text.trim() !== '') yield readEntry(line, text);
  }
}

function readEntry(line: number, text: string): Entry {
  try {
    return { line, value: JSON.parse(text) };
  } catch {
    return { line, error: 'the line must be a JSON object' };
  }
}
