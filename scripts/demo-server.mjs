import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { root } from './modified.mjs';

const patienceMs = 60_000;

/** Password of every demonstration user. */
export const demoPassword = 'correct horse battery staple';

/** Where the demonstration's applications send their users back to. */
export const demoCallback = 'http://localhost:8080/callback';

/**
 * Starts the built server on a port, or on a free one, with an embedded database of its own and the demonstration data, and
 * calls `use` with its address. The server is stopped and its data removed afterwards.
 */
export async function withDemoServer(use, givenPort) {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'people-api-'));
  const port = givenPort || (await freePort());
  const server = spawn(process.execPath, [path.join(root, 'dist/src/server.js')], {
    // Nothing of the caller's own settings.
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
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await wait(100)) {
    if (server.exitCode !== null) throw new Error(`The server ended with ${server.exitCode}.`);
    const answer = await fetch(address).catch(() => undefined);
    if (answer?.ok) return;
  }
  throw new Error('The server does not answer.');
}

/** A port that no process listens on. */
export async function freePort() {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}
