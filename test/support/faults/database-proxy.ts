import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import type { Test } from 'tap';
import type { Database, DatabaseOptions } from '../../../src/platform/database/client.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { allAccounts } from '../../../src/platform/database/scope.js';
import { createTestDatabase } from '../database/database.js';

/** A proxy between a server and its database that simulates failures. */
export interface DatabaseProxy {
  /** URL of the database through the proxy. */
  readonly url: string;
  /** Closes every connection; new ones are accepted. */
  cut(): void;
  /** Closes every connection and accepts no new one, like a stopped database. */
  refuse(): void;
  /** Keeps every connection open and forwards nothing in either direction. */
  pause(): void;
  /** Holds back the responses of the database, which receives everything. */
  pauseResponses(): void;
  /** Ends {@link refuse} and the pauses. */
  restore(): void;
}

/** Receives the bytes that the proxy forwards; `connection` is the same for both directions. */
type Forwarded = (bytes: Buffer, sender: 'server' | 'database', connection: object) => void;

/** Opens a new database through a proxy. Both are closed when the test ends. */
export async function openBehindProxy(
  t: Test,
  options: Pick<DatabaseOptions, 'poolSize' | 'statementTimeoutMs' | 'connectionTimeoutMs'>,
  onForwarded?: Forwarded,
): Promise<{ proxy: DatabaseProxy; database: Database }> {
  const {
    databaseUrl = '',
    dataDir,
    directDatabaseUrl,
    defaultScope = allAccounts,
  } = await createTestDatabase(t);
  const proxy = await startDatabaseProxy(t, databaseUrl, onForwarded);
  const database = await openDatabase({
    ...{ databaseUrl: proxy.url, directDatabaseUrl, dataDir, defaultScope },
    ...options,
  });
  t.teardown(() => {
    proxy.restore();
    return database.close();
  });
  return { proxy, database };
}

/** Starts a proxy. It is closed when the test ends. */
export async function startDatabaseProxy(
  t: Test,
  databaseUrl: string,
  onForwarded: Forwarded = () => {},
): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const outerSockets = new Set<Socket>();
  let mode: 'open' | 'refusing' | 'paused' = 'open';
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    if (mode === 'paused') socket.pause();
  };
  const server = net.createServer((inner) => {
    if (mode === 'refusing') {
      inner.destroy();
      return;
    }
    const outer = net.connect(Number(target.port || 5432), target.hostname);
    outerSockets.add(outer);
    outer.on('close', () => outerSockets.delete(outer));
    for (const [from, to, sender] of [
      [inner, outer, 'server'],
      [outer, inner, 'database'],
    ] as const) {
      from.on('data', (bytes) => {
        onForwarded(bytes, sender, inner);
        to.write(bytes);
      });
      from.on('close', () => to.destroy());
      keep(from);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  t.teardown(() => {
    cut();
    server.close();
  });
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.toString(),
    cut,
    refuse() {
      mode = 'refusing';
      cut();
    },
    pause() {
      mode = 'paused';
      for (const socket of sockets) socket.pause();
    },
    pauseResponses() {
      for (const socket of outerSockets) socket.pause();
    },
    restore() {
      mode = 'open';
      for (const socket of sockets) socket.resume();
    },
  };
}
