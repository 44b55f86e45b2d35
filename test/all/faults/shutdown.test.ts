import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { DatabaseOptions } from '../../../src/platform/database/client.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { createTestDatabase, testServer } from '../../support/database/database.js';
import { type ServerProcess, startServerProcess } from '../../support/processes/server-process.js';
import { createTenant, makeEmployees } from '../../support/records/tenant.js';
import { requestRaw } from '../../support/server/sockets.js';
import t, { type Test } from '../../support/tap.js';

// The tests of this file mostly wait.
t.jobs = 4;

const onPostgresql = { skip: testServer === undefined && 'the embedded database serves one process' };

/** A server process, on PostgreSQL or the embedded database. */
async function start(t: Test, environment: Record<string, string> = {}, options?: DatabaseOptions) {
  const { databaseUrl = '', dataDir } = options ?? (await createTestDatabase(t));
  const server = await startServerProcess(t, {
    databaseUrl,
    environment: { DATA_DIR: dataDir, DEMO_DATA: 'false', ...environment },
  });
  return { ...server, port: Number(new URL(server.url).port) };
}

const body = 'grant_type=client_credentials&client_id=unknown&client_secret=wrong';
const head = [
  'POST /v1/oauth/token HTTP/1.1',
  'Host: api.test',
  'Content-Type: application/x-www-form-urlencoded',
  `Content-Length: ${body.length}`,
  '',
  '',
].join('\r\n');

t.test('a request that is under way at SIGTERM is completed, and the process exits with 0', async (t) => {
  const { port, url, stop } = await start(t);
  const socket = net.connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes;
  });
  socket.write(head + body.slice(0, 10));
  // The response to a later request shows that the server has read the start of the first one.
  await fetch(`${url}/healthz`);
  const exited = stop();
  while (await fetch(`${url}/healthz`).catch(() => undefined)) await wait(10);
  socket.write(body.slice(10));
  await once(socket, 'close');
  t.match(received, /^HTTP\/1\.1 401 /);
  t.match(received, /\r\nconnection: close\r\n/i);
  t.match(received, /"code":"invalid_client"/);
  t.equal(await exited, 0);
});

t.test(
  'requests that do not finish are closed after a time limit, and the process exits with 0',
  async (t) => {
    const { port, url, stop } = await start(t);
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(head + body.slice(0, 10));
    await fetch(`${url}/healthz`);
    t.equal(await stop(), 0);
  },
);

t.test('a download that is closed when the process exits does not look complete', async (t) => {
  const options = await createTestDatabase(t);
  const database = await openDatabase(options);
  // Larger than the buffers of a connection.
  const employees = makeEmployees(8_000, { department: 'd'.repeat(1_250) });
  const { application } = await createTenant(database, { employees });
  await database.close();
  const { port, url, stop } = await start(t, {}, options);
  const form = {
    grant_type: 'client_credentials',
    client_id: application.clientId,
    client_secret: application.clientSecret,
  };
  const granted = await fetch(`${url}/v1/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token: token } = (await granted.json()) as { access_token: string };
  const created = await fetch(`${url}/v1/reports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Everybody' }),
  });
  const { data } = (await created.json()) as { data: { id: string } };
  const download = requestRaw(t, port, [
    // Its body ends with the connection.
    `GET /v1/reports/${data.id}/results.csv HTTP/1.0`,
    `Authorization: Bearer ${token}`,
  ]);
  await once(download.socket, 'readable');
  t.equal(await stop(), 0);
  const { text, reset } = await download.readAll();
  t.match(text.slice(0, 15), 'HTTP/1.1 200 OK');
  t.ok(reset, 'the connection was reset');
});

t.test('the process reports that it is not ready before it closes its port', async (t) => {
  const { url, stop } = await start(t, { SHUTDOWN_NOTICE: '2' });
  const exited = stop();
  let status = 200;
  while (status === 200) status = (await fetch(`${url}/readyz`)).status;
  t.equal(status, 503);
  t.equal((await fetch(`${url}/.well-known/jwks.json`)).status, 200, 'the server still responds');
  t.equal(await exited, 0);
});

t.test(
  'a rolling restart of two processes behind a load balancer loses no request',
  onPostgresql,
  async (t) => {
    const options = await createTestDatabase(t);
    const database = await openDatabase(options);
    t.teardown(() => database.close());
    const startOne = () =>
      startServerProcess(t, {
        databaseUrl: options.databaseUrl ?? '',
        environment: { SHUTDOWN_NOTICE: '3' },
      });
    let servers: ServerProcess[] = await Promise.all([startOne(), startOne()]);
    const balancer = await startBalancer(t, () => servers.map(({ url }) => url));
    let done = false;
    const failures: unknown[] = [];
    let responses = 0;
    const clients = Array.from({ length: 6 }, async () => {
      const agent = new http.Agent({ keepAlive: true });
      while (!done) {
        const status = await get(`${balancer}/v1/reports`, agent).catch((error) => String(error));
        if (status !== 401) failures.push(status);
        responses += 1;
      }
      agent.destroy();
    });
    try {
      for (const index of [0, 1]) {
        const old = servers[index];
        const fresh = await startOne();
        const before = responses;
        while (responses < before + 50) await wait(10);
        // The load balancer uses the old server until its /readyz responds with 503.
        servers = [...servers, fresh];
        t.equal(await old?.stop(), 0);
        servers = servers.filter((server) => server !== old);
      }
    } finally {
      done = true;
      await Promise.all(clients);
    }
    t.same(failures, []);
    t.ok(responses > 100);
  },
);

function get(url: string, agent: http.Agent): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}

/** Forwards requests to the ready servers in turn. */
async function startBalancer(t: Test, addresses: () => string[]): Promise<string> {
  const ready = new Set<string>();
  const agent = new http.Agent({ keepAlive: true });
  const look = async () => {
    await Promise.all(
      addresses().map(async (address) => {
        const response = await fetch(`${address}/readyz`).catch(() => undefined);
        await response?.arrayBuffer();
        if (response?.status === 200) ready.add(address);
        else ready.delete(address);
      }),
    );
    for (const address of ready) if (!addresses().includes(address)) ready.delete(address);
  };
  await look();
  let looking = false;
  const timer = setInterval(async () => {
    if (looking) return;
    looking = true;
    await look();
    looking = false;
  }, 100);
  let turn = 0;
  const balancer = http.createServer((incoming, outgoing) => {
    const candidates = [...ready];
    turn += 1;
    const address = candidates[turn % candidates.length];
    const onward = http.request(
      `${address}${incoming.url}`,
      { method: incoming.method, agent },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502);
        response.pipe(outgoing);
      },
    );
    onward.on('error', () => {
      outgoing.writeHead(502);
      outgoing.end();
    });
    onward.end();
  });
  balancer.listen(0, '127.0.0.1');
  await once(balancer, 'listening');
  t.teardown(() => {
    clearInterval(timer);
    agent.destroy();
    balancer.closeAllConnections();
    balancer.close();
  });
  return `http://127.0.0.1:${(balancer.address() as net.AddressInfo).port}`;
}
