import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { withQueryRaw } from '../../support/faults/with-query-raw.js';
import { createTenant } from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';
import { captureLog } from '../../support/server/captured-log.js';
import { exchange, listen } from '../../support/server/sockets.js';
import t from '../../support/tap.js';

const [info, warn] = [30, 40];

const log = captureLog();
const finished: (() => void)[] = [];
const api = await buildTestApp(t, {
  logger: log.logger,
  observers: [{ finished: () => finished.shift()?.() }],
});
const port = await listen(api.app);
const { application } = await createTenant(api.database);
const authorization = `Authorization: Bearer ${await api.token(application)}`;

const form = 'Content-Type: application/x-www-form-urlencoded';
const uploads = {
  'a form with a length': [
    'POST /v1/oauth/token HTTP/1.1',
    form,
    'Content-Length: 1000',
    '',
    'grant_type=client',
  ],
  'a chunked form': ['POST /v1/oauth/token HTTP/1.1', form, 'Transfer-Encoding: chunked', '', '5\r\ngrant'],
  'a form of a page': ['POST /sign_in HTTP/1.1', form, 'Content-Length: 1000', '', 'email=a'],
  'a JSON body': [
    'POST /v1/reports HTTP/1.1',
    authorization,
    'Content-Type: application/json',
    'Content-Length: 1000',
    '',
    '{"title":',
  ],
};

const endings: Record<string, (socket: Socket) => void> = {
  'closes the connection': (socket) => socket.destroy(),
  'resets the connection': (socket) => socket.resetAndDestroy(),
  'ends its side of the connection': (socket) => socket.end(),
};

/** Lines of the level warn or above. */
const alarms = () => log.lines.filter((line) => JSON.parse(line).level >= warn);

for (const [ending, leave] of Object.entries(endings)) {
  t.test(`logs an aborted request and no error when a client ${ending} during an upload`, async (t) => {
    const alarmed = alarms().length;
    for (const [upload, [requestLine, ...rest]] of Object.entries(uploads)) {
      const known = log.done().length;
      const accepted = once(api.app.server, 'connection');
      const socket = net.connect(port, '127.0.0.1');
      socket.on('error', () => {}).resume();
      await once(socket, 'connect');
      const [served] = (await accepted) as [Socket];
      const closed = new Promise((resolve) => served.once('close', resolve));
      const received = new Promise<void>((resolve) => api.app.server.once('request', () => resolve()));
      const done = new Promise<void>((resolve) => finished.push(resolve));
      socket.write([requestLine, 'Host: x', ...rest].join('\r\n'));
      await received;
      leave(socket);
      await done;
      await closed;
      t.match(log.done().slice(known), [{ level: info, aborted: true }], upload);
    }
    // The server handles an error after the end of the request, when the connection is closed.
    await turn();
    t.same(alarms().slice(alarmed), []);
  });
}

t.test('logs a socket error of the database as a failure, with 503', async (t) => {
  // As node:net reports it: the error does not identify the connection.
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
  const database = withQueryRaw(api.database, () => Promise.reject(reset));
  const broken = await buildTestApp(t, { database, logger: log.logger });
  const alarmed = alarms().length;
  const bytes = 'GET /people HTTP/1.1\r\nHost: x\r\nCookie: session=x\r\n\r\n';
  const [response] = await exchange(await listen(broken.app), bytes, { expect: 1 });
  t.equal(response?.statusCode, 503);
  t.match(JSON.parse(response?.body ?? '{}'), { code: 'service_unavailable' });
  t.equal(alarms().length, alarmed + 2, 'the cause and the request');
});
