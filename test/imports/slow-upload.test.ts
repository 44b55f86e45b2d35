import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import net from 'node:net';
import { hiddenFields, multipart } from '../support/browser/browser.js';
import { importPath } from '../support/browser/import-pages.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { makeRecords, toCsv } from '../support/records/import.js';
import { buildTestApp } from '../support/server/app.js';
import { holdTimers } from '../support/server/timers.js';
import t, { type Test } from '../support/tap.js';
import { until } from '../support/until.js';

const api = await buildTestApp(t);
const { database, app } = api;
await app.listen({ host: '127.0.0.1', port: 0 });
const { port } = app.server.address() as net.AddressInfo;

/** Opens a connection and sends the headers of an upload. */
async function begin(t: Test, { signedIn }: { signedIn: boolean }) {
  const { accountId, user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const fields = hiddenFields((await browser.open(importPath)).body);
  const { body, contentType } = multipart(fields, { name: 'staff.csv', content: toCsv(makeRecords(5_000)) });
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => {});
  t.teardown(() => socket.destroy());
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes;
  });
  const closed = once(socket, 'close');
  socket.write(
    [
      `POST ${importPath} HTTP/1.1`,
      'Host: api.test',
      'Accept: text/html',
      `Content-Type: ${contentType}`,
      `Content-Length: ${body.length}`,
      ...(signedIn ? [`Cookie: session=${browser.cookies.get('session')}`] : []),
      '',
      '',
    ].join('\r\n'),
  );
  const imports = () => database.prisma.employeeImport.count({ where: { accountId, state: 'uploaded' } });
  const all = () => database.prisma.employeeImport.count({ where: { accountId } });
  return { socket, body, imports, all, closed, received: () => received };
}

/** Makes the time limit of requests so short that it expires at the next check of Node.js, after seconds. */
async function untilRequestTimeout(): Promise<void> {
  const { requestTimeout, headersTimeout } = app.server;
  // Node.js swaps them if the first one is shorter.
  Object.assign(app.server, { requestTimeout: 1, headersTimeout: 1 });
  const [error] = await once(app.server, 'clientError');
  Object.assign(app.server, { requestTimeout, headersTimeout });
  if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') throw error;
}

t.test('an upload may take longer than other requests', async (t) => {
  const { socket, body, imports, received } = await begin(t, { signedIn: true });
  const half = body.length / 2;
  socket.write(body.subarray(0, half));
  await untilRequestTimeout();
  socket.write(body.subarray(half));
  await until(() => received().includes('\r\n\r\n'));
  t.match(received(), /^HTTP\/1\.1 303 .*location: \/people\/employees\/imports\//is);
  t.equal(await imports(), 1);
  socket.write('GET /healthz HTTP/1.1\r\nHost: api.test\r\n\r\n');
  await until(() => received().includes('HTTP/1.1 200'));
  t.pass('the connection is used for the next request');
});

t.test('an upload that stalls for 30 seconds is closed, and nothing is stored', async (t) => {
  const timers = holdTimers(t);
  const arrived = once(app.server, 'request') as Promise<[IncomingMessage]>;
  const { socket, body, all, closed } = await begin(t, { signedIn: true });
  const [request] = await arrived;
  const checkMs = 5_000;
  let sent = 0;
  const send = async (bytes: number) => {
    const read = request.socket.bytesRead;
    socket.write(body.subarray(sent, sent + bytes));
    sent += bytes;
    await until(() => request.socket.bytesRead === read + bytes && !request.isPaused());
  };
  const pass = (checks: number) => {
    for (let check = 0; check < checks; check += 1) timers.advance(checkMs);
  };
  await until(() => timers.started(checkMs) === 1);
  for (let period = 0; period < 3; period += 1) {
    await send(64 * 1024);
    pass(1 + 5);
  }
  t.notOk(request.socket.destroyed, 'while enough arrives');
  await send(64 * 1024 - 1);
  t.equal(await all(), 1);
  pass(1);
  t.ok(request.socket.destroyed);
  await closed;
  await until(async () => (await all()) === 0);
});

t.test('without a session, an upload has the time limit of other requests', async (t) => {
  const { socket, body, all, closed, received } = await begin(t, { signedIn: false });
  socket.write(body.subarray(0, 100));
  t.equal(app.server.requestTimeout, 30_000);
  await until(() => received().includes('\r\n\r\n'));
  await untilRequestTimeout();
  await closed;
  t.match(received(), /^HTTP\/1\.1 303 /);
  t.equal(await all(), 0);
});

t.test('an upload whose client disconnects is deleted', async (t) => {
  const { socket, body, all } = await begin(t, { signedIn: true });
  socket.write(body.subarray(0, body.length / 2));
  await until(async () => (await all()) === 1);
  socket.destroy();
  await until(async () => (await all()) === 0);
});
