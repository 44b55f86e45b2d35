import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { exchangeOnce, requestBytes } from '../load/connection.mjs';

const patienceMs = 60_000;

/** Every server has the options of V8 that ours has where it is deployed. */
const sameForAll = ['--max-semi-space-size=64', '--no-flush-bytecode', '--no-allocation-site-pretenuring'];

/**
 * @typedef {object} Subject A server in a process of its own.
 * @property {number[]} ports
 * @property {number[]} pids
 * @property {(question: object) => Promise<object>} ask Asks the process something apart from HTTP.
 * @property {() => Promise<void>} stop
 */

/**
 * Starts a server and waits until it answers.
 *
 * @param {{ file: string, environment: Record<string, string>, nodeOptions?: string[], readyPath?: string,
 *   cwd: string }} what `readyPath` is answered with 200 once the server can work
 * @returns {Promise<Subject>}
 */
export async function startSubject({ file, environment, nodeOptions = [], readyPath = '/readyz', cwd }) {
  const port = await freePort();
  const child = spawn(process.execPath, [...sameForAll, ...nodeOptions, file], {
    cwd,
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', PORT: String(port), ...environment },
    // Its log goes where nobody reads it; writing it is part of the work.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const end = () => child.kill('SIGTERM');
  process.once('exit', end);
  const stop = async () => {
    process.off('exit', end);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    end();
    await exited;
  };
  try {
    await untilReady(child, port, readyPath);
  } catch (error) {
    await stop();
    throw new Error(`${file}: ${error.message}`, { cause: error });
  }
  return {
    ports: [port],
    pids: [child.pid],
    async ask(question) {
      const answered = once(child, 'message');
      child.send(question);
      const [answer] = await answered;
      return answer;
    },
    stop,
  };
}

/** Several processes as one subject. */
export function together(subjects) {
  return {
    ports: subjects.flatMap(({ ports }) => ports),
    pids: subjects.flatMap(({ pids }) => pids),
    stop: async () => {
      await Promise.all(subjects.map((subject) => subject.stop()));
    },
  };
}

async function untilReady(child, port, path) {
  const deadline = Date.now() + patienceMs;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    const answer = await exchangeOnce({ port }, requestBytes({ path })).catch(() => undefined);
    if (answer?.status === 200) return;
    await wait(50);
  }
  throw new Error(`the server is not ready after ${patienceMs} ms`);
}

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
