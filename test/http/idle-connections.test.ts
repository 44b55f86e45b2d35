import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { buildTestApp } from '../support/server/app.js';
import { listen } from '../support/server/sockets.js';
import t from '../support/tap.js';

const idleMs = 4_000;
const { app } = await buildTestApp(t, { idleLimits: { idleMs, intervalMs: 400 } });
const port = await listen(app);

/** Responses of 40 MB in total, much more than the buffers of the system hold. */
const requests = 'GET /openapi/v1.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200);

interface Connection {
  readonly client: Socket;
  /** The socket of the server. */
  readonly accepted: Socket;
}

/** A client that sends its requests and reads nothing until it is resumed. */
async function connect(bytes: string): Promise<Connection> {
  const connected = once(app.server, 'connection');
  const client = net.connect(port, '127.0.0.1').pause();
  client.on('error', () => {});
  t.teardown(() => client.destroy());
  const [accepted] = (await connected) as [Socket];
  client.write(bytes);
  return { client, accepted };
}

/** Milliseconds until the server closes a connection. */
async function lifetimeOf({ accepted }: Connection): Promise<number> {
  const started = performance.now();
  await once(accepted, 'close');
  return performance.now() - started;
}

/** Whether the connection of a client that reads 2 MB per second stays open. */
async function readSlowly({ client, accepted }: Connection): Promise<boolean> {
  let allowed = 0;
  client.on('data', ({ length }) => {
    allowed -= length;
    if (allowed <= 0) client.pause();
  });
  // A slower client would look idle: the system notifies the server only when a third of its buffer of 4 MB is free.
  for (const deadline = performance.now() + 2.5 * idleMs; performance.now() < deadline; ) {
    allowed = 512 * 1024;
    client.resume();
    await setTimeout(250);
  }
  return accepted.writableLength > 0 && !accepted.destroyed;
}

/** Whether the connection of a client that occasionally sends a request stays open. */
async function useAgain({ client, accepted }: Connection): Promise<boolean> {
  client.resume();
  for (let round = 0; round < 4; round += 1) {
    client.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await setTimeout(0.4 * idleMs);
  }
  return !accepted.destroyed;
}

// All of them at the same time, because each takes some seconds.
const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9';
const unread = lifetimeOf(await connect(requests));
const stalled = lifetimeOf(await connect(`POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\n${form}\r\n\r\ngrant`));
const isReadSlowly = readSlowly(await connect(requests));
const isUsedAgain = useAgain(await connect(''));

t.test(
  'closes a connection whose responses are not read after the time limit, and not after twice the limit',
  async (t) => {
    const lifetime = await unread;
    t.ok(lifetime >= idleMs && lifetime < 1.9 * idleMs, `${Math.round(lifetime)} ms`);
  },
);

t.test('closes a connection whose request stops in the middle of its body', async (t) => {
  const lifetime = await stalled;
  t.ok(lifetime >= idleMs && lifetime < 1.9 * idleMs, `${Math.round(lifetime)} ms`);
});

t.test('keeps a connection whose client reads slowly', async (t) => {
  t.ok(await isReadSlowly);
});

t.test('keeps a connection that is used again before the time limit', async (t) => {
  t.ok(await isUsedAgain);
});
