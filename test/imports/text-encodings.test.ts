import { setImmediate as nextTurn } from 'node:timers/promises';
import { openFileText } from '../../src/features/imports/formats/file-text.js';
import { check, factOn, runImport, startUpload } from '../support/browser/import-pages.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { csvHeader, storedRecords } from '../support/records/import.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { database } = api;

const text = [csvHeader, 'E1,Jürgen,Groß,jg@x.example,active,Einkauf – Süd €', ''].join('\r\n');
const utf16le = Buffer.from(text, 'utf16le');
/** Windows-1252 differs from Latin-1 in the dash and the euro. */
const windows1252 = Buffer.from(text.replace('–', '\x96').replace('€', '\x80'), 'latin1');
const mark = Buffer.from('\uFEFF', 'utf16le');

const encodings: Readonly<Record<string, readonly [bytes: Uint8Array, shown: RegExp]>> = {
  'UTF-8': [Buffer.from(text), /between 6 columns\./],
  'UTF-8 with a byte order mark': [Buffer.from(`\uFEFF${text}`), /between 6 columns\./],
  'UTF-16': [Buffer.concat([mark, utf16le]), /between 6 columns, in UTF-16\./],
  'UTF-16 without a byte order mark': [utf16le, /in UTF-16\./],
  'UTF-16 in big-endian order': [Buffer.concat([mark, utf16le]).swap16(), /in UTF-16\./],
  'Windows-1252': [windows1252, /in Windows-1252\./],
};

t.test('text in the encodings of spreadsheets is imported unchanged', async (t) => {
  for (const [encoding, [bytes, shown]] of Object.entries(encodings)) {
    const { user, accountId } = await createScene(database);
    const browser = await signedInBrowser(api, user);
    const address = await startUpload(browser, bytes);
    const page = await browser.open(address);
    t.match(page.body, shown, encoding);
    t.match(page.body, /Jürgen/, `${encoding}: the preview shows umlauts`);
    await check(api, browser, address);
    t.equal(factOn(await runImport(api, browser, address), 'Created'), '1', encoding);
    t.match(await storedRecords(database, accountId), [
      { firstName: 'Jürgen', lastName: 'Groß', department: 'Einkauf – Süd €' },
    ]);
  }
});

/** The text of a file that arrives in pieces of a size. */
async function textOf(bytes: Uint8Array, pieceSize: number): Promise<string> {
  const { content } = await openFileText({
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
  return Buffer.concat(pieces).toString().replace('\uFEFF', '');
}

t.test('characters that are split between pieces are read', async (t) => {
  for (const [encoding, [bytes]] of Object.entries(encodings))
    for (const size of [1, 3, 1_000]) t.equal(await textOf(bytes, size), text, `${encoding}, ${size}`);
});

t.test('a single damaged character does not change the encoding of a file', async (t) => {
  const damaged = Buffer.concat([Buffer.from(text), Buffer.from([0xfc])]);
  t.equal(await textOf(damaged, 100), `${text}\uFFFD`);
  const late = Buffer.concat([Buffer.from(`${csvHeader}\n`.repeat(5_000)), windows1252]);
  t.ok((await textOf(late, 10_000)).endsWith(text), 'the whole file decides');
});
