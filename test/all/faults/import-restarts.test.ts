import { openDatabase } from '../../../src/platform/database/open-database.js';
import { stateOn } from '../../support/browser/import-pages.js';
import { createTestDatabase, onEmbedded, testServer } from '../../support/database/database.js';
import {
  checked,
  isComplete,
  open,
  press,
  readOn,
  start,
  until,
  visit,
} from '../../support/faults/import-processes.js';
import t, { type Test } from '../../support/tap.js';

const onPostgresql = { skip: testServer === undefined && 'the embedded database serves one process' };

/** Two processes on one database, and a checked import of a user. */
async function setUp(t: Test, count: number) {
  const options = await createTestDatabase(t);
  const database = await openDatabase(options);
  t.teardown(() => database.close());
  const [first, second] = await Promise.all([start(t, options), start(t, options)]);
  const { user, cookie } = await visit(database);
  const path = await checked(t, cookie, { count, urls: [first.url, second.url] });
  return { database, first, second, user, cookie, path };
}

t.test(
  '100,000 rows are imported once each when the process that imports them is killed',
  onPostgresql,
  async (t) => {
    const count = 100_000;
    const { database, first, second, user, cookie, path } = await setUp(t, count);
    t.equal(await database.prisma.employee.count({ where: { accountId: user.accountId } }), 0);
    await press(first.url, path, cookie, 'start');
    const midway = await until(second.url + path, cookie, (page) => readOn(page) >= 30_000);
    await first.kill();
    t.equal(stateOn(midway), 'Importing');
    const page = await until(second.url + path, cookie, (page) => stateOn(page) === 'Imported');
    t.comment(`killed after ${readOn(midway)} rows`);
    await isComplete(t, database, { user, page, count });
  },
);

t.test('another process continues when the process that imports is stopped', onPostgresql, async (t) => {
  const count = 40_000;
  const { database, first, second, user, cookie, path } = await setUp(t, count);
  await press(first.url, path, cookie, 'start');
  await until(second.url + path, cookie, (page) => readOn(page) >= 5_000);
  t.equal(await first.stop(), 0);
  const reached = readOn(await open(second.url + path, cookie));
  t.ok(reached < count, `${reached} rows are stored`);
  const page = await until(second.url + path, cookie, (page) => stateOn(page) === 'Imported');
  await isComplete(t, database, { user, page, count });
});

t.test('the import continues when the only process is killed and started again', onEmbedded, async (t) => {
  const count = 20_000;
  const options = await createTestDatabase(t, { engine: 'embedded' });
  const database = await openDatabase(options);
  const { user, cookie } = await visit(database);
  await database.close();
  const first = await start(t, options);
  const path = await checked(t, cookie, { count, urls: [first.url, first.url] });
  await press(first.url, path, cookie, 'start');
  await until(first.url + path, cookie, (page) => readOn(page) >= 3_000);
  await first.kill();
  const second = await start(t, options);
  const page = await until(second.url + path, cookie, (page) => stateOn(page) === 'Imported');
  t.equal(await second.stop(), 0);
  const again = await openDatabase(options);
  t.teardown(() => again.close());
  await isComplete(t, again, { user, page, count });
});
