import { check, factOn, runImport, startUpload } from '../support/browser/import-pages.js';
import { isPage } from '../support/browser/pages.js';
import { employeeScene, fieldErrors, fieldValues } from '../support/records/employee-scene.js';
import { csvHeader, importText } from '../support/records/import.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { importBatchSize: 20 });
const { database } = api;

const header = `${csvHeader},job_title,location,hire_date,termination_date`;

const staff = [
  { employeeNumber: 'S1', email: 's1@x.example', department: 'Sales', jobTitle: 'Clerk', location: 'Zürich' },
  { employeeNumber: 'S2', email: 's2@x.example', department: 'Sales', jobTitle: 'Clerk', location: 'Zürich' },
  { employeeNumber: 'S3', email: 'S3@x.example', department: 'sales', jobTitle: null, location: null },
];

t.test('an import takes the spelling that most employees of the account have', async (t) => {
  const { browser, stored, accountId } = await employeeScene(api, staff);
  const rows = [
    'A1,F,L,a1@x.example,ACTIVE,sALES,clerk,ZÜRICH,,',
    'A2,F,L,a2@x.example,Sabbatical,Design,Chef,Bern,,',
    'A3,F,L,a3@x.example,sabbatical,DESIGN,CHEF,bern,,',
  ];
  const address = await startUpload(browser, [header, ...rows].join('\n'));
  await check(api, browser, address);
  await runImport(api, browser, address);
  const spelled = (await stored())
    .slice(0, 3)
    .map(({ status, department, jobTitle, location }) => [status, department, jobTitle, location]);
  t.same(spelled, [
    ['active', 'Sales', 'Clerk', 'Zürich'],
    ['Sabbatical', 'Design', 'Chef', 'Bern'],
    ['Sabbatical', 'Design', 'Chef', 'Bern'],
  ]);
  const other = rows.join('\n').replaceAll('DESIGN', 'design');
  const page = await check(api, browser, await startUpload(browser, `${header}\n${other}`));
  t.equal(factOn(page, 'Unchanged'), '3', 'another spelling is no change');
  await importText(database, accountId, `${header}\nA4,F,L,a4@x.example,On_Leave,SALES,CLERK,,,`);
  t.match((await stored())[3], { status: 'on_leave', department: 'Sales', jobTitle: 'Clerk' });
});

t.test('the spellings of another account are not used', async (t) => {
  await employeeScene(api, staff);
  const { browser, stored } = await employeeScene(api, []);
  const address = await startUpload(browser, `${header}\nA1,F,L,a1@x.example,active,SALES,CLERK,zürich,,`);
  await check(api, browser, address);
  await runImport(api, browser, address);
  t.match(await stored(), [{ department: 'SALES', jobTitle: 'CLERK', location: 'zürich' }]);
});

t.test('the form takes the spelling of the account, except when only the case is changed', async (t) => {
  const { browser, stored, ids } = await employeeScene(api, staff);
  const path = '/people/employees/new';
  const form = fieldValues((await browser.open(path)).body);
  const values = { employee_number: 'F1', first_name: 'F', last_name: 'L', email: 'f1@x.example' };
  await browser.submit(path, {
    ...{ ...form, ...values },
    ...{ status: 'Active', department: 'SALES', job_title: 'clerk', location: 'zürich' },
  });
  const created = { status: 'active', department: 'Sales', jobTitle: 'Clerk', location: 'Zürich' };
  t.match((await stored())[0], created);
  const edit = async (changes: Record<string, string>) => {
    const address = `/people/employees/${ids[0]}/edit`;
    await browser.submit(address, { ...fieldValues((await browser.open(address)).body), ...changes });
    return (await stored()).find(({ employeeNumber }) => employeeNumber === 'S1');
  };
  t.match(await edit({ department: 'SALES' }), { department: 'SALES' });
  t.match(await edit({ job_title: 'CLERK', status: 'ON_LEAVE' }), { jobTitle: 'CLERK', status: 'on_leave' });
});

t.test('a termination date before the hire date is rejected by the import and the form', async (t) => {
  const { browser, ids, stored, accountId } = await employeeScene(api, [
    { employeeNumber: 'S1', hireDate: '2020-02-02', terminationDate: '2019-01-01' },
  ]);
  const rows = [
    'A1,F,L,a1@x.example,active,IT,,,2020-02-02,2020-02-01',
    'A2,F,L,a2@x.example,active,IT,,,2020-02-02,2020-02-02',
    'A3,F,L,a3@x.example,active,IT,,,,2020-02-01',
  ];
  const page = await check(api, browser, await startUpload(browser, [header, ...rows].join('\n')));
  t.equal(factOn(page, 'Rejected'), '1');
  t.match(page.body, /<bdi>Termination date must not be before the hire date<\/bdi>/);
  const leavers = [
    `${csvHeader},termination_date`,
    'S1,F,L,s1@x.example,active,IT,2020-01-01',
    'S2,F,L,s2@x.example,active,IT,2019-12-31',
    'A4,F,L,a4@x.example,active,IT,2019-12-31',
  ].join('\n');
  await importText(database, accountId, `${csvHeader},hire_date\nS2,F,L,s2@x.example,active,IT,2020-01-01`);
  const partial = await check(api, browser, await startUpload(browser, leavers));
  t.equal(factOn(partial, 'Rejected'), '2');
  t.match(
    partial.body,
    /the termination date must not be before the hire date \(one of them is stored\)<\/bdi>/,
  );
  const { counts, refusals } = await importText(database, accountId, leavers, { dryRun: true });
  t.match(
    { counts, refusals },
    { counts: { rejected: 2 }, refusals: [/^line 2: the termination/, /^line 3: /] },
  );
  const address = `/people/employees/${ids[0]}/edit`;
  const form = fieldValues((await browser.open(address)).body);
  const rejected = await browser.submit(address, { ...form, termination_date: '2020-02-01' });
  isPage(t, rejected, 400);
  t.same(fieldErrors(rejected.body), {
    termination_date: 'Termination date must not be before the hire date.',
  });
  t.equal((await browser.submit(address, { ...form, first_name: 'New' })).statusCode, 303);
  t.match(await stored(), [{ firstName: 'New' }, { employeeNumber: 'S2' }], 'dates that are stored can stay');
});

t.test('a check warns of e-mail addresses of more than one person, and the import stores them', async (t) => {
  const { browser } = await employeeScene(api, staff);
  const rows = [
    'A1,F,L,One@x.example,active,IT,,,,',
    'A2,F,L,one@X.example,active,IT,,,,',
    'A3,F,L,one@x.example,active,IT,,,,',
    'A4,F,L,s3@x.example,active,IT,,,,',
    'S1,F,L,s1@x.example,active,IT,,,,',
    'A5,F,L,five@x.example,active,IT,,,,',
    'A5,F,L,five@x.example,active,IT,,,,',
  ];
  const address = await startUpload(browser, [header, ...rows].join('\n'));
  const page = await check(api, browser, address);
  isPage(t, page);
  t.match(page.body, /2 e-mail addresses belong to more than one person/);
  const listed = [
    ...page.body.matchAll(/<li><bdi>([^<]*)<\/bdi>: employee numbers <bdi>(\w+)<\/bdi> and <bdi>(\w+)/g),
  ];
  t.same(
    listed.map(([, ...values]) => values),
    [
      ['one@X.example', 'A1', 'A2'],
      ['s3@x.example', 'S3', 'A4'],
    ],
  );
  t.equal(factOn(page, 'Rejected'), '0');
  const done = await runImport(api, browser, address);
  t.equal(factOn(done, 'Created'), '5');
  t.match(done.body, /2 e-mail addresses belong to more than one person/, 'also after the import');
  // In several batches.
  const pairs = Array.from(
    { length: 45 },
    (_, index) => `P${index},F,L,p${index % 30}@x.example,active,IT,,,,`,
  );
  const more = await check(api, browser, await startUpload(browser, [header, ...pairs].join('\n')));
  t.match(more.body, /15 e-mail addresses belong to more than one person\..*The first 10 are listed/s);
  t.equal(more.body.match(/<li><bdi>p\d/g)?.length, 10);
});
