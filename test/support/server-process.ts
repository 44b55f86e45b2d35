import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Test } from 'tap';
import { packageRoot } from '../../src/package-root.js';
import { testSecret } from './app.js';
import { freePort } from './free-port.js';

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  /** Ends it as an operator would, and returns its exit code. */
  stop(): Promise<number | null>;
}

/** How long a server may take to start on a busy machine. */
const patienceMs = 60_000;

/** Starts a server on a PostgreSQL database and waits until it is ready; it is stopped when the test ends. */
export async function startServerProcess(
  t: Test,
  { databaseUrl, environment = {} }: { databaseUrl: string; environment?: Record<string, string> },
): Promise<ServerProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, [path.join(packageRoot, 'dist', 'src', 'server.js')], {
    cwd: packageRoot,
    // Nothing of the test runner's own environment.
    env: {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      BASE_URL: 'http://api.test',
      APP_SECRET: testSecret,
      RATE_LIMIT_FAILURES: '0',
      MAX_ACTIVE_REQUESTS: '0',
      RATE_LIMIT_API: '0',
      RATE_LIMIT_TOKEN: '0',
      LOG_LEVEL: 'warn',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let stopping: Promise<number | null> | undefined;
  const stop = () => {
    stopping ??= stopProcess(child);
    return stopping;
  };
  t.teardown(stop);
  const url = `http://127.0.0.1:${port}`;
  await untilReady(child, `${url}/readyz`);
  return { url, stop };
}

async function stopProcess(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = await exited;
  return code;
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}`);
    const answer = await fetch(url).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return;
    await wait(50);
  }
  throw new Error(`The server is not ready after ${patienceMs} ms`);
}
