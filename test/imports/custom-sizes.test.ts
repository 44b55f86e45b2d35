import type { AccountId } from '../../src/platform/accounts/account-id.js';
import { check, factOn, runImport, startUpload, stateOn } from '../support/browser/import-pages.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { defineAttributes } from '../support/records/custom-attributes.js';
import { importText } from '../support/records/import.js';
import { createTenant } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { importBatchSize: 20 });
const { database } = api;
const { prisma } = database;

const keys = Array.from({ length: 20 }, (_, index) => `text_${String(index).padStart(2, '0')}`);
const definitions = keys.map((key) => ({ key, type: 'long_text' as const }));

/** Seven values, of 14 KB together. */
const large = (start: number) =>
  Object.fromEntries(keys.slice(start, start + 7).map((key) => [key, 'x'.repeat(2_000)]));

const line = (number: string, custom: object, more: object = {}) =>
  JSON.stringify({
    ...{ employee_number: number, first_name: 'A', last_name: 'L', status: 'active', department: 'IT' },
    ...{ custom, ...more },
  });

async function tenant() {
  const { accountId } = await createTenant(database);
  await defineAttributes(database, accountId, definitions);
  return accountId;
}

const stored = async (accountId: AccountId) => {
  const employees = await prisma.employee.findMany({
    where: { accountId },
    orderBy: { employeeNumber: 'asc' },
  });
  return employees.map(({ employeeNumber, custom }) => [employeeNumber, Object.keys(Object(custom)).length]);
};

const error = 'the custom attributes with those that are stored must have at most 30000 bytes of UTF-8';

t.test(
  'a record with too many values for its employee is rejected with its line, and no other',
  async (t) => {
    const accountId = await tenant();
    for (const start of [0, 7]) await importText(database, accountId, line('E1', large(start)));
    const text = [
      line('E0', large(0)),
      line('E1', { text_14: 'x'.repeat(2_000) }, { manager_employee_number: 'E2' }),
      line('E2', { text_14: 'y' }),
    ].join('\n');
    for (const dryRun of [true, false]) {
      const { counts, refusals, ending } = await importText(database, accountId, text, { dryRun });
      t.same(ending, { kind: 'complete' });
      t.same(refusals, [`line 2: ${error}`]);
      t.match(counts, { read: 3, created: 2, updated: 0, rejected: 1, superseded: 0, managersRejected: 0 });
    }
    t.same(await stored(accountId), [
      ['E0', 7],
      ['E1', 14],
      ['E2', 1],
    ]);
    t.match(await prisma.employee.findFirst({ where: { accountId, employeeNumber: 'E1' } }), {
      managerId: null,
    });
  },
);

t.test('several records with one number that have too many values together are rejected', async (t) => {
  const accountId = await tenant();
  const text = [line('E1', large(0)), line('E2', {}), line('E1', large(7)), line('E1', large(13))];
  const { counts, refusals } = await importText(database, accountId, text.join('\n'));
  t.same(
    refusals,
    [1, 3, 4].map((position) => `line ${position}: ${error}`),
  );
  t.match(counts, { read: 4, created: 1, rejected: 3, superseded: 0 });
  t.same(await stored(accountId), [['E2', 0]]);
});

t.test('values that a record removes or replaces do not count', async (t) => {
  const accountId = await tenant();
  for (const start of [0, 7]) await importText(database, accountId, line('E1', large(start)));
  const removed = Object.fromEntries(keys.slice(0, 6).map((key) => [key, null]));
  const replaced = large(7);
  const { refusals } = await importText(database, accountId, line('E1', { ...replaced, ...removed }));
  t.same(refusals, []);
  t.same(await stored(accountId), [['E1', 8]]);
});

t.test('values of archived attributes count', async (t) => {
  const accountId = await tenant();
  for (const start of [0, 7]) await importText(database, accountId, line('E1', large(start)));
  const where = { accountId, key: { in: keys.slice(0, 14) } };
  await prisma.customAttribute.updateMany({ where, data: { archivedAt: new Date() } });
  const { refusals } = await importText(database, accountId, line('E1', { text_14: 'x'.repeat(2_000) }));
  t.same(refusals, [`line 1: ${error}`]);
});

// The text of the database has one more byte for each choice.
t.test('50 attributes with 50 choices each that are accepted can be stored', async (t) => {
  const { accountId } = await createTenant(database);
  const choices = Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(8, '-'));
  const definitions = Array.from({ length: 50 }, (_, index) => ({
    key: `choices_of_the_long_attribute_${index}`,
    choices,
  }));
  await defineAttributes(
    database,
    accountId,
    definitions.map((definition) => ({ ...definition, type: 'choices' })),
  );
  const outcomes = [];
  for (let start = 0; start < 50; start += 10) {
    const custom = Object.fromEntries(definitions.slice(start, start + 10).map(({ key }) => [key, choices]));
    outcomes.push(await importText(database, accountId, line('E1', custom)));
  }
  t.match(outcomes, Array(5).fill({ ending: { kind: 'complete' } }));
  t.same(
    outcomes.map(({ refusals }) => refusals),
    [[], [], [], [], []],
  );
  const [employee] = await prisma.employee.findMany({ where: { accountId } });
  t.ok(JSON.stringify(employee?.custom).length > 29_000, 'it is close to the maximum');
});

t.test('the check of an uploaded file and its import name the row', async (t) => {
  const { user, accountId } = await createScene(database);
  await defineAttributes(database, accountId, definitions);
  const browser = await signedInBrowser(api, user);
  for (const start of [0, 7]) await importText(database, accountId, line('E1', large(start)));
  const text = [line('E1', large(13)), line('E2', {})].join('\n');
  const address = await startUpload(browser, text, { name: 'staff.jsonl' });
  const checked = await check(api, browser, address);
  t.equal(factOn(checked, 'Rejected'), '1');
  t.equal(factOn(checked, 'To be created'), '1');
  const page = await runImport(api, browser, address);
  t.equal(stateOn(page), 'Imported');
  t.match(page.body, new RegExp(`Row 1.*${error}`, 's'));
  t.same(await stored(accountId), [
    ['E1', 14],
    ['E2', 0],
  ]);
  t.match((await browser.open(`${address}/rejected.csv`)).body, /E1/);
});
