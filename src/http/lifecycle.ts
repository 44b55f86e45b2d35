import type { FastifyInstance } from 'fastify';

/** Whether the process is about to end. */
export interface Lifecycle {
  stopping: boolean;
}

/** Asks clients to come back by another connection, which leads to a process that stays. */
export function closeConnectionsAtTheEnd(app: FastifyInstance, lifecycle: Lifecycle): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (lifecycle.stopping) reply.header('connection', 'close');
    done(null, payload);
  });
}
