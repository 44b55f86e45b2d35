import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { IdleLimits } from '../../../src/platform/http/connections.js';
import { buildTestApp } from '../../support/server/app.js';
import { listen } from '../../support/server/sockets.js';
import t, { type Test } from '../../support/tap.js';
import { until } from '../../support/until.js';

/** Responses of 20 MB in total, much more than the buffers of the system hold. */
const requests = 'GET /openapi/v1.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100);

const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9';
const stalled = `POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\n${form}\r\n\r\ngrant`;

interface Connection {
  readonly client: Socket;
  /** The socket of the server. */
  readonly accepted: Socket;
}

/** A client that sends its requests and reads nothing until it is resumed. */
async function connect(t: Test, app: FastifyInstance, bytes: string): Promise<Connection> {
  const connected = once(app.server, 'connection');
  const { port } = app.server.address() as net.AddressInfo;
  const client = net.connect(port, '127.0.0.1').pause();
  client.on('error', () => {});
  t.teardown(() => client.destroy());
  const [accepted] = (await connected) as [Socket];
  client.write(bytes);
  return { client, accepted };
}

t.test('closes a connection whose responses are not read, or whose request stops in its body', async (t) => {
  const { app } = await buildTestApp(t, { idleLimits: { idleMs: 1_000, intervalMs: 200 } });
  await listen(app);
  for (const bytes of [requests, stalled]) {
    const { accepted } = await connect(t, app, bytes);
    await once(accepted, 'close');
    t.ok(accepted.destroyed);
  }
});

t.test('counts the time without traffic', async (t) => {
  // The timer of a socket does not fire, and the test reports its intervals instead.
  const limits: IdleLimits = { idleMs: 10_000_000, intervalMs: 1_000_000 };
  const { app } = await buildTestApp(t, { idleLimits: limits });
  await listen(app);
  let now = 0;
  t.intercept(performance, 'now', { value: () => now });
  /** Intervals after which Node.js reports that nothing was sent or received. */
  const report = ({ accepted }: Connection, intervals: number) => {
    for (let interval = 0; interval < intervals; interval += 1) {
      now += limits.intervalMs;
      app.server.emit('timeout', accepted);
    }
  };
  const openTo = async (t: Test, bytes: string, isReached: (accepted: Socket) => boolean) => {
    const connection = await connect(t, app, bytes);
    await until(() => isReached(connection.accepted));
    return connection;
  };
  const unread = (t: Test) => openTo(t, requests, ({ writableLength }) => writableLength > 0);

  for (const [what, open] of Object.entries({
    'whose responses are not read': unread,
    'whose request stops in its body': (t: Test) =>
      openTo(t, stalled, ({ bytesRead }) => bytesRead === stalled.length),
  })) {
    t.test(`closes a connection ${what} after the time limit, and not before`, async (t) => {
      const connection = await open(t);
      report(connection, 9);
      t.notOk(connection.accepted.destroyed);
      report(connection, 1);
      t.ok(connection.accepted.destroyed);
    });
  }

  t.test('starts again after an interval for which Node.js reports nothing', async (t) => {
    const connection = await unread(t);
    report(connection, 9);
    now += limits.intervalMs;
    report(connection, 9);
    t.notOk(connection.accepted.destroyed);
    report(connection, 1);
    t.ok(connection.accepted.destroyed);
  });

  t.test('keeps a connection whose client reads slowly', async (t) => {
    const connection = await unread(t);
    const { client, accepted } = connection;
    const sent = () => accepted.bytesWritten - accepted.writableLength;
    for (let round = 0; round < 4; round += 1) {
      report(connection, 9);
      const before = sent();
      // The system accepts more bytes when a part of its buffer is free. One part is read at a time, so that the client cannot read
      // everything while this test waits.
      await until(async () => {
        const read = once(client, 'data');
        client.once('data', () => client.pause()).resume();
        await read;
        return sent() > before;
      });
    }
    t.ok(accepted.writableLength > 0, 'more is waiting');
    t.notOk(accepted.destroyed);
    report(connection, 10);
    t.ok(accepted.destroyed, 'when it stops reading');
  });

  t.test('keeps a connection that is used again before the time limit', async (t) => {
    const connection = await openTo(t, '', () => true);
    const { client, accepted } = connection;
    client.resume();
    for (let round = 0; round < 4; round += 1) {
      const arrived = once(app.server, 'request');
      client.write(stalled);
      await arrived;
      report(connection, 9);
      t.notOk(accepted.destroyed);
      client.write('_typ');
      await once(client, 'data');
    }
  });
});
