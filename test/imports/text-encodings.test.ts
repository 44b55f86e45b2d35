import { setImmediate as nextTurn } from 'node:timers/promises';
import { openFileText } from '../../src/features/imports/formats/file-text.js';
import { csvHeader } from '../support/records/import.js';
import t from '../support/tap.js';

const text = [csvHeader, 'E1,Jürgen,Groß,jg@x.example,active,Einkauf – Süd €', ''].join('\r\n');
const utf16le = Buffer.from(text, 'utf16le');
/** Windows-1252 differs from Latin-1 in the dash and the euro. */
const windows1252 = Buffer.from(text.replace('–', '\x96').replace('€', '\x80'), 'latin1');
const mark = Buffer.from('\uFEFF', 'utf16le');

const encodings: Readonly<Record<string, readonly [bytes: Uint8Array, source: string | null]>> = {
  'UTF-8': [Buffer.from(text), null],
  'UTF-8 with a byte order mark': [Buffer.from(`\uFEFF${text}`), null],
  'UTF-16': [Buffer.concat([mark, utf16le]), 'UTF-16'],
  'UTF-16 without a byte order mark': [utf16le, 'UTF-16'],
  'UTF-16 in big-endian order': [Buffer.concat([mark, utf16le]).swap16(), 'UTF-16'],
  'Windows-1252': [windows1252, 'Windows-1252'],
};

/** The text of a file that arrives in pieces of a size, and its encoding. */
async function read(bytes: Uint8Array, pieceSize: number) {
  const { content, source } = await openFileText({
    size: bytes.length,
    async *read(start, end) {
      for (let at = start; at < end; at += pieceSize) {
        await nextTurn();
        yield bytes.subarray(at, Math.min(end, at + pieceSize));
      }
    },
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return { text: Buffer.concat(pieces).toString().replace('\uFEFF', ''), source };
}

t.test('text in the encodings of spreadsheets is read, also if pieces split characters', async (t) => {
  for (const [encoding, [bytes, source]] of Object.entries(encodings))
    for (const size of [1, 3, 1_000])
      t.same(await read(bytes, size), { text, source }, `${encoding}, ${size}`);
});

t.test('a single damaged character does not change the encoding of a file', async (t) => {
  const damaged = Buffer.concat([Buffer.from(text), Buffer.from([0xfc])]);
  t.same(await read(damaged, 100), { text: `${text}\uFFFD`, source: null });
  const late = Buffer.concat([Buffer.from(`${csvHeader}\n`.repeat(5_000)), windows1252]);
  t.ok((await read(late, 10_000)).text.endsWith(text), 'the whole file decides');
});
