import { setTimeout as wait } from 'node:timers/promises';
import { Sessions } from '../../../src/platform/accounts/sessions.js';
import type { Database, DatabaseOptions } from '../../../src/platform/database/client.js';
import { hiddenFields } from '../browser/browser.js';
import { chosenOn, factOn, importPath, stateOn } from '../browser/import-pages.js';
import { createScene, type TestUser } from '../oauth/users.js';
import { patienceMs } from '../patience.js';
import { startServerProcess } from '../processes/server-process.js';
import { checkTree } from '../records/employee-tree.js';
import { makeRecords, toCsv } from '../records/import.js';
import type { Test } from '../tap.js';

/** A user of a new account, and the cookie of a session. */
export async function visit(database: Database) {
  const { user } = await createScene(database);
  const from = { address: '127.0.0.1', userAgent: undefined };
  const session = await new Sessions(database, () => new Date()).create(user, from);
  return { user, cookie: `session=${session}` };
}

/** Starts a server on the database. */
export function start(t: Test, { databaseUrl = '', dataDir }: DatabaseOptions) {
  return startServerProcess(t, { databaseUrl, environment: { DATA_DIR: dataDir, DEMO_DATA: 'false' } });
}

/** Opens a page. */
export async function open(url: string, cookie: string) {
  const response = await fetch(url, { headers: { cookie, accept: 'text/html' } });
  return { body: await response.text() };
}

async function submit(url: string, cookie: string, body: FormData | URLSearchParams) {
  const response = await fetch(url, {
    ...{ method: 'POST', headers: { cookie, accept: 'text/html' }, redirect: 'manual', body },
  });
  if (response.status !== 303) throw new Error(`${response.status} ${await response.text()}`);
  return response.headers.get('location') ?? '';
}

/** Waits until the page of an import matches a pattern. */
export async function until(url: string, cookie: string, isReached: (page: { body: string }) => boolean) {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const page = await open(url, cookie);
    if (isReached(page)) return page;
    if (Date.now() > deadline) throw new Error(`Not reached: ${page.body}`);
    await wait(50);
  }
}

/** The number of records that the page of an import shows. */
export const readOn = (page: { body: string }) =>
  Number((factOn(page, 'Rows read') ?? '0').replaceAll(',', ''));

/** Uploads a file to one process, and lets another process check it. */
export async function checked(
  t: Test,
  cookie: string,
  { count, urls }: { count: number; urls: [string, string] },
) {
  const [first, second] = urls;
  const form = new FormData();
  for (const [name, value] of Object.entries(hiddenFields((await open(first + importPath, cookie)).body)))
    form.set(name, value);
  form.set('file', new Blob([toCsv(makeRecords(count))]), 'staff.csv');
  const path = await submit(first + importPath, cookie, form);
  const page = await open(second + path, cookie);
  const fields = { ...hiddenFields(page.body), ...chosenOn(page) };
  await submit(`${second}${path}/columns`, cookie, new URLSearchParams(fields));
  const result = await until(first + path, cookie, (page) => stateOn(page) === 'Checked, not imported');
  t.equal(factOn(result, 'To be created'), count.toLocaleString('en'));
  return path;
}

/** Submits a form of the page of an import. */
export async function press(url: string, path: string, cookie: string, step: 'start' | 'cancel') {
  const fields = hiddenFields((await open(url + path, cookie)).body);
  await submit(`${url}${path}/${step}`, cookie, new URLSearchParams(fields));
}

/** Expects that each row is stored once, and that the counts and the audit log say so. */
export async function isComplete(
  t: Test,
  database: Database,
  { user, page, count }: { user: TestUser; page: { body: string }; count: number },
): Promise<void> {
  const { prisma } = database;
  const where = { accountId: user.accountId };
  t.equal(factOn(page, 'Rows read'), count.toLocaleString('en'));
  t.equal(factOn(page, 'Created'), count.toLocaleString('en'), 'each row is counted once');
  t.equal(factOn(page, 'Unchanged'), '0');
  t.equal(await prisma.employee.count({ where }), count);
  const { employeeSequence } = await prisma.account.findUniqueOrThrow({ where: { id: user.accountId } });
  t.equal(Number(employeeSequence), count, 'no row was stored twice');
  t.equal(await prisma.employeeImportChunk.count({ where }), 0);
  const events = await prisma.auditEvent.findMany({ where: { ...where, type: 'employees.imported' } });
  t.match(events, [{ userId: user.id, details: { created: String(count), finished: 'yes' } }]);
  t.equal(events.length, 1);
  await checkTree(t, database);
}
