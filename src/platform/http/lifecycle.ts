import { setMaxListeners } from 'node:events';
import type { FastifyInstance } from 'fastify';

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
