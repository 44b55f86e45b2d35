import { hiddenFields } from '../support/browser/browser.js';
import { check, runImport, startUpload, stateOn } from '../support/browser/import-pages.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { defineAttributes } from '../support/records/custom-attributes.js';
import { importText } from '../support/records/import.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { importBatchSize: 1 });
const { database } = api;
const { prisma } = database;

const line = (number: string, custom: object, department = 'IT') =>
  JSON.stringify({
    employee_number: number,
    first_name: 'A',
    last_name: 'L',
    status: 'active',
    department,
    custom,
  });

/** Imports these lines after the earlier ones, and returns functions that read the values and undo the import. */
async function scene(earlier: readonly string[], lines: readonly string[]) {
  const { user, accountId } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  await defineAttributes(database, accountId, [
    { key: 'level', type: 'number' },
    { key: 'shirt', type: 'choice', choices: ['S', 'M'] },
    { key: 'note' },
  ]);
  await importText(database, accountId, earlier.join('\n'));
  const address = await startUpload(browser, lines.join('\n'), { name: 'staff.jsonl' });
  await check(api, browser, address);
  await runImport(api, browser, address);
  const stored = async () =>
    (await prisma.employee.findMany({ where: { accountId }, orderBy: { position: 'asc' } })).map(
      ({ department, custom }) => [department, custom],
    );
  const undo = async () => {
    const form = await browser.open(`${address}/undo`);
    await browser.submit(`${address}/undo`, hiddenFields(form.body));
    const page = await browser.open(address);
    return { state: stateOn(page), body: page.body };
  };
  const change = (key: string, data: object) =>
    prisma.customAttribute.updateMany({ where: { accountId, key }, data });
  return { accountId, stored, undo, change };
}

t.test('undoing restores each value from before the first batch, and removes new ones', async (t) => {
  const { stored, undo } = await scene(
    [line('E1', { level: 1, shirt: 'S' }), line('E2', {}), line('E3', { note: 'x' })],
    [
      line('E1', { level: 2 }),
      line('E2', { note: 'new' }),
      line('E1', { shirt: 'M' }),
      line('E1', { level: 3, shirt: null, note: 'n' }),
      line('E3', { note: null }),
      line('E4', { level: 4 }),
      line('E4', { level: 5 }),
    ],
  );
  t.same(await stored(), [
    ['IT', { level: 3, note: 'n' }],
    ['IT', { note: 'new' }],
    ['IT', null],
    ['IT', { level: 5 }],
  ]);
  t.equal((await undo()).state, 'Undone');
  t.same(await stored(), [
    ['IT', { level: 1, shirt: 'S' }],
    ['IT', null],
    ['IT', { note: 'x' }],
  ]);
});

t.test('people whose value was changed since stay', async (t) => {
  const { accountId, stored, undo } = await scene([line('E1', { level: 1 })], [line('E1', { level: 2 })]);
  await importText(database, accountId, line('E1', { note: 'since' }));
  t.match((await undo()).body, /1 person was changed since/);
  t.same(await stored(), [['IT', { level: 2, note: 'since' }]]);
});

t.test('values of an attribute that is archived since stay as they are', async (t) => {
  const { stored, undo, change } = await scene(
    [line('E1', { level: 1, note: 'a' })],
    [line('E1', { level: 2, note: 'b' }, 'HR')],
  );
  await change('level', { archivedAt: new Date() });
  t.equal((await undo()).state, 'Undone');
  t.same(await stored(), [['IT', { level: 2, note: 'a' }]]);
});

t.test('values of an attribute that is deleted since stay removed', async (t) => {
  const { accountId, stored, undo, change } = await scene(
    [line('E1', { level: 1, note: 'a' })],
    [line('E1', { level: 2, note: 'b' }, 'HR'), line('E2', { level: 3 })],
  );
  await change('level', { archivedAt: new Date() });
  await prisma.$executeRaw`UPDATE employees SET custom = custom - 'level' WHERE account_id = ${accountId}`;
  await prisma.customAttribute.deleteMany({ where: { accountId, key: 'level' } });
  t.equal((await undo()).state, 'Undone');
  t.same(await stored(), [['IT', { note: 'a' }]]);
});

t.test('a value that its attribute no longer allows is not restored', async (t) => {
  const { stored, undo, change } = await scene(
    [line('E1', { shirt: 'S', note: '1', level: 1 })],
    [line('E1', { shirt: 'M', note: null, level: 2 })],
  );
  await change('shirt', { choices: ['M', 'L'] });
  await change('note', { type: 'number' });
  t.equal((await undo()).state, 'Undone');
  t.same(await stored(), [['IT', { shirt: 'M', note: 1, level: 1 }]]);
});
