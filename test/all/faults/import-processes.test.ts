import { openDatabase } from '../../../src/platform/database/open-database.js';
import { stateOn } from '../../support/browser/import-pages.js';
import { createTestDatabase, testServer } from '../../support/database/database.js';
import {
  checked,
  isComplete,
  press,
  readOn,
  start,
  until,
  visit,
} from '../../support/faults/import-processes.js';
import t from '../../support/tap.js';

const onPostgresql = { skip: testServer === undefined && 'the embedded database serves one process' };

t.test(
  '100,000 rows are imported once each when the process that imports them is killed',
  { ...onPostgresql, timeout: 400_000 },
  async (t) => {
    const count = 100_000;
    const options = await createTestDatabase(t);
    const database = await openDatabase(options);
    t.teardown(() => database.close());
    const [first, second] = await Promise.all([start(t, options), start(t, options)]);
    const { user, cookie } = await visit(database);
    const path = await checked(t, cookie, { count, urls: [first.url, second.url] });
    t.equal(await database.prisma.employee.count({ where: { accountId: user.accountId } }), 0);
    const begun = performance.now();
    await press(first.url, path, cookie, 'start');
    const midway = await until(second.url + path, cookie, (page) => readOn(page) >= 30_000);
    await first.kill();
    t.equal(stateOn(midway), 'Importing');
    const page = await until(second.url + path, cookie, (page) => stateOn(page) === 'Imported');
    t.comment(`${Math.round(performance.now() - begun)} ms, killed after ${readOn(midway)} rows`);
    await isComplete(t, database, { user, page, count });
  },
);
