import type { LightMyRequestResponse } from 'fastify';
import { randomId } from '../../src/platform/database/ids.js';
import { Browser } from '../support/browser/browser.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene, createUser, fromAddress } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import { stopSystemClock } from '../support/server/clock.js';
import t, { type Test } from '../support/tap.js';

stopSystemClock(t);
const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });
const limited = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '1' } });

const unknownAddress = () => `${randomId(10)}@users.example`;
const setCookies = ({ headers }: LightMyRequestResponse): string[] => [headers['set-cookie'] ?? []].flat();

let lastAddress = 0;

/** A network address that no other test has failed from. */
function nextAddress(): string {
  lastAddress += 1;
  return `198.51.100.${lastAddress}`;
}

/** Failures that `limited` allows for one e-mail address: five times as many as from one network address. */
const nameLimit = 5;

/** Tries to sign in from a network address. */
const attempt = (address: string, email: string, password: string, server = limited) =>
  new Browser(fromAddress(server.app, address)).signIn(email, password);

/** Expects that an attempt was rejected before its password was checked. */
function throttled(t: Test, response: LightMyRequestResponse): void {
  t.equal(response.statusCode, 429);
  t.match(response.headers['content-type'], /^text\/html/);
  const seconds = Number(response.headers['retry-after']);
  t.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `${response.headers['retry-after']}`);
  t.notMatch(setCookies(response).join(), /session=[^;]/);
}

t.test('rejects an e-mail address from every network after the allowed number of failures', async (t) => {
  const { user, accountId } = await createScene(database);
  const colleague = await createUser(database, accountId);
  for (let time = 0; time < nameLimit; time += 1) {
    const email = time % 2 === 0 ? user.email : user.email.toUpperCase();
    t.equal((await attempt(nextAddress(), email, 'wrong')).statusCode, 401);
  }
  throttled(t, await attempt(nextAddress(), user.email, user.password));
  throttled(t, await attempt(nextAddress(), user.email.toUpperCase(), 'wrong'));
  t.equal(await database.prisma.session.count({ where: { userId: user.id } }), 0);
  t.equal((await attempt(nextAddress(), colleague.email, colleague.password)).statusCode, 303);
});

t.test('a rejected network address does not lock a user out', async (t) => {
  const { user } = await createScene(database);
  const address = nextAddress();
  await attempt(address, unknownAddress(), 'wrong');
  for (let time = 0; time < nameLimit; time += 1) throttled(t, await attempt(address, user.email, 'wrong'));
  t.equal((await attempt(nextAddress(), user.email, user.password)).statusCode, 303);
});

t.test('counts all IPv6 addresses of a /64 network as one', async (t) => {
  const { user } = await createScene(database);
  t.equal((await attempt('2001:db8:0:7::1', unknownAddress(), 'wrong')).statusCode, 401);
  throttled(t, await attempt('2001:db8:0:7:ffff::1', user.email, user.password));
  t.equal((await attempt('2001:db8:0:8::1', user.email, user.password)).statusCode, 303);
  const { address } = await database.prisma.auditEvent.findFirstOrThrow({
    where: { userId: user.id, type: 'sign_in.succeeded' },
  });
  t.equal(address, '2001:db8:0:8::1', 'the audit log has the complete address');
});

t.test('counts all /64 networks of an IPv6 /48 network together, with six times the limit', async (t) => {
  const { user } = await createScene(database);
  const fail = async (network: number) =>
    (await attempt(`2001:db8:48:${network}::1`, unknownAddress(), 'wrong')).statusCode;
  const signIn = (address: string) => attempt(address, user.email, user.password);
  t.same([await fail(0), await fail(0), await fail(0)], [401, 429, 429]);
  for (let network = 1; network < 5; network += 1) t.equal(await fail(network), 401);
  t.equal(
    (await signIn('2001:db8:48:50::1')).statusCode,
    303,
    'neither rejected attempts nor sign-ins count',
  );
  t.equal(await fail(5), 401);
  throttled(t, await signIn('2001:db8:48:51::1'));
  t.equal((await signIn('2001:db8:49::1')).statusCode, 303);
});

t.test('limits an unknown e-mail address like a known one', async (t) => {
  const email = unknownAddress();
  for (let time = 0; time < nameLimit; time += 1) {
    t.equal((await attempt(nextAddress(), email, 'wrong')).statusCode, 401);
  }
  throttled(t, await attempt(nextAddress(), email, 'wrong'));
});

t.test('all processes count failures together', async (t) => {
  const other = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '1' } });
  const { user } = await createScene(database);
  for (let time = 0; time < nameLimit; time += 1) {
    const server = time % 2 === 0 ? limited : other;
    t.equal((await attempt(nextAddress(), user.email, 'wrong', server)).statusCode, 401);
  }
  throttled(t, await attempt(nextAddress(), user.email, user.password, other));
});

t.test('checks no more concurrent attempts than allowed', async (t) => {
  const { user } = await createScene(database);
  const responses = await Promise.all(
    Array.from({ length: 2 * nameLimit }, (_, index) => attempt(nextAddress(), user.email, `wrong ${index}`)),
  );
  const judged = responses.filter(({ statusCode }) => statusCode === 401);
  t.ok(judged.length <= nameLimit, `${judged.length} were checked`);
});

t.test('does not count a successful sign-in', async (t) => {
  const { user } = await createScene(database);
  const address = nextAddress();
  for (let time = 0; time < 3; time += 1) {
    t.equal((await attempt(address, user.email, user.password)).statusCode, 303);
  }
});

t.test('starts a new count after a minute', async (t) => {
  const { user } = await createScene(database);
  const address = nextAddress();
  const fail = async () => (await attempt(address, user.email, 'wrong')).statusCode;
  t.same([await fail(), await fail()], [401, 429]);
  // The limiter uses the system clock, so the expiry of the rows is changed instead.
  await database.prisma.failureCount.updateMany({ data: { expire: new Date(Date.now() - 1) } });
  t.equal((await attempt(address, user.email, user.password)).statusCode, 303);
  t.same([await fail(), await fail()], [401, 429]);
});

t.test('a rejected attempt does not extend the wait', async (t) => {
  const { user } = await createScene(database);
  const address = nextAddress();
  await attempt(address, user.email, 'wrong');
  const rows = () =>
    database.prisma.failureCount.findMany({ select: { key: true, expire: true }, orderBy: { key: 'asc' } });
  const before = await rows();
  throttled(t, await attempt(address, user.email, 'wrong'));
  t.same(await rows(), before);
  t.notOk(JSON.stringify(before).includes(user.email), 'the table does not identify the user');
});

t.test('RATE_LIMIT_FAILURES=0 allows any number', async (t) => {
  const { user } = await createScene(database);
  const address = nextAddress();
  for (let time = 0; time < nameLimit + 1; time += 1) {
    t.equal((await attempt(address, user.email, 'wrong', api)).statusCode, 401);
  }
  t.equal((await attempt(address, user.email, user.password, api)).statusCode, 303);
});
