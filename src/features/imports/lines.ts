import { setImmediate as nextTurn } from 'node:timers/promises';

/** A parsed record of an import file, or its error. */
export type Entry = {
  readonly line: number;
  /** The fields of a CSV record, or the text of a line. */
  readonly source?: readonly string[] | string;
} & (
  | { readonly value: unknown; readonly error?: never }
  | { readonly error: string; readonly value?: never }
);

/** The whole file is invalid and nothing is imported. */
export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError';
}

/** A line of a text file, without its line feed. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
  /** Whether the line is longer than {@link maximumLineLength}; `text` then contains only its start. */
  readonly tooLong: boolean;
}

/** Maximum number of characters in a line: ten times the longest valid record. */
export const maximumLineLength = 65_536;

/** Characters of a batch of lines, except that its last line can be longer. Parsing them takes a few milliseconds. */
const batchLength = 65_536;

/** Characters that take about as long as a line in addition to its own. Invalid JSON takes longest. */
const lineCost = 64;

/**
 * Splits UTF-8 text into batches of lines. A byte order mark is dropped, and bytes that are not UTF-8 become U+FFFD. Only one
 * chunk and one line are in memory at a time. Other work of the process runs after each batch. A chunk without the end of a
 * line has an empty batch, so that a reader can stop there.
 */
export async function* splitLines(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<readonly Line[], void, undefined> {
  const decoder = new TextDecoder();
  let number = 1;
  let rest = '';
  let tooLong = false;
  for await (const piece of source) {
    const text = decoder.decode(piece, { stream: true });
    let batch: Line[] = [];
    let length = 0;
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const line = rest + text.slice(start, end);
      batch.push({ number, text: line, tooLong: tooLong || line.length > maximumLineLength });
      number += 1;
      start = end + 1;
      rest = '';
      tooLong = false;
      length += line.length + lineCost;
      if (length < batchLength) continue;
      yield batch;
      await nextTurn();
      batch = [];
      length = 0;
    }
    if (!tooLong) rest += text.slice(start);
    tooLong ||= rest.length > maximumLineLength;
    yield batch;
    await nextTurn();
  }
  rest += decoder.decode();
  if (rest !== '') yield [{ number, text: rest, tooLong }];
}
