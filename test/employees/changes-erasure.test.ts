import { randomId } from '../../src/platform/database/ids.js';
import { confirm, expectRedirect } from '../support/browser/pages.js';
import { defineAttributes, setCustomValues } from '../support/records/custom-attributes.js';
import { changeReader, changesPath } from '../support/records/employee-changes.js';
import { employeeScene } from '../support/records/employee-scene.js';
import { csvHeader, importText } from '../support/records/import.js';
import { createApplication } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { prisma } = api.database;

/** Number of events of an account with a text, in any column. */
async function eventsWith(accountId: string, text: string): Promise<number> {
  const [row] = await prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM events
    WHERE account_id = ${accountId} AND position(${text} IN events::text) > 0`;
  return row?.count ?? 0;
}

/** Two employees whose earlier and present values have a marker, of each column and of a custom attribute. */
async function setUp() {
  const scene = await employeeScene(api, []);
  const { accountId } = scene;
  const [marker, other] = [`marked${randomId(8)}`, `kept${randomId(8)}`];
  await defineAttributes(api.database, accountId, [{ key: 'note' }]);
  for (const round of [1, 2, 3]) {
    const rows = [marker, other].map((mark, index) => {
      const text = `${mark}-${round}`;
      return `E${index},${text},${text},${text}@x.example,active,${text},${text},${text},${text}`;
    });
    await importText(
      api.database,
      accountId,
      [`${csvHeader},job_title,location,custom.note`, ...rows].join('\n'),
    );
  }
  const [one, two] = await prisma.employee.findMany({ where: { accountId }, orderBy: { position: 'asc' } });
  if (one === undefined || two === undefined) throw new Error('The employees were not imported');
  const { all } = changeReader(api, await api.token(await createApplication(api.database, accountId)));
  return { ...scene, marker, other, one, two, all };
}

t.test(
  'after an employee is deleted, no event has an earlier or later value, and the history is not found',
  async (t) => {
    const { accountId, browser, marker, other, one, two, all } = await setUp();
    t.ok((await eventsWith(accountId, `${marker}-1`)) >= 2, 'of the creation, and before the update');
    const before = await all(two.id);
    t.equal(before.changes.length, 3);
    const kept = await eventsWith(accountId, other);
    expectRedirect(t, await confirm(browser, `/people/employees/${one.id}/delete`), /employee_deleted$/);
    t.equal(await eventsWith(accountId, marker), 0);
    const events = await prisma.event.findMany({ where: { accountId, resourceId: one.id } });
    t.equal(events.length, 4);
    for (const { type, attributes, previous } of events) {
      t.equal(previous, null);
      if (type !== 'employee.deleted') t.equal(attributes, null);
    }
    const token = await api.token(await createApplication(api.database, accountId));
    t.equal((await api.get(changesPath(one.id), token)).statusCode, 404);
    t.equal(await eventsWith(accountId, other), kept);
    t.same(await all(two.id), before, 'the other employee has its history');
  },
);

t.test(
  'values that the application may read again after an attribute is restored are of the same history',
  async (t) => {
    const { accountId, two } = await setUp();
    const readableAttributes = ['custom.note'];
    const application = await createApplication(api.database, accountId, { readableAttributes });
    const { all } = changeReader(api, await api.token(application));
    const notesOf = async () =>
      (await all(two.id)).changes.map(({ attributes }) =>
        attributes.changes.some(({ attribute }) => attribute === 'custom.note'),
      );
    const archive = (archivedAt: Date | null) =>
      prisma.customAttribute.updateMany({ where: { accountId, key: 'note' }, data: { archivedAt } });
    t.same(await notesOf(), [true, true, true]);
    await archive(new Date());
    t.same(await notesOf(), [false, false, false]);
    await archive(null);
    await setCustomValues(api.database, accountId, two.id, { note: 'N' });
    t.same(await notesOf(), [true, true, true, true]);
  },
);
