import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../../../test/support/server/free-port.js';
import { HttpClient } from '../http/client.js';

const startTimeoutMs = 60_000;

/** One server, or several that share the load. */
export interface Service {
  readonly ports: readonly number[];
  readonly pids: readonly number[];
}

/** A server process. */
export interface ServerProcess extends Service {
  readonly port: number;
  readonly pid: number;
  isAlive(): boolean;
  /** Sends an IPC message to the process and returns the reply. */
  message<Reply>(content: object): Promise<Reply>;
  stop(): Promise<void>;
}

/** Starts a server and waits until `/readyz` returns 200. */
export async function startProcess({
  file,
  environment,
  nodeOptions = [],
  cwd,
}: {
  file: string;
  environment: Readonly<Record<string, string>>;
  nodeOptions?: readonly string[];
  cwd: string;
}): Promise<ServerProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, [...nodeOptions, file], {
    cwd,
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', PORT: String(port), ...environment },
    // Writing the log is part of the measured work; its content is not read.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  const terminate = () => child.kill('SIGTERM');
  process.once('exit', terminate);
  const stop = async () => {
    process.off('exit', terminate);
    if (!isAlive()) return;
    const exited = once(child, 'exit');
    terminate();
    await exited;
  };
  try {
    await untilReady(child, port);
  } catch (error) {
    await stop();
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
  const pid = child.pid as number;
  return {
    port,
    pid,
    ports: [port],
    pids: [pid],
    isAlive,
    async message(content) {
      const replied = once(child, 'message');
      child.send(content);
      return (await replied)[0];
    },
    stop,
  };
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  const client = new HttpClient(port);
  try {
    for (const deadline = Date.now() + startTimeoutMs; Date.now() < deadline; await wait(50)) {
      if (child.exitCode !== null) throw new Error(`the server exited with ${child.exitCode}`);
      const response = await client.send({ path: '/readyz' }).catch(() => undefined);
      if (response?.status === 200) return;
    }
  } finally {
    client.close();
  }
  throw new Error(`the server is not ready after ${startTimeoutMs} ms`);
}
