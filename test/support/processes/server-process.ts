import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Test } from 'tap';
import { packageRoot } from '../../../src/platform/package-root.js';
import { directUrlOf } from '../database/direct-url.js';
import { patienceMs } from '../patience.js';
import { testSecret } from '../server/app.js';
import { freePort } from '../server/free-port.js';
import { quick } from './cli.js';
import { withoutTap } from './plain-process.js';

/** A server process. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** Its standard output so far. */
  output(): string;
  /** Settles when it exits, with its exit code. */
  readonly ended: Promise<number | null>;
  /** Stops it with SIGTERM, and returns its exit code. */
  stop(): Promise<number | null>;
  /** Kills it. */
  kill(): Promise<void>;
}

interface ServerProcessOptions {
  /** Empty: the embedded database under `DATA_DIR`. */
  readonly databaseUrl: string;
  readonly environment?: Record<string, string>;
}

/** Starts a server and waits until it is ready. It is stopped when the test ends. */
export async function startServerProcess(t: Test, options: ServerProcessOptions): Promise<ServerProcess> {
  const server = await spawnServerProcess(t, options);
  await untilReady(server);
  return server;
}

/** Starts a server that need not become ready. */
export async function spawnServerProcess(
  t: Test,
  { databaseUrl, environment = {} }: ServerProcessOptions,
): Promise<ServerProcess> {
  const port = await freePort();
  const main = path.join(packageRoot, 'dist', 'src', 'server.js');
  const child = spawn(...withoutTap(process.execPath, [...quick, main], environment.NODE_OPTIONS), {
    cwd: packageRoot,
    // Without the environment of the test runner.
    env: {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: databaseUrl,
      DIRECT_DATABASE_URL: databaseUrl === '' ? '' : (directUrlOf(databaseUrl) ?? ''),
      PORT: String(port),
      BASE_URL: 'http://api.test',
      APP_SECRET: testSecret,
      RATE_LIMIT_FAILURES: '0',
      RATE_LIMIT_API: '0',
      RATE_LIMIT_TOKEN: '0',
      LOG_LEVEL: 'warn',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  const stop = () => end('SIGTERM');
  t.teardown(() => {
    const killTimer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
    return stop().finally(() => clearTimeout(killTimer));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    output: () => output,
    ended,
    stop,
    kill: async () => {
      await end('SIGKILL');
    },
  };
}

/** Waits until a server is ready. */
export async function untilReady({ url, ended, output }: ServerProcess): Promise<void> {
  const deadline = Date.now() + patienceMs;
  let running = true;
  void ended.then(() => {
    running = false;
  });
  while (running && Date.now() < deadline) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    await wait(50);
  }
  const failure = running ? `is not ready after ${patienceMs} ms` : `ended with ${await ended}`;
  throw new Error(`The server ${failure}:\n${output()}`);
}
