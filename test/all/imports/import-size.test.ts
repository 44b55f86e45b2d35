import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AccountId } from '../../../src/platform/accounts/account-id.js';
import {
  check,
  factOn,
  press,
  runImport,
  startUpload,
  stateOn,
  submitColumns,
  uploadFile,
} from '../../support/browser/import-pages.js';
import { isPage } from '../../support/browser/pages.js';
import { asOwner } from '../../support/database/owner.js';
import { workbookOf } from '../../support/input/workbook.js';
import { createScene, signedInBrowser } from '../../support/oauth/users.js';
import { csvHeader, importText, makeRecords, manyRows, toCsv } from '../../support/records/import.js';
import { buildTestApp } from '../../support/server/app.js';
import t from '../../support/tap.js';

const api = await buildTestApp(t);
const { database } = api;

t.test('accepts 50 MB and rejects one byte more with a page', async (t) => {
  const { accountId, user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const imports = () => database.prisma.employeeImport.count({ where: { accountId } });
  const chunks = () => database.prisma.employeeImportChunk.count({ where: { accountId } });
  const limit = 50 * 1024 * 1024;
  const row = toCsv(makeRecords(1)).split('\r\n')[1] ?? '';
  const content = Buffer.alloc(limit + 1, `${row}\n`);
  content.write(`${csvHeader}\n${row}\n`);
  const page = await uploadFile(browser, content);
  isPage(t, page, 413);
  t.match(page.body, /must not be larger than 50 MB/);
  t.equal(await imports(), 0);
  t.equal(await chunks(), 0);
  const larger = await uploadFile(browser, Buffer.alloc(limit + 200_000, 'x'));
  isPage(t, larger, 413, 'by the headers of the request');
  const address = await startUpload(browser, content.subarray(0, limit));
  t.equal(await chunks(), 200);
  await press(browser, address, 'cancel');
  t.equal(await chunks(), 0);
});

t.test(
  'the database reads a few rows for each record, even if its statistics are older than the account',
  async (t) => {
    const rowsRead = async () => {
      await asOwner(database, 'SELECT pg_stat_force_next_flush()::text');
      const [row] = await asOwner<{ read: number }>(
        database,
        "SELECT (seq_tup_read + idx_tup_fetch)::float AS read FROM pg_stat_user_tables WHERE relname = 'employees'",
      );
      return row?.read ?? Number.NaN;
    };
    const importRecords = async (accountId: AccountId, file: string) => {
      const { counts } = await importText(database, accountId, file, { batchSize: 500 });
      return counts;
    };
    const records = makeRecords(2_000);
    await importRecords((await createScene(database)).accountId, toCsv(records));
    await asOwner(database, 'ANALYZE employees');
    const { accountId } = await createScene(database);
    const before = await rowsRead();
    t.match(await importRecords(accountId, toCsv(records)), { created: 2_000 });
    const [header = '', ...lines] = toCsv(makeRecords(2_000, { status: 'on_leave' }))
      .trimEnd()
      .split('\r\n');
    const file = [`${header},manager_employee_number`];
    for (const [index, line] of lines.entries())
      file.push(`${line},${index === 0 ? '' : records[Math.floor((index - 1) / 10)]?.employeeNumber}`);
    t.match(await importRecords(accountId, file.join('\n')), { updated: 2_000, managersRejected: 0 });
    const read = (await rowsRead()) - before;
    t.ok(read < 100_000, `${read} rows`);
  },
);

t.test('requests are served while 16 MB of empty lines, or one line of 16 MB, are checked', async (t) => {
  for (const [unit, rejected] of [
    ['\n', '0'],
    ['x', '1'],
  ] as const) {
    const browser = await signedInBrowser(api, (await createScene(database)).user);
    const address = await startUpload(
      browser,
      Buffer.concat([Buffer.from(toCsv(makeRecords(1))), Buffer.alloc(16 * 1024 * 1024, unit)]),
    );
    await submitColumns(browser, address);
    let running = true;
    const idle = api.uploadWorker.idle().then(() => {
      running = false;
    });
    let served = 0;
    for (; running; served += 1) {
      // An injected request alone needs no turn of the event loop.
      await nextTurn();
      await api.injectUnchecked({ url: '/healthz' });
    }
    await idle;
    // A request takes several turns.
    t.ok(served >= 8, `${served} requests`);
    const page = await browser.open(address);
    t.equal(stateOn(page), 'Checked, not imported');
    t.equal(factOn(page, 'Rejected'), rejected);
  }
});

t.test(
  `${manyRows} rows of an Excel workbook are imported, and requests are served while it is read`,
  async (t) => {
    const { user, accountId } = await createScene(database);
    const browser = await signedInBrowser(api, user);
    const rows = makeRecords(manyRows).map(
      ({ employeeNumber, firstName = '', lastName = '', email = '', status, department }) => {
        return [employeeNumber, firstName, lastName, email, status, department, { serial: 44_958 }];
      },
    );
    const content = workbookOf([[...csvHeader.split(','), 'hire_date'], ...rows]);
    let running = true;
    const upload = startUpload(browser, content, { name: 'staff.xlsx' }).finally(() => {
      running = false;
    });
    let served = 0;
    for (; running; served += 1) {
      await nextTurn();
      await api.injectUnchecked({ url: '/healthz' });
    }
    t.ok(served >= 8, `${served} requests`);
    const address = await upload;
    t.equal(factOn(await check(api, browser, address), 'To be created'), manyRows.toLocaleString('en'));
    t.equal(factOn(await runImport(api, browser, address), 'Created'), manyRows.toLocaleString('en'));
    const hireDate = new Date('2023-02-01');
    t.equal(await database.prisma.employee.count({ where: { accountId, hireDate } }), manyRows);
  },
);

t.test('a workbook that is more than 100 MB as text is rejected', async (t) => {
  const { user, accountId } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  // Each cell refers to one long text.
  const row = `<row>${'<c t="s"><v>0</v></c>'.repeat(1_000)}</row>`;
  const content = workbookOf([], {
    parts: {
      'xl/sharedStrings.xml': { content: `<sst><si><t>${'a'.repeat(32_767)}</t></si></sst>` },
      'xl/worksheets/sheet1.xml': {
        content: `<worksheet><sheetData>${row.repeat(4)}</sheetData></worksheet>`,
      },
    },
  });
  const page = await uploadFile(browser, content, { name: 'staff.xlsx' });
  isPage(t, page, 400);
  t.match(page.body, /more than 100 MB as text/);
  t.equal(await database.prisma.employeeImportChunk.count({ where: { accountId } }), 0);
});
