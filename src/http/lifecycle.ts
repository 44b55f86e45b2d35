import { setMaxListeners } from 'node:events';
import type { FastifyInstance } from 'fastify';

/** How far the process is on its way to its end. */
export interface Lifecycle {
  /** Whether the process is about to end. */
  stopping: boolean;
  /** Aborts responses that are not complete when the time for them is over. */
  readonly cutOff: AbortController;
}

export function createLifecycle(): Lifecycle {
  const cutOff = new AbortController();
  // One listener for each download in progress.
  setMaxListeners(0, cutOff.signal);
  return { stopping: false, cutOff };
}

/** Asks clients to come back by another connection, which leads to a process that stays. */
export function closeConnectionsAtTheEnd(app: FastifyInstance, lifecycle: Lifecycle): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (lifecycle.stopping) reply.header('connection', 'close');
    done(null, payload);
  });
}
