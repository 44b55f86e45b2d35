import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { mock } from 'node:test';
import type { Test } from 'tap';
import { freePort } from '../server/free-port.js';
import { until } from '../until.js';

/** A Redis that tests may write to, with their own key prefixes. */
export const testRedis: string | undefined = process.env.TEST_REDIS_URL || undefined;

/** Whether a test can start a Redis server. */
export const hasRedisServer = spawnSync('redis-server', ['--version']).status === 0;

/** A Redis server of a test, which can stop, start and freeze it. */
export interface RedisProcess {
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
}

/** Starts a Redis server without persistence, and stops it when the test ends. */
export async function startRedis(t: Test): Promise<RedisProcess> {
  const port = await freePort();
  let child: ChildProcess | undefined;
  const redis: RedisProcess = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
      child = spawn('redis-server', options, { stdio: 'ignore' });
      await untilListening(port, child);
    },
    async stop() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
    signal(name) {
      child?.kill(name);
    },
  };
  t.teardown(() => redis.stop());
  await redis.start();
  return redis;
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`Redis ended with ${child.exitCode}`);
    const socket = net.connect(port, '127.0.0.1');
    const connected = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    return connected;
  });
}

/**
 * Sockets get no idle limit until the test ends. A client of Redis closes a connection without responses, and on a busy machine,
 * or while a test holds the timer of its pings, also one that works.
 */
export function withoutIdleLimits(t: Test): void {
  const { mock: held } = mock.method(net.Socket.prototype, 'setTimeout', function none(this: net.Socket) {
    return this;
  });
  t.teardown(() => held.restore());
}
