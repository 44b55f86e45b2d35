import type { AccountId } from '../../src/platform/accounts/account-id.js';
import { check, chosenOn, factOn, runImport, startUpload, stateOn } from '../support/browser/import-pages.js';
import { isPage } from '../support/browser/pages.js';
import { workbookOf } from '../support/input/workbook.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { defineAttributes, setCustomValues } from '../support/records/custom-attributes.js';
import { importText } from '../support/records/import.js';
import { createTenant } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { importBatchSize: 2 });
const { database } = api;
const { prisma } = database;

const attributes = [
  { key: 'cost_center', label: 'Kostenstelle' },
  { key: 'notes', type: 'long_text', label: 'Notes' },
  { key: 'salary', type: 'number', label: 'Salary', sensitive: true },
  { key: 'probation_end', type: 'date', label: 'End of probation' },
  { key: 'remote', type: 'boolean', label: 'Works remotely' },
  { key: 'shirt', type: 'choice', label: 'T-shirt', choices: ['S', 'M'] },
  { key: 'languages', type: 'choices', label: 'Languages', choices: ['English', 'German'] },
] as const;

const values = {
  cost_center: '0042',
  notes: 'First line\nsecond',
  salary: 1234.5,
  probation_end: '2026-03-31',
  remote: true,
  shirt: 'M',
  languages: ['English', 'German'],
};

const base = 'employee_number,first_name,last_name,status,department';
const person = 'E1,Ada,L,active,IT';
const record = {
  employee_number: 'E1',
  first_name: 'Ada',
  last_name: 'L',
  status: 'active',
  department: 'IT',
};
const row = 'custom.cost_center,notes,salary,Probation-END,Works remotely,custom.shirt,languages';
const cells = '0042,"First line\nsecond",1234.50,2026-03-31,Ja,m,german; English';

const customOf = async (accountId: AccountId) =>
  (await prisma.employee.findMany({ where: { accountId }, orderBy: { position: 'asc' } })).map(
    ({ custom }) => custom,
  );

async function tenant(definitions: Parameters<typeof defineAttributes>[2] = attributes) {
  const { accountId } = await createTenant(database);
  await defineAttributes(database, accountId, definitions);
  return accountId;
}

async function visit(definitions: Parameters<typeof defineAttributes>[2] = attributes) {
  const { user, accountId } = await createScene(database);
  await defineAttributes(database, accountId, definitions);
  return { accountId, browser: await signedInBrowser(api, user) };
}

t.test('the command reads values of all types from CSV, by name, key or label', async (t) => {
  const accountId = await tenant();
  const header = row.replace('Probation-END', 'end of probation');
  const text = `${base},${header}\n${person},${cells}\n`;
  const { counts, refusals } = await importText(database, accountId, text);
  t.same(refusals, []);
  t.match(counts, { created: 1 });
  t.same(await customOf(accountId), [values]);
  const again = await importText(database, accountId, text);
  t.match(again.counts, { unchanged: 1, updated: 0 }, 'a repeated import changes nothing');
});

t.test('the command reads an object or members of JSON Lines', async (t) => {
  const members = Object.fromEntries(Object.entries(values).map(([key, value]) => [`custom.${key}`, value]));
  for (const given of [{ custom: values }, members]) {
    const accountId = await tenant();
    const text = JSON.stringify({ ...record, ...given });
    const { counts, refusals } = await importText(database, accountId, text);
    t.same(refusals, []);
    t.match(counts, { created: 1 });
    t.same(await customOf(accountId), [values]);
    t.match((await importText(database, accountId, text)).counts, { unchanged: 1 });
  }
});

t.test('a blank field and null remove a value, and an absent one does not change it', async (t) => {
  const accountId = await tenant();
  await importText(database, accountId, JSON.stringify({ ...record, custom: values }));
  await importText(database, accountId, `${base},custom.notes,Languages\n${person}, ,\n`);
  const { notes: _, languages: __, ...remaining } = values;
  t.same(await customOf(accountId), [remaining]);
  const custom = { cost_center: null, remote: '' };
  await importText(database, accountId, JSON.stringify({ ...record, custom }));
  const { cost_center: ___, remote: ____, ...others } = remaining;
  t.same(await customOf(accountId), [others]);
  await importText(database, accountId, `${base}\n${person}\n`);
  t.same(await customOf(accountId), [others]);
});

t.test('of several records with one number, the last value of each attribute counts', async (t) => {
  const accountId = await tenant();
  const lines = [{ salary: 1, shirt: 'S' }, { salary: 2 }, { remote: false }];
  const text = lines.map((custom) => JSON.stringify({ ...record, custom })).join('\n');
  t.match((await importText(database, accountId, text)).counts, { created: 1, superseded: 2 });
  t.same(await customOf(accountId), [{ salary: 2, shirt: 'S', remote: false }]);
});

t.test('the command rejects values of a wrong type with the line, and stores nothing of it', async (t) => {
  const accountId = await tenant();
  const rows = ['12345678901.12345', '1,5', 'x'].map((value) => `E1,A,L,active,IT,"${value}",,,`);
  const { refusals } = await importText(
    database,
    accountId,
    [
      `${base},salary,probation_end,remote,languages`,
      ...rows,
      'E1,A,L,active,IT,,2026-02-30,,',
      'E1,A,L,active,IT,,,perhaps,',
      'E1,A,L,active,IT,,,,English; French',
    ].join('\n'),
  );
  t.same(
    refusals.map((text) => text.replace(/^(line \d+: \S+).*/, '$1')),
    [
      'line 2: custom.salary',
      'line 3: custom.salary',
      'line 4: custom.salary',
      'line 5: custom.probation_end',
      'line 6: custom.remote',
      'line 7: custom.languages',
    ],
  );
  t.match(refusals[5], /must be one or more of English, German/);
  t.same(await customOf(accountId), []);
});

t.test('unknown and archived attributes, and those of other accounts, are rejected', async (t) => {
  const accountId = await tenant([{ key: 'level' }, { key: 'old', label: 'Old', archivedAt: new Date() }]);
  await tenant([{ key: 'foreign' }]);
  for (const name of ['custom.nothing', 'custom.old', 'old', 'Old', 'foreign', 'custom.', 'custom'])
    await t.rejects(
      importText(database, accountId, `${base},${name}\n${person},x\n`),
      { message: `unknown columns ${name};` },
      name,
    );
  await t.rejects(importText(database, accountId, `${base},level,custom.level\n${person},x,y\n`), {
    message: /repeats the columns custom\.level/,
  });
  const text = ['old', 'nothing', '__proto__'].map(
    (key) => `{${JSON.stringify(record).slice(1, -1)},"custom":{"${key}":"x"}}`,
  );
  const { refusals } = await importText(database, accountId, text.join('\n'));
  t.match(refusals, [
    /^line 1: custom\.old is unknown; .*custom\.level/,
    /^line 2: custom\.nothing is unknown/,
    /^line 3: custom\.__proto__ is unknown/,
  ]);
  const without = await importText(database, await tenant([]), text.join('\n'));
  t.equal(without.refusals.length, 3, 'also without custom attributes');
  t.same(await customOf(accountId), []);
});

t.test('names and labels of the contract are never those of custom attributes', async (t) => {
  const accountId = await tenant([
    { key: 'status', label: 'E-Mail' },
    { key: 'x', label: '!?' },
  ]);
  await importText(database, accountId, `${base}\n${person}\n`);
  t.match(await prisma.employee.findMany({ where: { accountId } }), [{ status: 'active', custom: null }]);
  for (const name of ['E-Mail', '?'])
    await t.rejects(importText(database, accountId, `${base},${name}\n${person},x\n`), {
      message: 'unknown columns',
    });
});

t.test('a required attribute must be in each record', async (t) => {
  const accountId = await tenant([{ key: 'level', required: true }]);
  await t.rejects(importText(database, accountId, `${base}\n${person}\n`), {
    message: 'lacks the columns custom.level',
  });
  const csv = await importText(
    database,
    accountId,
    `${base},level\n${person},\n${person.replace('E1', 'E2')},A\n`,
  );
  t.same(csv.refusals, ['line 2: custom.level is required']);
  const lines = [record, { ...record, custom: {} }, { ...record, custom: { level: null } }];
  const json = await importText(database, accountId, lines.map((line) => JSON.stringify(line)).join('\n'));
  t.same(
    json.refusals,
    [1, 2, 3].map((line) => `line ${line}: custom.level is required`),
  );
  t.same(await customOf(accountId), [{ level: 'A' }]);
});

t.test('a removed choice is rejected, and stays for those whose record does not have it', async (t) => {
  const accountId = await tenant();
  await importText(database, accountId, JSON.stringify({ ...record, custom: { shirt: 'S' } }));
  await prisma.customAttribute.updateMany({ where: { accountId, key: 'shirt' }, data: { choices: ['M'] } });
  const rejected = await importText(database, accountId, `${base},shirt\n${person},S\n`);
  t.same(rejected.refusals, ['line 2: custom.shirt must be M']);
  await importText(database, accountId, `${base},cost_center\n${person},C1\n`);
  t.same(await customOf(accountId), [{ shirt: 'S', cost_center: 'C1' }]);
});

t.test('columns of an uploaded file are suggested by label and key, and imported', async (t) => {
  const { accountId, browser } = await visit();
  const text = `${base},KOSTENSTELLE,notes,Salary,end-of probation,Works rémotely,custom.shirt,languages\n${person},${cells.replace('2026-03-31', '31.3.2026')}\n`;
  const address = await startUpload(browser, text);
  const page = await browser.open(address);
  isPage(t, page);
  t.same(
    Object.values(chosenOn(page)).slice(5),
    attributes.map(({ key }) => `custom.${key}`),
  );
  t.match(page.body, /31\.3\.2026 → 31 March 2026/);
  t.equal(factOn(await check(api, browser, address), 'To be created'), '1');
  t.same(await customOf(accountId), []);
  isPage(t, await runImport(api, browser, address));
  t.same(await customOf(accountId), [values]);
  const again = await startUpload(browser, text);
  t.equal(factOn(await check(api, browser, again), 'Unchanged'), '1');
});

t.test('a check shows changes with the labels, and errors with the rows', async (t) => {
  const { accountId, browser } = await visit();
  await importText(database, accountId, JSON.stringify({ ...record, custom: { salary: 1, remote: true } }));
  const rows = ['E1,A,L,active,IT,2,,', 'E2,A,L,active,IT,x,,', 'E3,A,L,active,IT,,1.2.26,'];
  const address = await startUpload(browser, [`${base},salary,probation_end,remote`, ...rows].join('\n'));
  const page = await check(api, browser, address, { date_6: 'dmy' });
  isPage(t, page);
  const text = page.body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  t.match(text, /Salary 1 2 /);
  t.match(text, /Works remotely yes –/);
  t.match(text, /Row 3.*Salary must be a number/);
  t.match(text, /Row 4.*End of probation: 1\.2\.26 has a year with two digits/);
  t.equal(factOn(page, 'Rejected'), '2');
});

t.test('cells of a workbook are numbers, dates and booleans', async (t) => {
  const { accountId, browser } = await visit();
  const header = [
    ...base.split(','),
    'Kostenstelle',
    'Salary',
    'End of probation',
    'Works remotely',
    'T-shirt',
  ];
  const content = workbookOf([
    header,
    [...person.split(','), 42, 1234.5, { serial: 46_112 }, { xml: '<c t="b"><v>0</v></c>' }, 's'],
    ['E2', 'Bob', 'M', 'active', 'IT', null, 0.123456, 'x', 'maybe', 'XL'],
  ]);
  const address = await startUpload(browser, content, { name: 'staff.xlsx' });
  const page = await check(api, browser, address);
  t.match(page.body, /Row 3.*Salary.*End of probation.*Works remotely.*T-shirt/s);
  await runImport(api, browser, address);
  t.same(await customOf(accountId), [
    { cost_center: '42', salary: 1234.5, probation_end: '2026-03-31', remote: false, shirt: 'S' },
  ]);
});

t.test('an object custom of an uploaded JSON file has a column for each attribute', async (t) => {
  const { accountId, browser } = await visit();
  const lines = [
    { ...record, custom: values },
    { ...record, employee_number: 'E2', custom: { salary: 'much' } },
    { ...record, employee_number: 'E3', custom: {} },
  ].map((line) => JSON.stringify(line));
  const address = await startUpload(browser, lines.join('\n'), { name: 'staff.jsonl' });
  const suggested = Object.values(chosenOn(await browser.open(address)));
  t.same(
    suggested.slice(5),
    attributes.map(({ key }) => `custom.${key}`),
  );
  t.match((await check(api, browser, address)).body, /Row 2.*Salary must be a number/s);
  await runImport(api, browser, address);
  t.match((await browser.open(`${address}/rejected.csv`)).body, /custom\.salary.*\n.*much/);
  t.same(await customOf(accountId), [values, null]);
});

t.test('a required attribute needs a column, or one value for all rows', async (t) => {
  const { accountId, browser } = await visit([{ key: 'level', label: 'Level', required: true }]);
  const address = await startUpload(browser, `${base}\n${person}\n`);
  const page = await browser.open(address);
  t.match(page.body, 'value_custom.level');
  t.equal(stateOn(await check(api, browser, address)), undefined, 'it is not checked');
  await check(api, browser, address, { 'value_custom.level': 'B' });
  await runImport(api, browser, address);
  t.same(await customOf(accountId), [{ level: 'B' }]);
});

t.test('an attribute that is archived after the check rejects its records, and no others', async (t) => {
  const { accountId, browser } = await visit();
  const text = [record, { ...record, employee_number: 'E2', custom: { shirt: 'S' } }];
  const json = await startUpload(browser, text.map((line) => JSON.stringify(line)).join('\n'), {
    name: 'a.jsonl',
  });
  t.equal(factOn(await check(api, browser, json), 'To be created'), '2');
  const archive = (where: object) =>
    prisma.customAttribute.updateMany({ where: { accountId, ...where }, data: { archivedAt: new Date() } });
  await archive({ key: 'shirt' });
  const page = await runImport(api, browser, json);
  t.equal(stateOn(page), 'Imported');
  t.equal(factOn(page, 'Created'), '1');
  t.match(
    page.body,
    /Row 2.*“custom\.shirt” is assigned to a custom attribute that was archived or deleted/s,
  );
  const csv = await startUpload(browser, `${base},Kostenstelle\n${person},C1\nE9,A,L,active,IT,\n`);
  t.equal(factOn(await check(api, browser, csv), 'Rejected'), '0');
  await archive({});
  const none = await runImport(api, browser, csv);
  t.equal(factOn(none, 'Rejected'), '2', 'also when no attribute is left');
  t.match(none.body, /“Kostenstelle” is assigned to a custom attribute that was archived/);
  t.same(await customOf(accountId), [null]);
});

t.test('the columns of an earlier import with an archived attribute are ignored', async (t) => {
  const { accountId, browser } = await visit();
  const text = `${base},Anything\n${person},C1\n`;
  const first = await startUpload(browser, text);
  await check(api, browser, first, { column_5: 'custom.cost_center' });
  const remembered = await startUpload(browser, text);
  t.match(chosenOn(await browser.open(remembered)), { column_5: 'custom.cost_center' });
  await prisma.customAttribute.updateMany({ where: { accountId }, data: { archivedAt: new Date() } });
  const archived = await browser.open(remembered);
  isPage(t, archived);
  t.match(archived.body, /5 of 6 columns recognized/);
  t.match(chosenOn(await browser.open(await startUpload(browser, text))), { column_5: '' });
});

t.test('the upload page and the templates have the attributes of the account', async (t) => {
  const { accountId, browser } = await visit([
    { key: 'a', label: 'Team, <b>' },
    { key: 'b', label: 'Department', required: true },
    { key: 'c', label: 'Old', archivedAt: new Date() },
  ]);
  const page = await browser.open('/people/employees/import');
  isPage(t, page);
  t.match(page.body, 'Team, &lt;b>');
  const template = await browser.open('/people/employees/import/template.csv');
  t.match(template.body, /,"Team, <b>",custom\.b\r\n$/);
  const names = template.body.trim().replaceAll(/"[^"]*"|[^,]+/g, '').length;
  const text = `${template.body}E1${','.repeat(names)}\n`;
  const suggested = Object.values(chosenOn(await browser.open(await startUpload(browser, text))));
  t.same(suggested.slice(-2), ['custom.a', 'custom.b']);
  t.same(await customOf(accountId), []);
});

t.test('values of archived attributes are kept by an import', async (t) => {
  const accountId = await tenant();
  await importText(database, accountId, JSON.stringify({ ...record, custom: values }));
  const [{ id } = { id: '' }] = await prisma.employee.findMany({ where: { accountId } });
  await setCustomValues(database, accountId, id, values);
  await prisma.customAttribute.updateMany({
    where: { accountId, key: 'salary' },
    data: { archivedAt: new Date() },
  });
  await importText(database, accountId, `${base},shirt\n${person},\n`);
  const { shirt: _, ...kept } = values;
  t.same(await customOf(accountId), [kept]);
});
