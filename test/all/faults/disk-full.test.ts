import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import type { Database } from '../../../src/platform/database/client.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { createTestDatabase, onEmbedded } from '../../support/database/database.js';
import { query } from '../../support/database/query.js';
import { createSmallDisk } from '../../support/faults/disk.js';
import {
  type ServerProcess,
  spawnServerProcess,
  startServerProcess,
} from '../../support/processes/server-process.js';
import { createTenant, type TestApplication } from '../../support/records/tenant.js';
import t, { type Test } from '../../support/tap.js';

const mebibyte = 2 ** 20;

/** Bytes of a segment of the write-ahead log, which is created with its full size. */
const segment = 16 * mebibyte;

/** A server with an embedded database, on a disk whose free space the test controls. */
async function setUp(t: Test, { logUsed = 0 } = {}) {
  const { dataDir } = await createTestDatabase(t, { engine: 'embedded' });
  const database = await openDatabase({ dataDir });
  const { application } = await createTenant(database);
  await useLog(database, logUsed);
  await database.close();
  const disk = createSmallDisk(dataDir);
  const options = {
    databaseUrl: '',
    environment: { DATA_DIR: dataDir, DEMO_DATA: 'false', ...disk.environment },
  };
  return {
    disk,
    /** A start that may fail. */
    spawn: () => spawnServerProcess(t, options),
    start: async () => connect(await startServerProcess(t, options), application),
  };
}

/** Writes to the log until its segment contains a number of bytes. */
async function useLog(database: Database, bytes: number): Promise<void> {
  const text = `SELECT ((pg_current_wal_insert_lsn() - '0/0') % ${segment})::int AS used`;
  while (((await query<{ used: number }>(database, text))[0]?.used ?? bytes) < bytes) {
    await query(database, `SELECT pg_logical_emit_message(false, '', repeat('x', 20000))::text`);
  }
}

type Connected = ServerProcess & Client;

interface Client {
  get(path: string): Promise<Response>;
  create(report: ReportRequest): Promise<Response>;
  /** All stored reports, as they were sent. */
  stored(): Promise<ReportRequest[]>;
}

interface ReportRequest {
  readonly title: string;
  readonly filters: readonly object[];
}

async function connect(server: ServerProcess, application: TestApplication): Promise<Connected> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: application.clientId,
    client_secret: application.clientSecret,
  });
  const response = await fetch(`${server.url}/v1/oauth/token`, { method: 'POST', body });
  const { access_token } = (await response.json()) as { access_token: string };
  const ask = (path: string, { headers, ...init }: RequestInit = {}) =>
    fetch(`${server.url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${access_token}`, ...headers },
    });
  return {
    ...server,
    get: (path) => ask(path),
    create: (report) =>
      ask('/v1/reports', {
        method: 'POST',
        body: JSON.stringify(report),
        headers: { 'content-type': 'application/json' },
      }),
    async stored() {
      const list = await ask('/v1/reports?page[size]=500');
      if (list.status !== 200) throw new Error(`The list is ${list.status}`);
      const { data } = (await list.json()) as { data: { attributes: ReportRequest }[] };
      return data.map(({ attributes: { title, filters } }) => ({ title, filters }));
    },
  };
}

/** A report that does not compress, near the maximum size of a body. */
function makeReport(): ReportRequest {
  const text = () => randomBytes(188).toString('base64url');
  const value = () => Array.from({ length: 80 }, text);
  const filters = ['department', 'status', 'last_name'].map((field) => ({
    field,
    operator: 'in',
    value: value(),
  }));
  return { title: text(), filters };
}

/** Saves reports until one is rejected. Acknowledged reports are added to the list. */
async function createUntilRejected(t: Test, { create }: Client, acknowledged: ReportRequest[]) {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const report = makeReport();
    const response = await create(report);
    if (response.status === 201) {
      acknowledged.push(report);
      continue;
    }
    t.equal(response.status, 503);
    t.match(response.headers.get('content-type'), /^application\/problem\+json/);
    t.match(response.headers.get('retry-after'), /^[1-9]\d*$/);
    t.match(await response.json(), { code: 'service_unavailable', status: 503 });
    return;
  }
  throw new Error('The disk did not become full');
}

const inOrder = (reports: readonly ReportRequest[]) => reports.map((report) => JSON.stringify(report)).sort();

t.test('a write on a full disk is 503, and succeeds when there is space again', onEmbedded, async (t) => {
  const { disk, start } = await setUp(t);
  const acknowledged: ReportRequest[] = [];
  let server = await start();
  for (const end of ['kill', 'stop'] as const) {
    await disk.fill(mebibyte / 2);
    await createUntilRejected(t, server, acknowledged);
    t.ok(acknowledged.length > 1, 'after some valid batches');
    t.equal((await server.get('/v1/employees')).status, 200, 'reads continue');
    t.same(
      inOrder(await server.stored()),
      inOrder(acknowledged),
      'nothing of the rejected request is stored',
    );
    t.match(server.output(), /No space left on device/, 'the log has the reason');
    await disk.makeRoom();
    t.equal((await server.create(makeReport())).status, 201);
    acknowledged.splice(0, Infinity, ...(await server.stored()));
    await disk.fill();
    await createUntilRejected(t, server, acknowledged);
    await server[end]();
    await disk.makeRoom();
    server = await start();
    t.same(inOrder(await server.stored()), inOrder(acknowledged), `all rows are stored after a ${end}`);
    const report = makeReport();
    t.equal((await server.create(report)).status, 201, 'more rows can be written');
    acknowledged.push(report);
  }
});

t.test(
  'a first start on a full disk reports it, and does not prevent the next start',
  onEmbedded,
  async (t) => {
    const dataDir = t.testdir({});
    const disk = createSmallDisk(dataDir);
    await disk.fill(mebibyte);
    const environment = { DATA_DIR: dataDir, ...disk.environment };
    const server = await spawnServerProcess(t, { databaseUrl: '', environment });
    t.equal(await server.ended, 1);
    t.match(
      server.output(),
      /^DATA_DIR: no database can be created in [^\n]*: ENOSPC: no space left on device[^\n]*\n$/,
    );
    await disk.makeRoom();
    t.same(await readdir(dataDir), []);
  },
);

t.test(
  'a full disk for the write-ahead log stops the process without loss of data',
  onEmbedded,
  async (t) => {
    // A start in the last quarter of a segment would create the next one.
    const { disk, spawn, start } = await setUp(t, { logUsed: (segment * 3) / 4 - mebibyte / 8 });
    const acknowledged: ReportRequest[] = [];
    let server = await start();
    await disk.fill(segment / 2);
    await createUntilRejected(t, server, acknowledged);
    t.equal(await server.ended, 1, 'it ends without an abort');
    t.match(
      server.output(),
      /"level":60,.*the embedded database has stopped: could not write .*No space left on device/,
    );

    const early = await spawn();
    t.equal(await early.ended, 1, 'it does not start without free space');
    t.match(
      early.output(),
      /^DATA_DIR: .* does not open: .*No space left on device\n$/,
      'prints the reason in one line',
    );

    await disk.makeRoom();
    server = await start();
    const stored = inOrder(await server.stored());
    t.same(
      inOrder(acknowledged).filter((report) => !stored.includes(report)),
      [],
      'acknowledged rows are stored',
    );
    t.equal(stored.length, acknowledged.length, 'and nothing else');
    t.equal((await server.create(makeReport())).status, 201, 'more rows can be written');
    t.equal(await server.stop(), 0);
  },
);
