import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { root } from './modified.mjs';

const startTimeoutMs = 60_000;

/** Password of every demo user. */
export const demoPassword = 'correct horse battery staple';

/** Redirect URI of the demo applications. */
export const demoCallback = 'http://localhost:8080/callback';

/**
 * Starts the built server with a new embedded database and the demo data, and calls `use` with its URL. Stops the
 * server and deletes the data afterwards.
 */
export async function withDemoServer(use) {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'people-api-'));
  const port = await freePort();
  const server = spawn(process.execPath, [path.join(root, 'dist/src/server.js')], {
    // Not the environment variables of this process, because they may configure another database.
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(server, 'exit');
  try {
    const base = `http://localhost:${port}`;
    await untilReady(server, `${base}/readyz`);
    return await use(base);
  } finally {
    server.kill();
    await exited;
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function untilReady(server, address) {
  for (const deadline = Date.now() + startTimeoutMs; Date.now() < deadline; await wait(100)) {
    if (server.exitCode !== null) throw new Error(`The server exited with ${server.exitCode}.`);
    const response = await fetch(address).catch(() => undefined);
    if (response?.ok) return;
  }
  throw new Error('The server does not respond.');
}

/** Finds a port that no process listens on. */
export async function freePort() {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}
