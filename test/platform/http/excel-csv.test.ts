import { buffer } from 'node:stream/consumers';
import { csvLine } from '../../../src/platform/database/cursor-csv.js';
import { excelCsv, excelSeparator } from '../../../src/platform/pages/csv-formats.js';
import t from '../../support/tap.js';

const rows = [
  ['name', 'note'],
  ['a;b', null],
  ['=1;2', '"=1"'],
  ['', 'a,b\n;c'],
  ['1,5', '-"x"'],
  ['李', '""'],
];
const table = Buffer.from(rows.map(csvLine).join(''));

async function* inPieces(size: number) {
  for (let start = 0; start < table.length; start += size) yield table.subarray(start, start + size);
}

/** Reads lines of values that are quoted or empty, separated by semicolons. */
function readValues(csv: string): string[][] {
  const lines = csv.match(/(?:"(?:[^"]|"")*"|;)*\n/g) ?? [];
  t.equal(lines.join(''), csv, 'every value is quoted or empty');
  return lines.map((line) =>
    [...line.matchAll(/(?:^|;)(?:"((?:[^"]|"")*)")?/g)].map(([, value = '']) => value.replaceAll('""', '"')),
  );
}

t.test('the CSV for Excel has semicolons where numbers have a decimal comma', async (t) => {
  for (const languages of [
    'de',
    'de-DE,de;q=0.9,en;q=0.8',
    'fr-CH',
    ' nl',
    'pt-BR',
    'sv;q=1',
    'de_DE',
    '*,de',
    '../..,de,en',
    'xx,de',
  ]) {
    const csv = (await buffer(excelCsv(inPieces(table.length), excelSeparator(languages)))).toString();
    t.match(csv, /^\u{feff}"name";"note"\n/u, languages);
  }
  for (const languages of [
    undefined,
    '',
    '*',
    'en-US,de',
    'de-CH',
    'ja',
    'x',
    '../..',
    ';;',
    'en,de-DE,de;q=0.9',
  ]) {
    const csv = (await buffer(excelCsv(inPieces(table.length), excelSeparator(languages)))).toString();
    t.match(csv, /^\u{feff}name,note\na;b,\n/u, String(languages));
  }
});

t.test('semicolons, quotes and formulas in values keep the columns, wherever the chunks end', async (t) => {
  const expected = rows.map((row) =>
    row.map((value) => (/^[=-]/.test(value ?? '') ? `'${value}` : (value ?? ''))),
  );
  for (const size of [1, 2, 3, 5, table.length]) {
    const csv = (await buffer(excelCsv(inPieces(size), ';'))).toString();
    t.same(readValues(csv.slice(1)), expected, `${size} bytes`);
  }
});
