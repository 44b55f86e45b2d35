import { setMaxListeners } from 'node:events';
import type { FastifyInstance } from 'fastify';
import { inTime } from '../clock.js';
import { type DatabaseCheck, ReadOnlyDatabaseError } from '../database/database-check.js';
import { Problem } from '../problems/problem.js';

/** State of the shutdown of the process. */
export interface Lifecycle {
  /** Whether the process is shutting down. */
  stopping: boolean;
  /** Aborts responses that are incomplete at the end of the grace period. */
  readonly cutOff: AbortController;
}

export function createLifecycle(): Lifecycle {
  const cutOff = new AbortController();
  // One listener for each download in progress.
  setMaxListeners(0, cutOff.signal);
  return { stopping: false, cutOff };
}

/** Closes connections after their next response, so that clients connect to another process. */
export function closeConnectionsAtTheEnd(app: FastifyInstance, lifecycle: Lifecycle): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (lifecycle.stopping) reply.header('connection', 'close');
    done(null, payload);
  });
}

/** Milliseconds after which a database that does not respond is unavailable; load balancers have similar timeouts. */
const timeoutMs = 2_000;

/** `/healthz`: the process runs. `/readyz`: the database responds and accepts writes, and the process is not shutting down. */
export async function healthRoutes(
  app: FastifyInstance,
  { databaseCheck, lifecycle }: { databaseCheck: DatabaseCheck; lifecycle?: Lifecycle },
): Promise<void> {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async () => {
    if (lifecycle?.stopping) {
      throw new Problem('service_unavailable', 'The process is shutting down.', {
        retryAfterSeconds: 2,
        page: { text: 'The service is restarting. Try again in a few seconds.' },
      });
    }
    await inTime(databaseCheck.run(), timeoutMs).catch((cause) => {
      const reason =
        cause instanceof ReadOnlyDatabaseError
          ? 'The database is read-only.'
          : 'The database does not respond.';
      throw new Problem('service_unavailable', reason, { retryAfterSeconds: 2, cause });
    });
    return { status: 'ready' };
  });
}
