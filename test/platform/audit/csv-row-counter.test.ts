import { CsvRowCounter } from '../../../src/platform/audit/audited-exports.js';
import t from '../../support/tap.js';

const table = Buffer.from('a,b\nx,"two\r\nlines ""\n"""\n"","\n\n"\nü,"""\n"""\ny,z\n');
const rows = 4;

t.test('counts the rows of a table, however it is split into chunks', async (t) => {
  for (let first = 0; first <= table.length; first += 1) {
    for (let second = first; second <= table.length; second += 1) {
      const counter = new CsvRowCounter();
      const parts = [table.subarray(0, first), table.subarray(first, second), table.subarray(second)];
      const count = parts.reduce((sum, part) => sum + counter.count(part), 0);
      if (count !== rows) t.equal(count, rows, `cut at ${first} and ${second}`);
    }
  }
  t.equal(new CsvRowCounter().count(table), rows);
});

t.test('counts a row when its last byte is sent', async (t) => {
  const counter = new CsvRowCounter();
  t.equal(counter.count(Buffer.from('id\n')), 0, 'the header line is not a row');
  t.equal(counter.count(Buffer.from('1\n2')), 1);
  t.equal(counter.count(Buffer.from('')), 0);
  t.equal(counter.count(Buffer.from('\n')), 1);
});
