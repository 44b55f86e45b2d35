import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/client.js';
import { Problem } from '../problems/problem.js';
import type { Lifecycle } from './lifecycle.js';

/** `/healthz`: the process runs. `/readyz`: it can answer, because its database does, and goes on to. */
export async function healthRoutes(
  app: FastifyInstance,
  { database, lifecycle }: { database: Database; lifecycle?: Lifecycle },
): Promise<void> {
  const config = { probe: true };
  app.get('/healthz', { config }, async () => ({ status: 'ok' }));
  app.get('/readyz', { config }, async () => {
    if (lifecycle?.stopping)
      throw new Problem('service_unavailable', 'The process is about to end.', {
        headers: { 'retry-after': '2' },
      });
    await database.prisma.$queryRaw`SELECT 1`.catch((cause) => {
      throw new Problem('service_unavailable', 'The database does not answer.', {
        headers: { 'retry-after': '2' },
        cause,
      });
    });
    return { status: 'ready' };
  });
}
