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

/**
 * Splits UTF-8 text into lines. A byte order mark is dropped, and bytes that are not UTF-8 become U+FFFD. Only one chunk
 * and one line are in memory at a time.
 */
export async function* splitLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<Line, void, undefined> {
  const decoder = new TextDecoder();
  let number = 1;
  let rest = '';
  let tooLong = false;
  for await (const piece of source) {
    const text = decoder.decode(piece, { stream: true });
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const line = rest + text.slice(start, end);
      yield { number, text: line, tooLong: tooLong || line.length > maximumLineLength };
      number += 1;
      start = end + 1;
      rest = '';
      tooLong = false;
    }
    if (!tooLong) rest += text.slice(start);
    tooLong ||= rest.length > maximumLineLength;
  }
  rest += decoder.decode();
  if (rest !== '') yield { number, text: rest, tooLong };
}
