import { createTestDatabase } from '../support/database/database.js';
import { openForCommands, runCommandHere } from '../support/processes/cli.js';
import { defineAttributes } from '../support/records/custom-attributes.js';
import { createApplication, createTenant } from '../support/records/tenant.js';
import t from '../support/tap.js';

const options = await createTestDatabase(t);
const database = await openForCommands(options);
t.teardown(() => database.close());
const { prisma } = database;

const standard = ['job_title', 'location', 'hire_date', 'termination_date', 'manager_id'];

/** An account with an active, a sensitive and an archived attribute, and an application. */
async function createCommandScene(name: string, readableAttributes: readonly string[] = []) {
  const { accountId } = await createTenant(database, { name });
  await defineAttributes(database, accountId, [
    { key: 'cost_center' },
    { key: 'salary', type: 'number', sensitive: true },
    { key: 'badge', archivedAt: new Date('2026-11-02') },
  ]);
  const { id, clientId } = await createApplication(database, accountId, { name: 'Sync', readableAttributes });
  return {
    set: (names: string) =>
      runCommandHere(options, [
        ...['applications', 'set-attributes', clientId, '--account', name, '--attributes', names],
      ]),
    stored: async () => (await prisma.application.findFirstOrThrow({ where: { id } })).readableAttributes,
    audited: async () => {
      const where = { accountId, type: 'application.updated' };
      const events = await prisma.auditEvent.findMany({ where, orderBy: { createdAt: 'asc' } });
      return events.map(({ details }) => details);
    },
    listed: async () => {
      const args = ['applications', 'list', '--account', name, '--json'];
      const rows = JSON.parse((await runCommandHere(options, args)).stdout);
      return rows.find((row: { client_id: string }) => row.client_id === clientId).readable_attributes;
    },
  };
}

t.test('chooses custom attributes by name, all that exist, or none', async (t) => {
  const { audited, listed, set, stored } = await createCommandScene('Names', ['custom.badge']);
  t.same(await set('custom.salary, hire_date'), {
    ...{ code: 0, stderr: '' },
    stdout: 'Readable attributes of Sync: hire_date, custom.salary.\n',
  });
  t.same(
    (await stored()).toSorted(),
    ['custom.badge', 'custom.salary', 'hire_date'],
    'archived ones are kept',
  );
  t.same(await listed(), ['hire_date', 'custom.salary'], 'archived ones are not listed');
  t.match(await set('all'), { code: 0 });
  t.same(await listed(), [...standard, 'custom.cost_center', 'custom.salary']);
  t.ok((await stored()).includes('custom.badge'));
  t.match(await set('none'), { code: 0, stdout: 'Readable attributes of Sync: none.\n' });
  t.same(await stored(), [], 'none removes what was chosen of archived attributes too');
  t.match(await set('all'), { code: 0 });
  t.notOk((await stored()).includes('custom.badge'), 'all does not choose archived attributes');
  t.match(await audited(), [
    { readable_attributes_added: ['hire_date', 'custom.salary'] },
    {
      readable_attributes_added: [
        'job_title',
        'location',
        'termination_date',
        'manager_id',
        'custom.cost_center',
      ],
    },
    { readable_attributes_removed: Array },
    { readable_attributes_added: [...standard, 'custom.cost_center', 'custom.salary'] },
  ]);
});

t.test('an attribute that is added later is not readable, also after all', async (t) => {
  const { accountId } = await createTenant(database, { name: 'Later' });
  const { clientId } = await createApplication(database, accountId, { readableAttributes: [] });
  const args = ['applications', 'set-attributes', clientId, '--account', 'Later', '--attributes', 'all'];
  t.match(await runCommandHere(options, args), { code: 0 });
  await defineAttributes(database, accountId, [{ key: 'salary' }]);
  const { stdout } = await runCommandHere(options, ['applications', 'list', '--account', 'Later', '--json']);
  t.same(
    JSON.parse(stdout).find((row: { client_id: string }) => row.client_id === clientId).readable_attributes,
    standard,
  );
});

t.test('other names are rejected with the names of the account, and nothing is changed', async (t) => {
  const other = await createTenant(database, { name: 'Other' });
  await defineAttributes(database, other.accountId, [{ key: 'theirs' }]);
  const { audited, set, stored } = await createCommandScene('Strict', ['custom.badge', 'custom.salary']);
  for (const names of [
    ...['custom.unknown', 'custom.badge', 'custom.theirs', 'custom.', 'custom.*', 'salary', 'custom.SALARY'],
    ...['custom.cost_center,custom.unknown', 'all,custom.salary', 'none,custom.salary', 'custom.salary,'],
  ])
    t.match(
      await set(names),
      {
        ...{ code: 2, stdout: '' },
        stderr:
          /names separated by commas: job_title, .*, manager_id, custom\.cost_center, custom\.salary\.\n$/,
      },
      names,
    );
  t.same(await stored(), ['custom.badge', 'custom.salary']);
  t.same(await audited(), []);
});
