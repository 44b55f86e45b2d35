import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RandomAccessFile } from './random-access-file.js';

/** Encodings in which spreadsheets save text. */
type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Bytes at the start of a file that show UTF-16 without a byte order mark. */
const sampleBytes = 1_024;

/**
 * The encoding of text. UTF-16 is recognized from its start; Windows-1252 from bytes that UTF-8 does not have, if there are
 * more of them than valid characters: otherwise the file is UTF-8 with some damaged lines.
 *
 * @param start first bytes of the file
 */
export async function detectEncoding(start: Buffer, file: RandomAccessFile): Promise<TextEncoding> {
  const utf16 = detectUtf16(start);
  if (utf16 !== undefined) return utf16;
  const decoder = new TextDecoder();
  let invalid = 0;
  let valid = 0;
  for await (const piece of file.read(0, file.size)) {
    const text = decoder.decode(piece, { stream: true });
    invalid += countMatches(text, /\uFFFD/g);
    valid += countMatches(text, /[^\0-\x7F\uFFFD]/gu);
    await nextTurn();
  }
  invalid += decoder.decode().length;
  return invalid > valid ? 'windows-1252' : 'utf-8';
}

/** Converts text to UTF-8, without a byte order mark. */
export async function* toUtf8(
  content: AsyncIterable<Uint8Array>,
  encoding: TextEncoding,
): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = new TextDecoder(encoding);
  for await (const piece of content) {
    yield Buffer.from(decoder.decode(piece, { stream: true }));
    await nextTurn();
  }
  const rest = decoder.decode();
  if (rest !== '') yield Buffer.from(rest);
}

function detectUtf16(start: Buffer): TextEncoding | undefined {
  const [first, second] = start;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // Every second byte of most names of columns is 0.
  const sample = start.subarray(0, sampleBytes);
  const zeros = [0, 0];
  for (const [index, byte] of sample.entries())
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const most = sample.length / 4;
  if (odd > most && even === 0) return 'utf-16le';
  if (even > most && odd === 0) return 'utf-16be';
  return undefined;
}

function countMatches(text: string, pattern: RegExp): number {
  let count = 0;
  for (const _ of text.matchAll(pattern)) count += 1;
  return count;
}
