import { buffer } from 'node:stream/consumers';
import { excelCsv } from '../../../src/platform/pages/csv-formats.js';
import t from '../../support/tap.js';

t.test('marks the same values wherever the chunks end', async (t) => {
  const table = 'a,b\n=1,"=2"\n"","""=3"\n"x\n=4",\n,"+5,""6"""\n-7\n"\r8",@9\n';
  const expected = `\u{feff}a,b\n'=1,"'=2"\n"","""=3"\n"x\n=4",\n,"'+5,""6"""\n'-7\n"'\r8",'@9\n`;
  for (let size = 1; size <= table.length; size += 1) {
    async function* chunks() {
      for (let start = 0; start < table.length; start += size)
        yield Buffer.from(table.slice(start, start + size));
    }
    t.equal((await buffer(excelCsv(chunks()))).toString(), expected, `${size} bytes`);
  }
});

t.test('one chunk is read at a time, and the table is closed with the download', async (t) => {
  let [read, closed] = [0, false];
  async function* chunks() {
    try {
      for (;;) {
        read += 1;
        yield Buffer.from('=1\n');
      }
    } finally {
      closed = true;
    }
  }
  const table = excelCsv(chunks());
  await table.next();
  await table.next();
  t.equal(read, 2);
  await table.return();
  t.equal(closed, true);
});
