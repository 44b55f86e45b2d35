import { openDatabase } from '../../../src/platform/database/open-database.js';
import { noAccount } from '../../../src/platform/database/scope.js';
import { describeFailure } from '../../../src/process/operator-errors.js';
import { createTestDatabase, openTestDatabase, testServer } from '../../support/database/database.js';
import { asOwner } from '../../support/database/owner.js';
import { startDatabaseProxy } from '../../support/faults/database-proxy.js';
import t from '../../support/tap.js';

const onPostgresql = { skip: testServer === undefined };

t.test('a connection that is lost during its checkout does not stop the process', onPostgresql, async (t) => {
  const options = await createTestDatabase(t, { direct: true });
  const control = await openTestDatabase(t, { direct: true });
  const proxy = await startDatabaseProxy(t, options.databaseUrl ?? '');
  const database = await openDatabase({ ...options, databaseUrl: proxy.url, poolSize: 1 });
  t.teardown(() => database.close());
  const read = (text: string) => database.runPrepared<{ value: string }>({ name: text, text }, [], noAccount);
  const [row] = await read('SELECT pg_backend_pid()::text AS value');

  // The response and the end of the session reach the driver at once, while a transaction waits for the session.
  proxy.pauseResponses();
  const first = read('SELECT 1::text AS value');
  const next = database.prisma.$transaction(async (tx) => tx.$queryRaw`SELECT 2 AS two`);
  await idle(control, row?.value ?? '');
  await asOwner(control, `SELECT pg_terminate_backend(${row?.value})::text`);
  await ended(control, row?.value ?? '');
  proxy.restore();

  t.same(await first, [{ value: '1' }], 'received rows are returned');
  const lost = await next.then(
    () => undefined,
    (error: unknown) => error,
  );
  t.match(
    describeFailure(lost),
    /^The database is unavailable: [^\n]+$/,
    'the transaction that got the session fails',
  );
  t.same(await read('SELECT 3::text AS value'), [{ value: '3' }], 'the next query gets a new session');
});

type Control = Awaited<ReturnType<typeof openTestDatabase>>;

/** Waits until a session is idle. */
async function idle(control: Control, pid: string): Promise<void> {
  const text = `SELECT state FROM pg_stat_activity WHERE pid = ${pid} AND query LIKE '%SELECT 1::text%'`;
  for (;;) {
    const [session] = await asOwner<{ state: string }>(control, text);
    if (session?.state === 'idle') return;
  }
}

async function ended(control: Control, pid: string): Promise<void> {
  const text = `SELECT count(*)::int AS sessions FROM pg_stat_activity WHERE pid = ${pid}`;
  for (;;) {
    const [counted] = await asOwner<{ sessions: number }>(control, text);
    if (counted?.sessions === 0) return;
  }
}
