import { setImmediate as nextTurn } from 'node:timers/promises';
import { createEmployeeCheck } from '../../src/features/employees/employee-check.js';
import { readCsvEntries } from '../../src/features/imports/csv-entries.js';
import type { ImportWrites } from '../../src/features/imports/employee-imports.js';
import { runImport } from '../../src/features/imports/import-employees.js';
import { readJsonEntries } from '../../src/features/imports/json-entries.js';
import { splitLines, UnusableFileError } from '../../src/features/imports/lines.js';
import { previewFile } from '../../src/features/imports/uploads/file-preview.js';
import { readMappedEntries } from '../../src/features/imports/uploads/run-upload.js';
import { csvHeader } from '../support/records/import.js';
import { contract } from '../support/server/app.js';
import t from '../support/tap.js';
import { countTurns } from '../support/turns.js';

const { attributes, check } = createEmployeeCheck(contract);
const columns = csvHeader.split(',');
const pieceSize = 16 * 1024;

type Source = Iterable<Uint8Array>;

async function* asAsync(source: Source) {
  yield* source;
}

const mapping = { columns, attributes: columns, dateFormats: [], fixedValues: {}, statusValues: {} };

/** The readers of the command and of uploaded files. */
const readers = {
  'CSV of the command': (source: Source) => readCsvEntries(splitLines(source), attributes),
  'JSON Lines of the command': (source: Source) => readJsonEntries(splitLines(source)),
  'uploaded CSV': (source: Source) =>
    readMappedEntries(asAsync(source), { ...mapping, format: 'csv', delimiter: ',' }, attributes),
  'uploaded JSON Lines': (source: Source) =>
    readMappedEntries(asAsync(source), { ...mapping, format: 'jsonl', delimiter: null }, attributes),
};

/** Units of a file, and its size. Files with many records are smaller, because each record is checked. */
const shapes: readonly (readonly [unit: string, bytes: number])[] = [
  ['\n', 64 * 1024],
  ['\r\n', 32 * 1024],
  [' \n', 32 * 1024],
  ['x', 128 * 1024],
  [',', 128 * 1024],
  ['"', 128 * 1024],
  ['[', 128 * 1024],
  ['{"a":', 128 * 1024],
  ['"\n', 32 * 1024],
  ['a\n', 8 * 1024],
  ['{}\n', 4 * 1024],
  [`"\n${',,,,,\n'.repeat(2_700)}`, 64 * 1024],
  [`${','.repeat(65_000)}\n`, 128 * 1024],
];

/** The pieces of a file with a valid header. */
function* piecesOf(unit: string, bytes: number): Generator<Buffer, void, undefined> {
  const content = Buffer.concat([Buffer.from(`${csvHeader}\n`), Buffer.alloc(bytes, unit)]);
  for (let start = 0; start < content.length; start += pieceSize)
    yield content.subarray(start, start + pieceSize);
}

/** Runs an import that stores nothing. */
async function run(entries: ReturnType<(typeof readers)['uploaded CSV']>, signal: AbortSignal) {
  const writes: ImportWrites = {
    stored: async () => [],
    store: async () => {
      // As a database does.
      await nextTurn();
      return { created: 0, updated: 0, unchanged: 0 };
    },
    finish: async () => ({ updated: 0, errors: [] }),
  };
  const limits = { batchSize: 1_000, maximumRejected: Number.POSITIVE_INFINITY };
  const ignored = { onRejected: () => {}, onProgress: () => {} };
  return await runImport({ entries, check, signal, ...limits, ...ignored }, writes);
}

t.test('other work runs after 64 KiB, 1,024 lines or 50 records of any file', async (t) => {
  for (const [reader, read] of Object.entries(readers)) {
    for (const [unit, bytes] of shapes) {
      let records = 0;
      const turns = await countTurns(async () => {
        const { counts } = await run(read(piecesOf(unit, bytes)), new AbortController().signal);
        records = counts.read;
      });
      const lines = (bytes / unit.length) * (unit.split('\n').length - 1);
      const least = Math.floor(Math.max(bytes / 65_536, lines / 1_024, records / 50));
      t.ok(turns >= least, `${reader}, ${JSON.stringify(unit.slice(0, 8))}: ${turns} turns of ${least}`);
    }
  }
});

t.test('a signal stops the import of any file after at most two chunks', async (t) => {
  for (const [reader, read] of Object.entries(readers)) {
    for (const [unit, bytes] of shapes) {
      const controller = new AbortController();
      let chunks = 0;
      const counted = function* () {
        for (const piece of piecesOf(unit, bytes)) {
          chunks += 1;
          controller.abort();
          yield piece;
        }
      };
      const { ending } = await run(read(counted()), controller.signal);
      const label = `${reader}, ${JSON.stringify(unit.slice(0, 8))}`;
      t.equal(ending.kind, 'interrupted', label);
      t.ok(chunks <= 2, `${label}: ${chunks} chunks`);
    }
  }
});

t.test('other work runs during the preview of a file of empty lines', async (t) => {
  for (const start of ['', `${csvHeader}\n`, '{}\n']) {
    const sample = Buffer.concat([Buffer.from(start), Buffer.alloc(256 * 1024, '\n')]);
    const turns = await countTurns(async () => {
      await previewFile(sample, { isWhole: true, format: null }).catch((error) => {
        t.ok(error instanceof UnusableFileError);
      });
    });
    t.ok(turns >= 64, `${turns} turns`);
  }
});

t.test('a JSON object has at most 32 levels, and a deeper one is rejected with its line', async (t) => {
  const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  const text = [nested(32), nested(33), nested(30_000), `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`].join(
    '\n',
  );
  const errors: unknown[] = [];
  for await (const entries of readJsonEntries(splitLines([Buffer.from(text)])))
    for (const { line, error } of entries) errors.push([line, error]);
  const rule = 'the line must be a JSON object with at most 32 levels';
  t.same(errors, [
    [1, undefined],
    [2, rule],
    [3, rule],
    [4, rule],
  ]);
});
