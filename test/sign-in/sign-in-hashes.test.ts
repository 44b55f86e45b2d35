import http from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { concurrentHashes, maximumWaitingHashes, Passwords } from '../../src/platform/accounts/passwords.js';
import { Browser } from '../support/browser/browser.js';
import { openTestDatabase } from '../support/database/database.js';
import { createUser, fromAddress, signedInBrowser } from '../support/oauth/users.js';
import { patienceMs } from '../support/patience.js';
import { createTenant } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import { listen } from '../support/server/sockets.js';
import { holdTimers } from '../support/server/timers.js';
import t, { type Test } from '../support/tap.js';
import { until } from '../support/until.js';

const database = await openTestDatabase(t);
const concurrent = concurrentHashes(process.env.UV_THREADPOOL_SIZE);
const capacity = concurrent + maximumWaitingHashes;

/** An application whose hashes are held until the test releases them, and are counted. */
async function buildHeldApp(t: Test, { waitMs = patienceMs } = {}) {
  const count = { running: 0, most: 0, computed: 0 };
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const compute = async <Result>(result: Result): Promise<Result> => {
    count.computed += 1;
    count.running += 1;
    count.most = Math.max(count.most, count.running);
    await released;
    await turn();
    count.running -= 1;
    return result;
  };
  const argon2 = { verify: () => compute(false), hash: () => compute('unused') };
  const environment = { RATE_LIMIT_FAILURES: '0' };
  const api = await buildTestApp(t, { database, environment, passwords: new Passwords({ argon2, waitMs }) });
  t.teardown(release);
  const attempt = (address: string, email = 'nobody@users.example') =>
    new Browser(fromAddress(api.app, address)).signIn(email, 'a wrong password');
  return { api, count, release, attempt };
}

t.test(
  'sign-ins compute no more concurrent hashes than the process allows, and the others wait',
  async (t) => {
    const { count, release, attempt } = await buildHeldApp(t);
    const attempts = Array.from({ length: capacity }, (_, index) => attempt(`198.51.100.${index}`));
    await until(() => count.running === concurrent);
    release();
    for (const response of await Promise.all(attempts)) t.equal(response.statusCode, 401);
    t.same(count, { running: 0, most: concurrent, computed: capacity });
  },
);

t.test(
  'a sign-in above the queue is a 503 page, and a network with fewer sign-ins is not rejected',
  async (t) => {
    const { count, release, attempt } = await buildHeldApp(t);
    let rejected = 0;
    const attempts = Array.from({ length: capacity + 1 }, (_, index) =>
      // Of one /48 network.
      attempt(`2001:db8:0:${index}::1`).then((response) => {
        if (response.statusCode === 503) rejected += 1;
        return response;
      }),
    );
    await until(() => rejected === 1);
    const other = attempt('2001:db8:1::1');
    await until(() => rejected === 2);
    release();
    t.equal((await other).statusCode, 401);
    const full = (await Promise.all(attempts)).filter(({ statusCode }) => statusCode === 503);
    t.equal(full.length, 2);
    for (const { headers, body } of full) {
      t.equal(headers['retry-after'], '2');
      t.match(headers['content-type'], /^text\/html/);
      t.match(body, /overloaded/);
    }
    t.equal(count.computed, capacity);
  },
);

t.test('a sign-in that waits too long is a 503, and its hash is not computed', async (t) => {
  const { count, release, attempt } = await buildHeldApp(t, { waitMs: 1 });
  const first = Array.from({ length: concurrent }, () => attempt('198.51.100.1'));
  await until(() => count.running === concurrent);
  t.equal((await attempt('198.51.100.2')).statusCode, 503);
  release();
  for (const response of await Promise.all(first)) t.equal(response.statusCode, 401);
  t.equal(count.computed, concurrent);
});

t.test('no hash is computed for a client that has disconnected while it waited', async (t) => {
  const waitMs = 123_456;
  const { api, count, release, attempt } = await buildHeldApp(t, { waitMs });
  const port = await listen(api.app);
  const browser = new Browser(api.app);
  const page = await browser.open('/sign_in');
  const csrf = /name="csrf_token" value="([^"]*)"/.exec(page.body)?.[1] ?? '';
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const first = Array.from({ length: concurrent }, () => attempt('198.51.100.1'));
  await until(() => count.running === concurrent);
  const timers = holdTimers(t);
  const abandoned = Array.from({ length: 10 }, () => {
    const request = http.request({
      port,
      host: '127.0.0.1',
      path: '/sign_in',
      method: 'POST',
      agent: false,
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
    });
    request.on('error', () => {});
    request.end(
      new URLSearchParams({ csrf_token: csrf, email: 'nobody@users.example', password: 'wrong' }).toString(),
    );
    return request;
  });
  await until(() => timers.started(waitMs) === abandoned.length);
  for (const request of abandoned) request.destroy();
  const connections = () =>
    new Promise<number>((resolve) => api.app.server.getConnections((_, open) => resolve(open)));
  await until(async () => (await connections()) === 0);
  await turn();
  timers.release();
  release();
  for (const response of await Promise.all(first)) t.equal(response.statusCode, 401);
  t.equal((await attempt('198.51.100.1')).statusCode, 401);
  t.equal(count.computed, concurrent + 1);
});

t.test('the form for a new password waits in the same queue', async (t) => {
  const { api, count, release, attempt } = await buildHeldApp(t, { waitMs: 1 });
  const { accountId } = await createTenant(database);
  const browser = await signedInBrowser(api, await createUser(database, accountId));
  const path = '/people/settings/account/password';
  const form = { current_password: 'a wrong password', new_password: 'another long password' };
  const page = await browser.open(path);
  const first = Array.from({ length: concurrent }, () => attempt('198.51.100.1'));
  await until(() => count.running === concurrent);
  const response = await browser.submitForm(page, path, form);
  t.equal(response.statusCode, 503);
  t.match(response.headers, { 'retry-after': '2', 'content-type': /^text\/html/ });
  release();
  await Promise.all(first);
  t.equal((await browser.submitForm(page, path, form)).statusCode, 401);
});
