import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/client.js';
import { Problem } from '../problems/problem.js';

/** `/healthz`: the process runs. `/readyz`: it can answer, because its database does. */
export async function healthRoutes(
  app: FastifyInstance,
  { database }: { database: Database },
): Promise<void> {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async () => {
    await database.prisma.$queryRaw`SELECT 1`.catch((cause) => {
      throw new Problem('service_unavailable', 'The database does not answer.', {
        headers: { 'retry-after': '2' },
        cause,
      });
    });
    return { status: 'ready' };
  });
}
