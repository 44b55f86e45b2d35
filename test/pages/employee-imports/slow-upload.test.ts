import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { hiddenFields, multipart } from '../../support/browser/browser.js';
import { importPath } from '../../support/browser/import-pages.js';
import { createScene, signedInBrowser } from '../../support/oauth/users.js';
import { makeRecords, toCsv } from '../../support/records/import.js';
import { buildTestApp } from '../../support/server/app.js';
import t, { type Test } from '../../support/tap.js';

// The tests of this file mostly wait.
t.jobs = 3;

const api = await buildTestApp(t);
const { database, app } = api;
await app.listen({ host: '127.0.0.1', port: 0 });
const { port } = app.server.address() as net.AddressInfo;

/** Opens a connection and sends the headers of an upload. */
async function begin(t: Test, { signedIn }: { signedIn: boolean }) {
  const { accountId, user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const fields = hiddenFields((await browser.open(importPath)).body);
  const { body, contentType } = multipart(fields, { name: 'staff.csv', content: toCsv(makeRecords(12_000)) });
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

t.test('an upload may take longer than other requests', { timeout: 90_000 }, async (t) => {
  const { socket, body, imports, received } = await begin(t, { signedIn: true });
  // 40 seconds; other requests have 30.
  const parts = 20;
  for (let part = 0; part < parts; part += 1) {
    const size = Math.ceil(body.length / parts);
    socket.write(body.subarray(part * size, (part + 1) * size));
    await wait(2_000);
  }
  while (!received().includes('\r\n\r\n')) await wait(50);
  t.match(received(), /^HTTP\/1\.1 303 .*location: \/people\/employees\/imports\//is);
  t.equal(await imports(), 1);
  socket.write('GET /healthz HTTP/1.1\r\nHost: api.test\r\n\r\n');
  while (!received().includes('HTTP/1.1 200')) await wait(50);
  t.pass('the connection is used for the next request');
});

t.test('an upload that stalls is closed, and nothing is stored', { timeout: 90_000 }, async (t) => {
  const { socket, body, all, closed } = await begin(t, { signedIn: true });
  socket.write(body.subarray(0, 400_000));
  const begun = performance.now();
  await closed;
  const seconds = (performance.now() - begun) / 1000;
  t.ok(seconds > 20 && seconds < 60, `${seconds} s`);
  for (let tries = 0; tries < 100 && (await all()) > 0; tries += 1) await wait(50);
  t.equal(await all(), 0);
});

t.test(
  'without a session, an upload has the time limit of other requests',
  { timeout: 90_000 },
  async (t) => {
    const { socket, body, all, closed, received } = await begin(t, { signedIn: false });
    socket.write(body.subarray(0, 100));
    const begun = performance.now();
    await closed;
    t.ok(performance.now() - begun < 45_000);
    t.match(received(), /^HTTP\/1\.1 303 /);
    t.equal(await all(), 0);
  },
);

t.test('an upload whose client disconnects is deleted', async (t) => {
  const { socket, body, all } = await begin(t, { signedIn: true });
  socket.write(body.subarray(0, 500_000));
  while ((await all()) === 0) await wait(10);
  socket.destroy();
  for (let tries = 0; tries < 100 && (await all()) > 0; tries += 1) await wait(50);
  t.equal(await all(), 0);
});
