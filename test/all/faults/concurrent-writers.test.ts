import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { createTestDatabase, testServer } from '../../support/database/database.js';
import { slowWritesDown } from '../../support/faults/slow-writes.js';
import { createArena } from '../../support/faults/write-arena.js';
import { type Writer, writers } from '../../support/faults/writers.js';
import { patienceMs } from '../../support/patience.js';
import { buildTestApp } from '../../support/server/app.js';
import { captureLog } from '../../support/server/captured-log.js';
import t from '../../support/tap.js';

const real = testServer !== undefined;

/** Concurrent calls of each writer, times its share. Transactions of the embedded database run one after the other. */
const atOnce = real ? 15 : 3;

/** Milliseconds within which both writers start, in random order. */
const startMs = 100;

/** Concurrent pairs: while the statements of one pair wait, another uses the processor. */
const pairsAtOnce = 3;

const options = await createTestDatabase(t);
const log = captureLog('warn');
const database = await openDatabase({ ...options, logger: log.logger, poolSize: 20 });
t.teardown(() => database.close());
const environment = { RATE_LIMIT_FAILURES: '0' };
const api = await buildTestApp(t, {
  ...{ database, environment, logger: log.logger, recorded: false },
  idempotencyWaitMs: patienceMs,
});
if (real) await slowWritesDown(database);

/** Runs two writers concurrently on the rows of one account, and returns the failures. */
async function failuresOf(one: Writer, other: Writer): Promise<string[]> {
  const arena = await createArena(api, atOnce);
  const failures: string[] = [];
  const run = async (writer: Writer, index: number) => {
    const item = arena.items[index];
    if (item === undefined || index >= Math.ceil(atOnce * (writer.share ?? 1))) return;
    await wait(Math.random() * startMs);
    const outcome = await writer.run(arena, item, index).catch((error: unknown) => String(error));
    const failed = typeof outcome === 'string' || (outcome?.statusCode ?? 200) >= 500;
    const said = typeof outcome === 'string' ? outcome : outcome?.statusCode;
    if (failed) failures.push(`${writer.name}, at once with ${other.name} or ${one.name}: ${said}`);
  };
  await Promise.all(arena.items.flatMap((_, index) => [run(one, index), run(other, index)]));
  return failures;
}

/** Deadlocks that PostgreSQL has detected in this database. It counts them when their sessions end. */
async function deadlocks(): Promise<number> {
  const client = new pg.Client({ connectionString: testServer ?? '' });
  await client.connect();
  try {
    const { rows } = await client.query<{ deadlocks: string }>(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = $1',
      [new URL(options.databaseUrl ?? '').pathname.slice(1)],
    );
    return Number(rows[0]?.deadlocks);
  } finally {
    await client.end();
  }
}

for (const [index, one] of writers.entries()) {
  t.test(`${one.name} succeeds concurrently with every other writer`, async (t) => {
    // Keys that were rotated earlier expire.
    api.clock.advanceSeconds(600);
    // Every unordered pair; on the embedded database each writer with itself.
    const others = real ? writers.slice(index) : [one];
    const failures: string[] = [];
    const lane = async () => {
      for (let other = others.shift(); other !== undefined; other = others.shift()) {
        failures.push(...(await failuresOf(one, other)));
      }
    };
    await Promise.all(Array.from({ length: pairsAtOnce }, lane));
    t.same([...new Set(failures)], []);
  });
}

t.test('no transaction of any writer conflicts with another one', async (t) => {
  t.same(log.lines, []);
  await api.app.close();
  await database.close();
  if (real) t.equal(await deadlocks(), 0);
});
