import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../all/clients/packages.js';
import { blocksOf, readSection } from '../all/clients/readme.js';
import { openTestDatabase, testServer } from '../support/database/database.js';
import { withoutTap } from '../support/processes/plain-process.js';
import { changeMuch } from '../support/records/event-writers.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import { listen } from '../support/server/sockets.js';
import t from '../support/tap.js';

const onPostgresql = {
  skip: testServer === undefined && 'transactions of the embedded database run one after the other',
};

interface EmployeePage {
  readonly data: readonly { readonly id: string; readonly attributes: unknown }[];
  readonly links: { readonly next: string | null };
}

const [program] = blocksOf(await readSection('Follow the feed', 'docs/events.md'));

t.test('the documented copy has every change that is made during the copy', onPostgresql, async (t) => {
  const database = await openTestDatabase(t, { poolSize: 20 });
  const api = await buildTestApp(t, { database, recorded: false, clock: createTestClock(new Date()) });
  const { accountId, application, employeeIds } = await createTenant(api.database, {
    employees: makeEmployees(3_000),
  });
  const token = await api.token(application);
  const baseUrl = `http://127.0.0.1:${await listen(api.app)}`;
  const folder = await makeFolder(t);
  await writeFile(path.join(folder, 'copy.mjs'), program?.text ?? '');
  const copy = async () => {
    await promisify(execFile)(...withoutTap(process.execPath, ['copy.mjs']), {
      cwd: folder,
      env: { PATH: process.env.PATH, BASE_URL: baseUrl, ACCESS_TOKEN: token },
    });
    return JSON.parse(await readFile(path.join(folder, 'copy.json'), 'utf8'));
  };

  // Changes employees of the first page while the second one is read.
  let pages = 0;
  let changed: Promise<unknown> = Promise.resolve();
  api.app.server.on('request', ({ url }) => {
    if (!url?.startsWith('/v1/employees?')) return;
    pages += 1;
    if (pages !== 2) return;
    const [first = '', second = ''] = employeeIds;
    const { employee } = api.database.prisma;
    changed = Promise.all([
      employee.updateMany({ where: { accountId, id: first }, data: { department: 'Changed' } }),
      employee.deleteMany({ where: { accountId, id: second } }),
    ]);
  });

  const stopping = new AbortController();
  const tenant = { accountId, application, employeeIds: [] };
  const written = changeMuch(api, { tenant, token, writers: 16, signal: stopping.signal });
  const first = await copy();
  await changed;
  const second = await copy();
  t.ok(pages > 2);
  stopping.abort();
  t.ok((await written) > 0);
  t.not(second.cursor, first.cursor, 'changes were made during the copies');
  const { employees } = await copy();

  const expected: Record<string, unknown> = {};
  for (let url = '/v1/employees?page[size]=100'; url !== ''; ) {
    const { data, links }: EmployeePage = (await api.get(url, token)).json();
    for (const { id, attributes } of data) expected[id] = attributes;
    url = links.next?.slice(links.next.indexOf('/v1/')) ?? '';
  }
  t.match(expected, { [String(employeeIds[0])]: { department: 'Changed' } });
  t.same(employees, expected);
});
