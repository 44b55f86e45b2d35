import { isDatabaseUnavailable, RowsLockedError } from '../../src/database/database-errors.js';
import { openDatabase } from '../../src/database/open-database.js';
import { Idempotency, type IdempotentWork } from '../../src/services/idempotency/idempotency.js';
import type { IdempotentRequest } from '../../src/services/idempotency/idempotent-request.js';
import { createTestDatabase, openElsewhere, testServer } from '../support/database/database.js';
import { createTenant, type Tenant } from '../support/records/tenant.js';
import t, { type Test } from '../support/tap.js';

/** Maximum time that a duplicate waits for the first request, in milliseconds. */
const keyWaitMs = 5_000;

/** Time that a busy machine may need beyond a limit, in milliseconds. */
const graceMs = 8_000;

const response = { status: 201, headers: {}, body: '{}' };

function requestOf({ accountId, application }: Tenant, key: string): IdempotentRequest {
  const at = new Date('2026-03-01T09:00:00Z');
  return { accountId, applicationId: application.id, userId: null, key, operation: 'test', payload: {}, at };
}

async function setUp(t: Test) {
  const options = await createTestDatabase(t);
  const database = await openDatabase(options);
  t.teardown(() => database.close());
  return { options, database, tenant: await createTenant(database) };
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

/** The outcome of work, and its duration in milliseconds. */
async function timed<Result>(work: Promise<Result>) {
  const begun = performance.now();
  const outcome = await work.catch((error: unknown) => error);
  return { outcome, ms: performance.now() - begun };
}

function afterTheWait(t: Test, ms: number) {
  t.ok(ms > keyWaitMs - 500 && ms < keyWaitMs + graceMs, `after ${Math.round(ms)} ms`);
}

t.test('a duplicate in the process of the first request is in use after five seconds', async (t) => {
  const { database, tenant } = await setUp(t);
  const idempotency = new Idempotency(database, { maxKeys: 0 });
  const request = requestOf(tenant, 'k');
  const finish = await runStuck(idempotency, request);
  const { outcome, ms } = await timed(idempotency.respondOnce(request, alone(notCalled)));
  t.same(outcome, { kind: 'in_use' });
  afterTheWait(t, ms);
  t.same(await finish(), { kind: 'completed', response });
  t.same(await idempotency.respondOnce(request, alone(notCalled)), { kind: 'completed', response });
});

t.test('a duplicate in another process waits five seconds, and no longer', async (t) => {
  const { options, database, tenant } = await setUp(t);
  const elsewhere = await openElsewhere(t, options, database);
  const [idempotency, other] = [database, elsewhere].map((each) => new Idempotency(each, { maxKeys: 0 }));
  if (idempotency === undefined || other === undefined) return;
  const request = requestOf(tenant, 'k');
  const finish = await runStuck(idempotency, request);
  const { outcome, ms } = await timed(other.respondOnce(request, alone(notCalled)));
  // Transactions of the embedded database run one after the other: the duplicate does not reach the key.
  if (elsewhere === database) t.ok(isDatabaseUnavailable(outcome), '503 with Retry-After');
  else t.same(outcome, { kind: 'in_use' });
  afterTheWait(t, ms);
  t.same(await finish(), { kind: 'completed', response });
  t.same(await other.respondOnce(request, alone(notCalled)), { kind: 'completed', response });
});

t.test('a hundred requests of an application wait, and another one is rejected at once', async (t) => {
  const { database, tenant } = await setUp(t);
  const idempotency = new Idempotency(database, { maxKeys: 0 });
  const request = requestOf(tenant, 'k');
  const finish = await runStuck(idempotency, request);
  const waiting = Array.from({ length: 100 }, () => idempotency.respondOnce(request, alone(notCalled)));
  const { outcome, ms } = await timed(idempotency.respondOnce(request, alone(notCalled)));
  t.same(outcome, { kind: 'in_use' });
  t.ok(ms < keyWaitMs - 500, 'at once');
  await finish();
  for (const duplicate of await Promise.all(waiting)) t.same(duplicate, { kind: 'completed', response });
});

t.test(
  'requests with three keys of an application that do not end stop no other application',
  { skip: testServer === undefined && 'the embedded database has one connection' },
  async (t) => {
    const { database, tenant } = await setUp(t);
    const idempotency = new Idempotency(database, { maxKeys: 0 });
    const finish = await Promise.all(
      ['1', '2', '3'].map((key) => runStuck(idempotency, requestOf(tenant, key))),
    );
    const fourth = timed(idempotency.respondOnce(requestOf(tenant, '4'), alone(notCalled)));
    const neighbor = await createTenant(database);
    const completed = await timed(
      idempotency.respondOnce(
        requestOf(neighbor, '4'),
        alone(async () => response),
      ),
    );
    t.same(completed.outcome, { kind: 'completed', response });
    t.ok(completed.ms < keyWaitMs - 500, 'at once');
    const { outcome, ms } = await fourth;
    t.type(outcome, RowsLockedError);
    afterTheWait(t, ms);
    for (const end of finish) t.same(await end(), { kind: 'completed', response });
  },
);

async function notCalled(): Promise<never> {
  throw new Error('The work of a duplicate was performed');
}
