import { buffer } from 'node:stream/consumers';
import { openFileText } from '../../../src/features/imports/formats/file-text.js';
import { csvLine } from '../../../src/platform/database/cursor-csv.js';
import { inRequestedFormat } from '../../../src/platform/pages/csv-formats.js';
import { Fields } from '../../../src/platform/pages/fields.js';
import t from '../../support/tap.js';

/** The download of a CSV table as a workbook. */
const inExcel = (make: () => AsyncGenerator<Buffer, void, undefined>) =>
  inRequestedFormat({ fileName: 'people.csv', make }, new Fields({ format: 'xlsx' }));

const { signal } = new AbortController();

/** The rows of a workbook as the import reads them, and its sheet as XML. */
async function readWorkbook(bytes: Buffer) {
  const { content } = await openFileText({
    size: bytes.length,
    async *read(start, end) {
      yield bytes.subarray(start, end);
    },
  });
  return (await buffer(content)).toString();
}

t.test('a workbook has the values of the table as texts, wherever the chunks end', async (t) => {
  const rows = [
    ['name', 'note'],
    ['=1+1', '<b>&"'],
    ['', 'x,y'],
    ['李, é', '007'],
    ['@SUM(A1)', '\ufffe'],
  ];
  const table = Buffer.from(rows.map(csvLine).join(''));
  const expected = [...rows.slice(0, -1), ['@SUM(A1)', '\ufffd']].map((row) =>
    row.map((cell) => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(','),
  );
  for (const size of [1, 2, 3, 7, table.length]) {
    async function* chunks() {
      for (let start = 0; start < table.length; start += size) yield table.subarray(start, start + size);
    }
    const file = inExcel(chunks);
    t.match(file, { fileName: 'people.xlsx', mediaType: /spreadsheetml\.sheet$/ });
    const text = await readWorkbook(await buffer(file.make(signal)));
    t.equal(text, `${expected.join('\n')}\n`, `${size} bytes`);
  }
});

t.test('labels replace the headings of the table, wherever the chunks end', async (t) => {
  const table = Buffer.from('first_name,status\nAda,active\n');
  for (const size of [1, 5, 18, 19, table.length]) {
    async function* make() {
      for (let start = 0; start < table.length; start += size) yield table.subarray(start, start + size);
    }
    const labels = ['First name', 'Status, now'];
    const file = { fileName: 'people.csv', labels, make };
    const workbook = inRequestedFormat(file, new Fields({ format: 'xlsx' }));
    const expected = 'First name,"Status, now"\nAda,active\n';
    t.equal(await readWorkbook(await buffer(workbook.make(signal))), expected, `${size} bytes`);
    const plain = inRequestedFormat(file, new Fields({}));
    t.equal((await buffer(plain.make(signal))).toString(), table.toString());
  }
});

t.test('an error before the first row is thrown before the first bytes', async (t) => {
  // biome-ignore lint/correctness/useYield: it fails before the first row
  const file = inExcel(async function* () {
    throw new Error('no rows');
  });
  await t.rejects(file.make(signal).next(), { message: 'no rows' });
});

t.test('an error in a later row ends the workbook with it, and not as a complete file', async (t) => {
  const file = inExcel(async function* () {
    yield Buffer.from('a\n1\n');
    throw new Error('lost');
  });
  await t.rejects(buffer(file.make(signal)), { message: 'lost' });
});

t.test('rows are read as the workbook is, and the table is closed with the download', async (t) => {
  let [read, closed] = [0, false];
  const file = inExcel(async function* () {
    try {
      for (;;) {
        read += 1;
        yield Buffer.from(`${String(Math.random()).repeat(50)}\n`.repeat(500));
      }
    } finally {
      closed = true;
    }
  });
  const chunks = file.make(signal);
  await chunks.next();
  await chunks.next();
  await chunks.return();
  t.ok(read < 20, `${read} chunks`);
  t.equal(closed, true);
});
