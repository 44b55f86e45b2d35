import { check, factOn, runImport, startUpload } from '../support/browser/import-pages.js';
import { isPage } from '../support/browser/pages.js';
import { workbookOf } from '../support/input/workbook.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { csvHeader, importText, makeRecords, toCsv } from '../support/records/import.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { importBatchSize: 100 });
const { database } = api;

async function visit() {
  const { user, accountId } = await createScene(database);
  return { accountId, browser: await signedInBrowser(api, user) };
}

/** The texts of a list on a page, by a part of them. */
const items = (body: string) =>
  [...body.matchAll(/<li>(.*?)<\/li>/g)].map(([, text = '']) => text.replaceAll(/<[^>]*>/g, ''));

t.test('errors are grouped by cause over the whole file, most frequent first', async (t) => {
  const { browser } = await visit();
  const rows = Array.from({ length: 110 }, (_, index) => `E${index},F,L,a@x.example,,D,2023-02-30`);
  const more = ['E1,F,L,a@x.example,S,D,31.31.2023', 'E2,F,L,nobody,S,D,', 'E3,F,L'];
  const address = await startUpload(browser, [`${csvHeader},hire_date`, ...rows, ...more].join('\n'));
  const page = await check(api, browser, address);
  isPage(t, page);
  t.match(page.body, /<bdi>Status is required<\/bdi>/, 'with the label of the attribute');
  t.notMatch(page.body, /Import [\d,]+ rows?/, 'no record can be imported');
  const causes = items(page.body).filter((text) => / rows?: \d/.test(text));
  t.same(causes.slice(0, 2), [
    'Hire date is not a date – 111 rows: 2, 3, 4, 5, 6 …',
    'Status is required – 110 rows: 2, 3, 4, 5, 6 …',
  ]);
  t.match(causes[2], /^E-mail .* – 1 row: 113$/);
  t.equal(causes[3], 'has 3 fields where the header has 7 – 1 row: 114');
});

t.test('at most 20 causes are listed, and the names of unknown members do not count', async (t) => {
  const { browser } = await visit();
  const valid = { employee_number: 'E', first_name: 'F', last_name: 'L', email: 'a@x.example', status: 's' };
  const lines = [
    // The columns are the members of the first ten.
    ...Array.from({ length: 10 }, () => JSON.stringify({ ...valid, department: 'D' })),
    ...Array.from({ length: 6 }, (_, index) =>
      JSON.stringify({ ...valid, department: 'D', [`x${index}`]: 1 }),
    ),
  ];
  const columns = Object.keys(valid).length + 1;
  const unknown = await check(
    api,
    browser,
    await startUpload(browser, lines.join('\n'), { name: 'a.jsonl' }),
  );
  t.equal(factOn(unknown, 'Rejected'), '6');
  t.same(
    items(unknown.body).filter((text) => / rows?: \d/.test(text)),
    ['A member is unknown – 6 rows: 11, 12, 13, 14, 15 …'],
  );
  const rows = Array.from({ length: 105 }, (_, index) => `E${','.repeat(columns + index)}x`);
  const page = await check(
    api,
    browser,
    await startUpload(browser, [csvHeader, 'E1,F,L,a@x.example,S,D', ...rows].join('\n')),
  );
  const causes = items(page.body).filter((text) => / – \d/.test(text));
  t.equal(causes.length, 21);
  t.equal(causes.at(-1), 'Other causes – 85 errors');
});

t.test('the rejected rows are a CSV file with their reasons, without formulas', async (t) => {
  const { browser } = await visit();
  const lines = [
    'Personalnr;=Vorname;Nachname;E-Mail;Status;Abteilung',
    'E1;F;L;a@x.example;S;D',
    'E2;=1+1;"L;""x""";nobody;S;Zoë',
    'E3;F;L;a@x.example;S;D;;more',
    'E4;F;"L',
    'E5;F',
  ];
  const address = await startUpload(browser, lines.join('\n'));
  const page = await check(api, browser, address, { column_1: 'first_name' });
  t.match(page.body, `${address}/rejected.csv`);
  const file = await browser.open(`${address}/rejected.csv`);
  t.equal(file.statusCode, 200);
  t.equal(file.headers['cache-control'], 'no-store');
  t.match(file.headers['content-disposition'], /^attachment; filename="rejected-rows\.csv"$/);
  const [header, ...rows] = file.body.trimEnd().split('\n');
  const quoted = (cells: readonly string[]) => cells.map((cell) => `"${cell}"`).join(';');
  t.equal(
    header,
    `\uFEFF${quoted(['Personalnr', "'=Vorname", 'Nachname', 'E-Mail', 'Status', 'Abteilung', 'Reason of rejection'])}`,
    'with the separator of the uploaded file',
  );
  t.match(rows[0], /^"E2";"'=1\+1";"L;""x""";"nobody";"S";"Zoë";"E-mail /);
  t.equal(
    rows[1],
    quoted(['E3', 'F', 'L', 'a@x.example', 'S', 'D;more', 'has 8 fields where the header has 6']),
  );
  t.equal(rows[2], quoted(['E4;F;""L', '', '', '', '', '', 'a quote is not closed']));
  t.match(rows[3], /^"E5";"F";"";"";"";"";"has 2 fields/);
  const done = await runImport(api, browser, address);
  t.match(done.body, `${address}/rejected.csv`, 'also after the import, which deletes the file');
  t.equal((await browser.open(`${address}/rejected.csv`)).body, file.body);
});

t.test('the rejected rows of other files have the separator of the language of the browser', async (t) => {
  const { browser } = await visit();
  browser.languages = 'de';
  const rows = [csvHeader, 'E1,F,L,a@x.example,S,D', 'E2,F,L,nobody,S,D'];
  for (const [content, name, separator] of [
    [rows.join('\n'), 'a.csv', ','],
    [rows.join('\n').replaceAll(',', '\t'), 'a.tsv', ';'],
    [workbookOf(rows.map((row) => row.split(','))), 'a.xlsx', ';'],
  ] as const) {
    const address = await startUpload(browser, content, { name });
    await check(api, browser, address);
    const { body } = await browser.open(`${address}/rejected.csv`);
    t.match(body, new RegExp(`^\uFEFF"?employee_number"?${separator}`), name);
  }
});

t.test('the result of an import says how many rows were imported and rejected', async (t) => {
  const { browser } = await visit();
  const valid = ['E1;F;L;a@x.example;active;D', 'E2;F;L;a@x.example;active;D'];
  const fileOf = (rows: readonly string[]) => [csvHeader.replaceAll(',', ';'), ...rows].join('\n');
  const boxOn = (body: string) =>
    /<div class="(notice|warning)" role="status">(.*?)<\/div>/s.exec(body) ?? [];
  const mixed = await startUpload(browser, fileOf([...valid, 'E3;F;L;nobody;active;D']));
  t.match((await check(api, browser, mixed)).body, /more than one person\. The rows will be imported/);
  const done = await runImport(api, browser, mixed);
  isPage(t, done);
  const [, tone, text] = boxOn(done.body);
  t.equal(tone, 'warning');
  t.match(text, /2 imported, 1 rejected.*href="[^"]*\/rejected\.csv"/s);
  t.match(done.body, /1 e-mail address belongs to more than one person\. The rows are imported/);
  const clean = await startUpload(browser, fileOf(valid));
  await check(api, browser, clean);
  const [, good, words] = boxOn((await runImport(api, browser, clean)).body);
  t.equal(good, 'notice');
  t.match(words, /2 imported, 0 rejected/);
  t.notMatch(words, /rejected\.csv/);
});

t.test(
  '1,000 rejected rows are stored and all are counted; each has at most 4,096 characters, without NUL',
  async (t) => {
    const { browser, accountId } = await visit();
    const long = 'x'.repeat(9_000);
    // After the first chunk, which is read at upload.
    const valid = Array.from({ length: 30 }, () => `E1,F,L,a@x.example,S,D${' '.repeat(9_000)}`);
    const rows = Array.from({ length: 1_004 }, (_, index) => `E${index},,,,,`);
    const lines = [csvHeader, ...valid, `E\0,,L,${long},S,D`, ...rows];
    const address = await startUpload(browser, lines.join('\n'));
    const page = await check(api, browser, address);
    t.equal(factOn(page, 'Rejected'), '1,005');
    t.match(page.body, /The first 1,000 of 1,005 are listed/);
    const { body } = await browser.open(`${address}/rejected.csv`);
    t.equal(body.trimEnd().split('\n').length, 1_001);
    t.equal(await database.prisma.employeeImportError.count({ where: { accountId } }), 1_000);
    const [first] = await database.prisma.employeeImportError.findMany({
      where: { accountId },
      orderBy: { line: 'asc' },
      take: 1,
    });
    t.equal(first?.cells[0], 'E\uFFFD');
    t.ok((first?.cells.join('').length ?? 9_999) <= 4_096);
  },
);

t.test('a JSON line is rejected with its members by column, or as text', async (t) => {
  const { browser } = await visit();
  const lines = [
    '{"number":"E1","first":"F","last":"L","mail":"a@x.example"}',
    '{"number":"E2","first":{"x":[1]},"last":null,"mail":"-1"}',
    '[1',
    '5',
  ];
  const address = await startUpload(browser, lines.join('\n'), { name: 'a.jsonl' });
  const page = await check(api, browser, address, {
    ...{ column_0: 'employee_number', column_1: 'first_name', column_2: 'last_name', column_3: 'email' },
    ...{ value_status: 'active', value_department: 'D' },
  });
  t.equal(factOn(page, 'Rejected'), '3', page.body);
  const { body } = await browser.open(`${address}/rejected.csv`);
  t.match(body.split('\n'), [
    /^.number,first,last,mail,Reason of rejection$/,
    /^E2,"\{""x"":\[1\]\}","",'-1,/,
    /^\[1,"","","",the line must be a JSON object$/,
    /^5,"","","",The record must be /,
  ]);
});

/** The cells of a table on a page, by row. */
function tableOn(body: string, caption: string): string[][] {
  const table = new RegExp(`<caption>${caption}</caption>(.*?)</table>`, 's').exec(body)?.[1] ?? '';
  return [...table.matchAll(/<tr role="row"><td(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<div>(.*?)<\/div>/gs)].map(([, cell = '']) => cell.replaceAll(/<[^>]*>/g, '')),
  );
}

t.test('a check shows the stored and new values of the first ten changes', async (t) => {
  const { browser, accountId } = await visit();
  const records = makeRecords(150);
  await importText(database, accountId, toCsv(records));
  await database.prisma.employee.updateMany({
    where: { accountId, employeeNumber: 'E0000001' },
    data: { location: '<b>Oslo' },
  });
  const changed = records.map((record, index) =>
    index % 20 === 1 ? { ...record, department: 'IT' } : record,
  );
  const text = toCsv(changed, '\n')
    .replaceAll(/(.)\n/g, '$1,\n')
    .replace('department,', 'department,location');
  const page = await check(
    api,
    browser,
    await startUpload(browser, `${text}E0000001,A,B,c@x.example,S,IT,\n`),
  );
  isPage(t, page);
  t.equal(factOn(page, 'To be updated'), '9');
  const rows = tableOn(page.body, 'The first changes of stored values');
  t.same(rows.slice(0, 3), [
    ['First 1 Last &quot;1&quot;, Jr. (E0000001)', 'Department', 'Sales', 'IT'],
    ['First 1 Last &quot;1&quot;, Jr. (E0000001)', 'Location', '&lt;b>Oslo', '–'],
    ['First 21 Last &quot;21&quot;, Jr. (E0000021)', 'Department', 'Sales', 'IT'],
  ]);
  t.equal(rows.length, 9, 'records that repeat a number of the file are not compared');
  const fresh = toCsv(makeRecords(30, { department: 'IT' }));
  const more = await check(api, browser, await startUpload(browser, fresh));
  t.equal(tableOn(more.body, 'The first changes of stored values').length, 10);
});
