import { isDeeper } from '../../platform/contract/outside-text.js';
import { ruleText, violation } from '../../platform/problems/rule-texts.js';
import type { Entry, Line } from './lines.js';

/** Maximum depth of an object. Attributes have no nested values, and serialization is recursive. */
const maximumDepth = 32;

/**
 * Reads JSON Lines: an object in each line. Empty lines are skipped. Each batch of lines becomes one of entries, which can be
 * empty.
 *
 * @see https://jsonlines.org
 */
export async function* readJsonEntries(
  lines: AsyncIterable<readonly Line[]>,
): AsyncGenerator<readonly Entry[], void, undefined> {
  for await (const batch of lines) {
    const entries: Entry[] = [];
    for (const { number: line, text, tooLong } of batch) {
      if (tooLong) entries.push({ line, source: text, error: 'the line is too long' });
      else if (text.trim() !== '') entries.push(readEntry(line, text));
    }
    yield entries;
  }
}

function readEntry(line: number, source: string): Entry {
  try {
    const value: unknown = JSON.parse(source);
    if (!isDeeper(value, maximumDepth)) return { line, source, value };
    return {
      line,
      source,
      error: `the line ${ruleText(violation('maximum_depth', { maximum: maximumDepth }))}`,
    };
  } catch {
    return { line, source, error: `the line ${ruleText(violation('json_object'))}` };
  }
}
