import { setImmediate as turn } from 'node:timers/promises';
import { isDatabaseUnavailable, RowsLockedError } from '../../../src/platform/database/database-errors.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { Idempotency, type IdempotentWork } from '../../../src/platform/idempotency/idempotency.js';
import type { IdempotentRequest } from '../../../src/platform/idempotency/key-claim.js';
import { createTestDatabase, openElsewhere, testServer } from '../../support/database/database.js';
import { createTenant, type Tenant } from '../../support/records/tenant.js';
import { holdTimers } from '../../support/server/timers.js';
import t from '../../support/tap.js';
import { until } from '../../support/until.js';

/** Maximum time that a duplicate waits for the first request, in milliseconds. */
const keyWaitMs = 5_000;

const options = await createTestDatabase(t);
const database = await openDatabase(options);
t.teardown(() => database.close());

const response = { status: 201, headers: {}, body: '{}' };

function requestOf({ accountId, application }: Tenant, key: string): IdempotentRequest {
  const at = new Date('2026-03-01T09:00:00Z');
  return { accountId, applicationId: application.id, userId: null, key, operation: 'test', payload: {}, at };
}

/** Work that locks nothing before its key. */
function alone(work: IdempotentWork['work']): IdempotentWork {
  return { prepare: async () => {}, work };
}

/** Starts a request whose work does not end, and resolves during its transaction. Returns a function that ends it. */
async function runStuck(idempotency: Idempotency, request: IdempotentRequest) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let outcome: ReturnType<Idempotency['respondOnce']> | undefined;
  await new Promise<void>((begun) => {
    outcome = idempotency.respondOnce(
      request,
      alone(async () => {
        begun();
        await released;
        return response;
      }),
    );
  });
  return () => {
    release();
    return outcome;
  };
}

/** The outcome of work that may fail. */
const outcomeOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);

t.test('a duplicate in the process of the first request is in use after five seconds', async (t) => {
  const tenant = await createTenant(database);
  const timers = holdTimers(t);
  const idempotency = new Idempotency(database, { maxKeys: 0 });
  const request = requestOf(tenant, 'k');
  const finish = await runStuck(idempotency, request);
  let hasEnded = false;
  const duplicate = idempotency.respondOnce(request, alone(notCalled)).finally(() => {
    hasEnded = true;
  });
  timers.advance(keyWaitMs - 1);
  await turn();
  t.notOk(hasEnded, 'not before');
  timers.advance(1);
  t.same(await duplicate, { kind: 'in_use' });
  t.same(await finish(), { kind: 'completed', response });
  t.same(await idempotency.respondOnce(request, alone(notCalled)), { kind: 'completed', response });
});

t.test('a duplicate in another process waits five seconds, and no longer', async (t) => {
  const tenant = await createTenant(database);
  const elsewhere = await openElsewhere(t, options, database);
  const timers = holdTimers(t);
  const [idempotency, other] = [database, elsewhere].map((each) => new Idempotency(each, { maxKeys: 0 }));
  if (idempotency === undefined || other === undefined) return;
  const request = requestOf(tenant, 'k');
  const finish = await runStuck(idempotency, request);
  if (elsewhere === database) {
    // Transactions of the embedded database run one after the other: the duplicate does not reach the key.
    const started = timers.started(keyWaitMs);
    const outcome = outcomeOf(other.respondOnce(request, alone(notCalled)));
    await until(() => timers.started(keyWaitMs) > started);
    timers.advance(keyWaitMs);
    t.ok(isDatabaseUnavailable(await outcome), '503 with Retry-After');
  } else {
    // PostgreSQL ends the wait: after the rest of the five seconds.
    const prepare = async () => timers.advance(keyWaitMs - 50);
    t.same(await other.respondOnce(request, { prepare, work: notCalled }), { kind: 'in_use' });
  }
  t.same(await finish(), { kind: 'completed', response });
  t.same(await other.respondOnce(request, alone(notCalled)), { kind: 'completed', response });
});

t.test('as many requests of an application wait as may, and another one is rejected at once', async (t) => {
  const tenant = await createTenant(database);
  holdTimers(t);
  const idempotency = new Idempotency(database, { maxKeys: 0, maxWaiting: 5 });
  const request = requestOf(tenant, 'k');
  const finish = await runStuck(idempotency, request);
  const waiting = Array.from({ length: 5 }, () => idempotency.respondOnce(request, alone(notCalled)));
  t.same(await idempotency.respondOnce(request, alone(notCalled)), { kind: 'in_use' });
  await finish();
  for (const duplicate of await Promise.all(waiting)) t.same(duplicate, { kind: 'completed', response });
});

t.test(
  'requests with three keys of an application that do not end stop no other application',
  { skip: testServer === undefined && 'the embedded database has one connection' },
  async (t) => {
    const tenant = await createTenant(database);
    const neighbor = await createTenant(database);
    const timers = holdTimers(t);
    const idempotency = new Idempotency(database, { maxKeys: 0 });
    const finish = await Promise.all(
      ['1', '2', '3'].map((key) => runStuck(idempotency, requestOf(tenant, key))),
    );
    const fourth = outcomeOf(idempotency.respondOnce(requestOf(tenant, '4'), alone(notCalled)));
    const completed = await idempotency.respondOnce(
      requestOf(neighbor, '4'),
      alone(async () => response),
    );
    t.same(completed, { kind: 'completed', response }, 'at once');
    timers.advance(keyWaitMs);
    t.type(await fourth, RowsLockedError);
    for (const end of finish) t.same(await end(), { kind: 'completed', response });
  },
);

async function notCalled(): Promise<never> {
  throw new Error('The work of a duplicate was performed');
}
