import { performance } from 'node:perf_hooks';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/client.js';
import { Problem } from '../problems/problem.js';
import type { Lifecycle } from './lifecycle.js';

/** Milliseconds after which a database that says nothing counts as away; balancers wait hardly longer. */
const patienceMs = 2_000;

/** Milliseconds after which another connection is tried: the one that hangs may be the only one. */
const givenUpAfterMs = 10_000;

/** `/healthz`: the process runs. `/readyz`: it can answer, because its database does, and goes on to. */
export async function healthRoutes(
  app: FastifyInstance,
  { database, lifecycle }: { database: Database; lifecycle?: Lifecycle },
): Promise<void> {
  const databaseAnswers = sharedProbe(() => database.prisma.$queryRaw`SELECT 1`);
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async () => {
    if (lifecycle?.stopping) {
      throw new Problem('service_unavailable', 'The process is shutting down.', {
        headers: { 'retry-after': '2' },
      });
    }
    await inTime(databaseAnswers()).catch((cause) => {
      throw new Problem('service_unavailable', 'The database does not respond.', {
        headers: { 'retry-after': '2' },
        cause,
      });
    });
    return { status: 'ready' };
  });
}

/** However often a database that hangs is asked for, few connections hang with it. */
function sharedProbe(query: () => PromiseLike<unknown>): () => Promise<unknown> {
  let current: { readonly at: number; readonly result: Promise<unknown> } | undefined;
  return () => {
    const now = performance.now();
    if (current !== undefined && now - current.at < givenUpAfterMs) return current.result;
    const result = Promise.resolve(query());
    const own = { at: now, result };
    current = own;
    const forget = () => {
      if (current === own) current = undefined;
    };
    result.then(forget, forget);
    return result;
  };
}

/** @throws {Error} when it takes longer than {@link patienceMs} */
async function inTime(result: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${patienceMs} ms`)), patienceMs);
  });
  try {
    await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}
