import { hiddenFields } from '../support/browser/browser.js';
import { check, runImport, startUpload, stateOn } from '../support/browser/import-pages.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { defineAttributes, setCustomValues } from '../support/records/custom-attributes.js';
import { csvHeader, importText } from '../support/records/import.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { importBatchSize: 1 });
const { database } = api;
const { prisma } = database;

const foreign = await createTenant(database, { employees: makeEmployees(1, { employeeNumber: 'X' }) });

const attributes = [
  { key: 'mentor', type: 'employee', label: 'Mentor' },
  { key: 'buddy', type: 'employee', label: 'Buddy' },
  { key: 'note' },
] as const;

const line = (number: string, custom: object, others: object = {}) =>
  JSON.stringify({
    employee_number: number,
    first_name: 'A',
    last_name: 'L',
    status: 'active',
    department: 'IT',
    custom,
    ...others,
  });

/** An account with these attributes, and functions that import and read references by employee number. */
async function company(definitions: Parameters<typeof defineAttributes>[2] = attributes) {
  const { user, accountId } = await createScene(database);
  await defineAttributes(database, accountId, definitions);
  const stored = () => prisma.employee.findMany({ where: { accountId }, orderBy: { position: 'asc' } });
  const idOf = async (number: string) =>
    (await stored()).find(({ employeeNumber }) => employeeNumber === number)?.id ?? '';
  /** The values by number, with the number of an employee in place of the id. */
  const values = async () => {
    const rows = await stored();
    const numbers = new Map(rows.map(({ id, employeeNumber }) => [id, employeeNumber]));
    return Object.fromEntries(
      rows.flatMap(({ employeeNumber, custom }) => {
        const entries = Object.entries((custom ?? {}) as Record<string, string>);
        if (entries.length === 0) return [];
        return [
          [employeeNumber, Object.fromEntries(entries.map(([key, id]) => [key, numbers.get(id) ?? id]))],
        ];
      }),
    );
  };
  const run = (lines: readonly string[], options = {}) =>
    importText(database, accountId, lines.join('\n'), options);
  /** Imports a file on the pages, and returns functions that read its page and undo it. */
  const upload = async (lines: readonly string[]) => {
    const browser = await signedInBrowser(api, user);
    const address = await startUpload(browser, lines.join('\n'), { name: 'staff.jsonl' });
    await check(api, browser, address);
    const checked = await browser.open(address);
    await runImport(api, browser, address);
    const undo = async () => {
      const form = await browser.open(`${address}/undo`);
      await browser.submit(`${address}/undo`, hiddenFields(form.body));
      return stateOn(await browser.open(address));
    };
    return { checked, page: () => browser.open(address), undo };
  };
  return { accountId, values, idOf, run, upload };
}

t.test('an employee can come later in the file than the reference, in another batch', async (t) => {
  const { values, run } = await company();
  const csv = (number: string, mentor: string, buddy: string) =>
    `${number},A,L,,active,IT,${mentor},${buddy}`;
  const file = [
    `${csvHeader},Mentor,custom.buddy`,
    csv('E1', 'E3', ''),
    csv('E2', 'E2', 'E1'),
    csv('E3', ' E1 ', ''),
  ];
  for (const batchSize of [1, 20]) {
    const outcome = await run(file, { batchSize });
    t.match(outcome, { refusals: [], counts: { managersRejected: 0, rejected: 0 } });
    t.same(await values(), {
      E1: { mentor: 'E3' },
      E2: { mentor: 'E2', buddy: 'E1' },
      E3: { mentor: 'E1' },
    });
  }
  t.match(
    (await run(file)).counts,
    { created: 0, updated: 0, unchanged: 3 },
    'a repeated import changes nothing',
  );
});

t.test('a reference is a number or an id, and is kept, replaced or removed', async (t) => {
  const { accountId, values, idOf, run } = await company();
  await run([line('E1', { mentor: 'E2', note: 'n' }), line('E2', {}), line('E3', {})]);
  const ids = [line('E2', { mentor: await idOf('E1') }), line('E1', {})];
  t.match((await run(ids)).counts, { updated: 1, unchanged: 1 });
  t.same(await values(), { E1: { mentor: 'E2', note: 'n' }, E2: { mentor: 'E1' } });
  t.match((await run([line('E1', { mentor: 'E3' }), line('E2', { mentor: null })])).counts, { updated: 2 });
  t.same(await values(), { E1: { mentor: 'E3', note: 'n' } });
  // An employee whose number is the id of another one.
  const [id, other] = [await idOf('E3'), await idOf('E2')];
  await prisma.employee.updateMany({ where: { accountId, id: other }, data: { employeeNumber: id } });
  await run([line('E1', { mentor: id })]);
  t.same(await values(), { E1: { mentor: id, note: 'n' } }, 'the number is meant');
});

t.test('of several records with one number, the last one with the attribute counts', async (t) => {
  for (const batchSize of [1, 20]) {
    const { values, run } = await company();
    await run(
      [
        line('E1', { mentor: 'E2', buddy: 'E2' }),
        line('E2', { mentor: 'E1' }),
        line('E1', { mentor: 'E1' }),
        line('E1', { note: 'n' }),
        line('E2', { mentor: null }),
      ],
      { batchSize },
    );
    t.same(await values(), { E1: { mentor: 'E1', buddy: 'E2', note: 'n' } });
  }
});

t.test('an unknown employee is reported by line, and the rest of the record is stored', async (t) => {
  const { values, run } = await company();
  await run([line('E1', { mentor: 'E1' })]);
  const outcome = await run([
    line('E1', { mentor: 'X', note: 'n' }),
    line('E2', { mentor: foreign.employeeIds[0], buddy: 'E1' }),
    line('E3', { mentor: 'unknown0unknown0', buddy: 'Not an id' }, { manager_employee_number: 'Y' }),
    line('E4', { mentor: 7 }),
    line('E5', { mentor: ['E1'] }),
    line('E6', { mentor: 'x'.repeat(256) }),
    line('E7', { mentor: ' ' }),
  ]);
  const unknown = (name: string, value: unknown) =>
    `custom.${name} must be the number or the id of an employee of the account: ${value}`;
  t.same(outcome.refusals.toSorted(), [
    `line 1: ${unknown('mentor', 'X')}`,
    `line 2: ${unknown('mentor', foreign.employeeIds[0])}`,
    `line 3: manager_employee_number must be the number of an employee of the account: Y; ${unknown('mentor', 'unknown0unknown0')}; ${unknown('buddy', 'Not an id')}`,
    'line 4: custom.mentor must be a string',
    'line 5: custom.mentor must be a string',
    'line 6: custom.mentor must have at most 255 characters',
  ]);
  t.match(outcome.counts, { created: 3, updated: 1, rejected: 3, managersRejected: 3 });
  t.same(await values(), { E1: { mentor: 'E1', note: 'n' }, E2: { buddy: 'E1' } });
});

t.test('a record without a required reference is rejected', async (t) => {
  const { values, run } = await company([{ key: 'mentor', type: 'employee', required: true }]);
  const outcome = await run([line('E1', { mentor: 'E1' }), line('E2', { mentor: null }), line('E3', {})]);
  t.same(outcome.refusals, ['line 2: custom.mentor is required', 'line 3: custom.mentor is required']);
  t.same(await values(), { E1: { mentor: 'E1' } });
});

t.test('a dry run reports unknown employees and stores nothing', async (t) => {
  const { values, run } = await company();
  const outcome = await run([line('E1', { mentor: 'E2' }), line('E2', { mentor: 'Z' })], { dryRun: true });
  t.match(outcome.refusals, [/^line 2: custom.mentor must be the number or the id/]);
  t.match(outcome.counts, { created: 2, managersRejected: 1 });
  t.same(await values(), {});
});

t.test('a reference of an attribute that is archived during the import is ignored', async (t) => {
  const { accountId, values, run } = await company();
  const archive = () =>
    prisma.customAttribute.updateMany({
      where: { accountId, key: 'mentor' },
      data: { archivedAt: new Date() },
    });
  async function* entries() {
    yield [{ line: 1, value: JSON.parse(line('E1', { mentor: 'E2', note: 'n' })) }];
    await archive();
    yield [{ line: 2, value: JSON.parse(line('E2', { mentor: 'Nobody', buddy: 'E1' })) }];
  }
  const outcome = await run(['{}'], { batchSize: 1, entries: entries() });
  t.match(outcome, { refusals: [], ending: { kind: 'complete' }, counts: { created: 2 } });
  t.same(await values(), { E1: { note: 'n' }, E2: { buddy: 'E1' } });
});

t.test('an import on the pages stores references, reports unknown ones, and is undone', async (t) => {
  const { accountId, values, run, idOf, upload } = await company();
  await run([
    line('E1', { mentor: 'E2', note: 'a' }),
    line('E2', { buddy: 'E1' }),
    line('E3', { mentor: 'E1' }),
  ]);
  const before = await values();
  const { checked, page, undo } = await upload([
    line('E1', { mentor: 'E4', note: 'b' }),
    line('E2', { buddy: null, mentor: 'E2' }),
    line('E3', { mentor: 'Nobody' }),
    line('E4', { mentor: 'E1' }),
  ]);
  t.match(checked.body, 'Whether the employees in custom attributes exist is checked during the import');
  const { body } = await page();
  t.match(body, 'custom.mentor must be the number or the id of an employee of the account: Nobody');
  t.match(body, '1 without the manager or another employee of the file');
  t.same(await values(), {
    E1: { mentor: 'E4', note: 'b' },
    E2: { mentor: 'E2' },
    E3: { mentor: 'E1' },
    E4: { mentor: 'E1' },
  });
  const events = await prisma.event.findMany({
    where: { accountId, type: 'employee.updated', resourceId: await idOf('E2') },
  });
  t.same(events.at(-1)?.changed, ['custom.buddy', 'custom.mentor']);
  t.equal(await undo(), 'Undone');
  t.same(await values(), before);
});

t.test(
  'undoing restores no reference to an employee who was deleted since, and keeps those who changed',
  async (t) => {
    const { accountId, values, run, idOf, upload } = await company();
    await run([
      line('E1', { mentor: 'E3' }),
      line('E2', { mentor: 'E1' }),
      line('E3', {}),
      line('E4', { mentor: 'E1' }),
    ]);
    const { undo } = await upload([
      line('E1', { mentor: 'E2' }),
      line('E2', { mentor: 'E3', buddy: 'E1' }),
      line('E4', { mentor: 'E2' }),
    ]);
    await prisma.employee.deleteMany({ where: { accountId, id: await idOf('E3') } });
    await setCustomValues(database, accountId, await idOf('E4'), { mentor: await idOf('E4') });
    t.equal(await undo(), 'Undone');
    t.same(await values(), {
      E1: { mentor: 'E2' },
      E2: { buddy: 'E1' },
      E4: { mentor: 'E4' },
    });
  },
);
