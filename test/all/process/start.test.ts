import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { createTestDatabase, onEmbedded, testServer } from '../../support/database/database.js';
import { runCommand } from '../../support/processes/cli.js';
import {
  spawnServerProcess,
  startServerProcess,
  untilReady,
} from '../../support/processes/server-process.js';
import { createTenant } from '../../support/records/tenant.js';
import t from '../../support/tap.js';

// The tests of this file mostly wait.
t.jobs = 2;

const onPostgresql = { skip: testServer === undefined && 'the embedded database serves one process' };

t.test('production without an https:// BASE_URL exits with 1 and one line', async (t) => {
  const { databaseUrl = '', dataDir } = await createTestDatabase(t);
  const production = { NODE_ENV: 'production', DATA_DIR: dataDir, ALLOW_EMBEDDED: 'true' };
  for (const baseUrl of ['', 'http://api.test']) {
    const environment = { ...production, BASE_URL: baseUrl };
    const server = await spawnServerProcess(t, { databaseUrl, environment });
    t.equal(await server.ended, 1);
    t.match(server.output(), /^BASE_URL must start with https:\/\/ [^\n]*ALLOW_HTTP=true[^\n]*\n$/);
  }
});

t.test('production starts with ALLOW_HTTP=true', async (t) => {
  const { databaseUrl = '', dataDir } = await createTestDatabase(t);
  const environment = {
    NODE_ENV: 'production',
    DATA_DIR: dataDir,
    ALLOW_HTTP: 'true',
    ALLOW_EMBEDDED: 'true',
  };
  const server = await startServerProcess(t, { databaseUrl, environment });
  t.equal(await server.stop(), 0);
});

t.test(
  'a second process on the embedded database exits with one line, the first one ends on SIGTERM or SIGKILL, and the next one starts',
  onEmbedded,
  async (t) => {
    const { dataDir } = await createTestDatabase(t, { engine: 'embedded' });
    const options = { databaseUrl: '', environment: { DATA_DIR: dataDir, DEMO_DATA: 'false' } };
    for (const end of ['stop', 'kill'] as const) {
      const first = await startServerProcess(t, options);
      const second = await spawnServerProcess(t, options);
      t.equal(await second.ended, 1);
      t.match(second.output(), /^DATA_DIR: [^\n]+ is in use by another process;[^\n]+\n$/);
      await first[end]();
      t.equal(await first.ended, end === 'stop' ? 0 : null);
    }
    t.equal(await (await startServerProcess(t, options)).stop(), 0);
  },
);

t.test(
  'one of two processes that start concurrently with different BASE_URLs exits',
  onPostgresql,
  async (t) => {
    const { databaseUrl = '' } = await createTestDatabase(t, { empty: true });
    const urls = ['http://one.test', 'http://two.test'];
    const servers = await Promise.all(
      urls.map((BASE_URL) => spawnServerProcess(t, { databaseUrl, environment: { BASE_URL } })),
    );
    const loser = await Promise.race(
      servers.map(async ({ ended }, index) => {
        await ended;
        return index;
      }),
    );
    t.equal(await servers[loser]?.ended, 1);
    t.match(servers[loser]?.output(), /^BASE_URL is [^\n]+ "npm run cli -- issuer set [^\n]+"\n$/);
    const winner = servers[1 - loser];
    if (winner === undefined) return t.fail('there are two');
    await untilReady(winner);
    t.equal(await winner.stop(), 0);
  },
);

t.test('a server with another BASE_URL exits until an operator sets the issuer', onPostgresql, async (t) => {
  const options = await createTestDatabase(t);
  const { databaseUrl = '' } = options;
  const database = await openDatabase(options);
  t.teardown(() => database.close());
  const { application } = await createTenant(database);
  const environment = { BASE_URL: 'http://moved.test' };
  const first = await startServerProcess(t, { databaseUrl });
  const token = await getToken(first.url, application);
  t.equal(await statusOf(first.url, token), 200);

  const rejected = await spawnServerProcess(t, { databaseUrl, environment });
  t.equal(await rejected.ended, 1);
  t.match(
    rejected.output(),
    /^BASE_URL is http:\/\/moved\.test, [^\n]* http:\/\/api\.test: [^\n]*issuer set http:\/\/moved\.test"\n$/,
  );
  t.match(await runCommand(t, options, ['issuer', 'set', 'http://moved.test']), { code: 0 });
  const moved = await startServerProcess(t, { databaseUrl, environment });
  t.equal(await statusOf(moved.url, token), 401, 'tokens of the earlier issuer are rejected');
  t.equal(await statusOf(moved.url, await getToken(moved.url, application)), 200);
});

t.test('the embedded database adopts another BASE_URL and logs a warning', onEmbedded, async (t) => {
  const { dataDir } = await createTestDatabase(t, { engine: 'embedded' });
  const start = (BASE_URL: string) =>
    startServerProcess(t, {
      databaseUrl: '',
      environment: { DATA_DIR: dataDir, DEMO_DATA: 'false', BASE_URL },
    });
  const first = await start('http://one.test');
  t.notMatch(first.output(), /BASE_URL/);
  t.equal(await first.stop(), 0);
  const second = await start('http://two.test');
  const warning = second
    .output()
    .split('\n')
    .find((line) => line.includes('BASE_URL has changed'));
  t.match(JSON.parse(warning ?? '{}'), { level: 40, from: 'http://one.test', to: 'http://two.test' });
  t.equal(await second.stop(), 0);
  const third = await start('http://two.test');
  t.notMatch(third.output(), /BASE_URL/);
});

t.test(
  'the startup message has demo credentials when the data exists, whatever DEMO_DATA is',
  onEmbedded,
  async (t) => {
    const filled = { DATA_DIR: t.testdir() };
    const first = await startServerProcess(t, { databaseUrl: '', environment: filled });
    t.match(first.output(), 'client_secret=demobackendsecret');
    t.match(first.output(), 'sign-in page: http://api.test/sign_in');
    await first.stop();
    const environment = { ...filled, DEMO_DATA: 'false' };
    const again = await startServerProcess(t, { databaseUrl: '', environment });
    t.match(again.output(), 'client_secret=demobackendsecret');
    await again.stop();

    const options = await createTestDatabase(t, { engine: 'embedded' });
    const database = await openDatabase(options);
    await createTenant(database);
    await database.close();
    const own = { DATA_DIR: options.dataDir, DEMO_DATA: 'true' };
    const { output } = await startServerProcess(t, { databaseUrl: '', environment: own });
    t.match(output(), 'sign-in page: http://api.test/sign_in');
    t.notMatch(output(), /demobackend|password/);
  },
);

t.test(
  'the embedded database with the demo data takes less than 500 MB at its first start',
  { skip: onEmbedded.skip || (!existsSync('/proc/self/status') && 'needs /proc') },
  async (t) => {
    const environment = { DATA_DIR: t.testdir() };
    const { pid, stop } = await startServerProcess(t, { databaseUrl: '', environment });
    const peak = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
    t.ok(Number(peak) < 500 * 1024, `${peak} kB`);
    t.equal(await stop(), 0);
  },
);

interface Client {
  readonly clientId: string;
  readonly clientSecret: string;
}

async function getToken(url: string, { clientId, clientSecret }: Client): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const response = await fetch(`${url}/v1/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  return ((await response.json()) as { access_token: string }).access_token;
}

async function statusOf(url: string, token: string): Promise<number> {
  return (await fetch(`${url}/v1/employees`, { headers: { authorization: `Bearer ${token}` } })).status;
}
