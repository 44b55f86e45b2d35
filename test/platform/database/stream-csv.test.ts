import { type Database, Prisma } from '../../../src/platform/database/client.js';
import { openTestDatabase } from '../../support/database/database.js';
import { asOwner } from '../../support/database/owner.js';
import t from '../../support/tap.js';
import { until } from '../../support/until.js';

// One connection, so that each export reuses that of the previous one, if it was released.
const database = await openTestDatabase(t, { streamPoolSize: 1 });
const onServer = database.kind === 'postgresql' ? {} : { skip: 'the embedded database has one connection' };
/** Options of a test of what COPY requires or rejects. */
const onCopy = database.isDistributed() ? { skip: 'a distributed database uses a cursor' } : onServer;

async function read(query: Prisma.Sql, { streamCsv }: Database = database): Promise<string> {
  const { signal } = new AbortController();
  const chunks: Buffer[] = [];
  for await (const chunk of streamCsv({ query, signal })) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const backend = Prisma.sql`SELECT pg_backend_pid()::text AS pid`;
const endless = Prisma.sql`
  SELECT pg_backend_pid()::text AS pid, repeat('x', 1000) FROM generate_series(1, 10000000) AS n`;

/** Waits until a session has ended. */
async function ended(pid: string): Promise<void> {
  const text = `SELECT 1 FROM pg_stat_activity WHERE pid = ${pid}`;
  await until(async () => (await asOwner(database, text)).length === 0);
}

/** Starts an export whose first column is the id of the server process, and reads the first row. */
async function begin(query: Prisma.Sql, signal = new AbortController().signal) {
  const chunks = database.streamCsv({ query, signal });
  let csv = '';
  while (csv.split('\n').length < 3) csv += (await chunks.next()).value;
  const [pid = ''] = csv.split('\n')[1]?.split(',') ?? [];
  return { chunks, pid };
}

async function readRest(chunks: AsyncIterable<Buffer>): Promise<void> {
  for await (const _chunk of chunks);
}

t.test('writes names, NULL, empty texts and quotes as COPY does', async (t) => {
  const query = Prisma.sql`
    SELECT * FROM (VALUES (NULL, '', 'x'), ('"', 'a,b', NULL::text)) AS rows ("a", "B,b", "say ""c""")`;
  t.equal(await read(query), 'a,"B,b","say ""c"""\n,"",x\n"""","a,b",\n');
});

t.test('passes values as data, whatever they contain', async (t) => {
  for (const value of ["'", '"', '\\', '$1', "current_setting('x')", '{a,"b"}', '', ' ', 'ü😀', 'a\r\nb']) {
    const list = [value, '', 'NULL', '{}'];
    const hex = Buffer.from(value).toString('hex');
    const query = Prisma.sql`
      SELECT encode(convert_to(${value}::text, 'UTF8'), 'hex') AS hex, cardinality(${list}::text[])::text AS size,
        encode(convert_to((${list}::text[])[1], 'UTF8'), 'hex') AS first`;
    const cell = hex === '' ? '""' : hex;
    t.equal(await read(query), `hex,size,first\n${cell},4,${cell}\n`, value);
  }
});

t.test('rejects a value that contains NUL', async (t) => {
  await t.rejects(read(Prisma.sql`SELECT ${'a\0b'}::text AS a`), /invalid byte sequence|0x00/);
});

t.test('rejects a value that is neither text nor a list of texts', onCopy, async (t) => {
  for (const value of [1, null, true, new Date(), [1], { a: 1 }]) {
    await t.rejects(read(Prisma.sql`SELECT ${value}::text AS a`), TypeError);
  }
});

t.test('rejects a statement that writes', onCopy, async (t) => {
  const query = Prisma.sql`DELETE FROM accounts RETURNING id`;
  await t.rejects(read(query), { code: '25006' });
});

t.test('does not see a parameter of the previous export', onServer, async (t) => {
  t.equal(
    await read(Prisma.sql`SELECT ${'first'}::text AS a, ${'second'}::text AS b`),
    'a,b\nfirst,second\n',
  );
  t.equal(
    await read(Prisma.sql`SELECT coalesce(current_setting('people_api.p2', true), '') AS b`),
    'b\n""\n',
  );
  t.equal(await read(Prisma.sql`SELECT ${'third'}::text AS a`), 'a\nthird\n');
});

t.test('uses a connection again after a complete export', onServer, async (t) => {
  const direct = await openTestDatabase(t, { streamPoolSize: 1, direct: true });
  t.equal(await read(backend, direct), await read(backend, direct));
});

t.test('closes the session when the consumer stops reading', onServer, async (t) => {
  const { chunks, pid } = await begin(endless);
  await chunks.return();
  await ended(pid);
  t.not(await read(backend), `pid\n${pid}\n`);
});

t.test('closes the session and rejects when the signal aborts', onServer, async (t) => {
  const abort = new AbortController();
  const { chunks, pid } = await begin(endless, abort.signal);
  abort.abort();
  await ended(pid);
  await t.rejects(readRest(chunks));
  t.not(await read(backend), `pid\n${pid}\n`);
});

t.test('closes the session when the statement fails', onServer, async (t) => {
  await t.rejects(read(Prisma.sql`SELECT (1 / 0)::text AS a`), { code: '22012' });
  const late = Prisma.sql`
    SELECT pg_backend_pid()::text AS pid, (100000 / (100000 - n))::text AS a FROM generate_series(1, 100000) AS n`;
  const { chunks, pid } = await begin(late);
  await t.rejects(readRest(chunks), { code: '22012' });
  await ended(pid);
  t.not(await read(backend), `pid\n${pid}\n`);
});

t.test('connects again after its session is lost', onServer, async (t) => {
  const { chunks, pid } = await begin(endless);
  await asOwner(database, `SELECT pg_terminate_backend(${pid})`);
  await t.rejects(readRest(chunks));
  t.not(await read(backend), `pid\n${pid}\n`);
});

t.test('its memory use does not grow with the result', onServer, async (t) => {
  // The rows of a cursor pass through the young objects of the heap, which take up to 192 MB in a test.
  const [rows, limit] = database.isDistributed() ? [1_000_000, 500e6] : [200_000, 100e6];
  let bytes = 0;
  const before = process.memoryUsage().rss;
  let most = 0;
  const query = Prisma.sql`SELECT repeat('x', 1000) AS x FROM generate_series(1, ${String(rows)}::int) AS n`;
  for await (const chunk of database.streamCsv({ query, signal: new AbortController().signal })) {
    bytes += chunk.length;
    most = Math.max(most, process.memoryUsage().rss - before);
  }
  t.equal(bytes, 2 + rows * 1001);
  t.ok(most < limit, `${most} bytes`);
});
