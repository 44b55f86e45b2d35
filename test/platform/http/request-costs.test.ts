import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import net from 'node:net';
import { testServer } from '../../support/database/database.js';
import { openBehindProxy } from '../../support/faults/database-proxy.js';
import { createScene, grantTokens } from '../../support/oauth/users.js';
import { insertEmployees } from '../../support/records/insert-employees.js';
import { createApplication, makeEmployees } from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';
import { listen, parseResponses } from '../../support/server/sockets.js';
import t from '../../support/tap.js';

const onPostgresql = { skip: testServer === undefined && 'the embedded database has no connections' };

/** What a request costs when it is alone. */
interface Costs {
  /** Statements that the server waits for: messages Sync. */
  roundTrips: number;
  /** Statements, with those that set the scope and the settings: messages Execute. */
  statements: number;
  /** Bytes to and from the database. */
  databaseBytes: number;
  responseBytes: number;
  /** Promises of the server, and one of the test. */
  promises: number;
}

// A change that needs more raises the limit and states in scripts/lab/bench/MECHANISMS.md what it gains.
const limits: Readonly<Record<string, Costs>> = {
  list: { roundTrips: 2, statements: 4, databaseBytes: 19_000, responseBytes: 19_000, promises: 32 },
  get: { roundTrips: 2, statements: 4, databaseBytes: 1_150, responseBytes: 850, promises: 26 },
  token: { roundTrips: 2, statements: 4, databaseBytes: 1_400, responseBytes: 1_200, promises: 45 },
  refresh: { roundTrips: 2, statements: 4, databaseBytes: 1_750, responseBytes: 1_200, promises: 47 },
};

/** Requests before the measured ones: they prepare statements and fill caches. */
const warmUps = 20;
const measured = 10;

/** Counts the messages that a server sends to PostgreSQL. @see PostgreSQL documentation, Message Formats */
class FrontendMessages {
  readonly counts = { execute: 0, sync: 0 };
  /** Bytes of the last message of a connection, which is incomplete. */
  readonly #rest = new Map<object, Buffer>();

  read(bytes: Buffer, connection: object): void {
    const rest = this.#rest.get(connection);
    let left = rest === undefined ? bytes : Buffer.concat([rest, bytes]);
    // The first message of a connection has no type.
    let typeLength = rest === undefined ? 0 : 1;
    while (left.length >= typeLength + 4) {
      const length = typeLength + left.readInt32BE(typeLength);
      if (left.length < length) break;
      const type = typeLength === 0 ? '' : String.fromCharCode(left[0] ?? 0);
      if (type === 'E') this.counts.execute += 1;
      if (type === 'S') this.counts.sync += 1;
      left = left.subarray(length);
      typeLength = 1;
    }
    this.#rest.set(connection, left);
  }
}

t.test('a request costs no more statements, bytes and promises than its limits', onPostgresql, async (t) => {
  const messages = new FrontendMessages();
  let databaseBytes = 0;
  const { database } = await openBehindProxy(t, {}, (bytes, sender, connection) => {
    databaseBytes += bytes.length;
    if (sender === 'server') messages.read(bytes, connection);
  });
  const api = await buildTestApp(t, { database });
  // Without those of OpenID Connect, which have work of their own.
  const scopes = [
    'reports:read',
    'reports:write',
    'user:read',
    'user:write',
    'webhooks:read',
    'webhooks:write',
  ];
  const scene = await createScene(database, { scopes });
  const [employeeId] = await insertEmployees(database.prisma, scene.accountId, makeEmployees(50));
  const { accessToken, refreshToken } = await grantTokens(api, scene);
  const service = await createApplication(database, scene.accountId, { scopes });
  const send = await connect(t, await listen(api.app));

  let promises = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'PROMISE') promises += 1;
    },
  }).enable();
  t.teardown(() => hook.disable());
  const measure = async (request: string): Promise<Costs & { body: string }> => {
    const before = { ...messages.counts, databaseBytes, promises };
    const { bytes, body } = await send(request);
    return {
      roundTrips: messages.counts.sync - before.sync,
      statements: messages.counts.execute - before.execute,
      databaseBytes: databaseBytes - before.databaseBytes,
      responseBytes: bytes,
      promises: promises - before.promises,
      body,
    };
  };
  let currentToken = refreshToken;
  const requests: Readonly<Record<string, () => string>> = {
    list: () => get('/v1/employees', accessToken),
    get: () => get(`/v1/employees/${employeeId}`, accessToken),
    token: () =>
      form({
        grant_type: 'client_credentials',
        client_id: service.clientId,
        client_secret: service.clientSecret,
      }),
    refresh: () =>
      form({
        grant_type: 'refresh_token',
        client_id: scene.application.clientId,
        refresh_token: currentToken,
      }),
  };
  for (const [name, request] of Object.entries(requests)) {
    const lowest: Costs = {
      roundTrips: Number.POSITIVE_INFINITY,
      statements: Number.POSITIVE_INFINITY,
      databaseBytes: Number.POSITIVE_INFINITY,
      responseBytes: Number.POSITIVE_INFINITY,
      promises: Number.POSITIVE_INFINITY,
    };
    for (let index = 0; index < warmUps + measured; index += 1) {
      const { body, ...costs } = await measure(request());
      currentToken = JSON.parse(body).refresh_token ?? currentToken;
      if (index < warmUps) continue;
      for (const cost of Object.keys(lowest) as (keyof Costs)[])
        lowest[cost] = Math.min(lowest[cost], costs[cost]);
    }
    for (const [cost, limit] of Object.entries(limits[name] ?? {})) {
      t.ok(
        lowest[cost as keyof Costs] <= limit,
        `${name}: ${lowest[cost as keyof Costs]} ${cost} of ${limit}`,
      );
    }
  }
});

/** Opens a connection that sends one request after the other. Without promises but the one that it returns. */
async function connect(t: { teardown(run: () => void): void }, port: number) {
  const socket = net.connect({ host: '127.0.0.1', port });
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  return (request: string) =>
    new Promise<{ bytes: number; body: string }>((resolve) => {
      let received = Buffer.alloc(0);
      const read = (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        const [response] = parseResponses(received);
        if (response === undefined) return;
        socket.off('data', read);
        resolve({ bytes: received.length, body: String(response.body) });
      };
      socket.on('data', read);
      socket.write(request);
    });
}

function get(path: string, token: string): string {
  return [`GET ${path} HTTP/1.1`, 'host: api.test', `authorization: Bearer ${token}`, '', ''].join('\r\n');
}

function form(fields: Readonly<Record<string, string>>): string {
  const body = new URLSearchParams(fields).toString();
  return [
    'POST /v1/oauth/token HTTP/1.1',
    'host: api.test',
    'content-type: application/x-www-form-urlencoded',
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}
