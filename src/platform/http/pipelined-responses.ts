import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * Destroys responses that are queued behind another one when their connection is closed. Node.js does not destroy them,
 * so their handlers would not notice that the client has disconnected.
 */
export function closePipelinedResponses({ server }: FastifyInstance): void {
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (response.socket !== null) return;
    const close = () => {
      // Node.js destroys the current response.
      if (response.socket !== null || response.closed) return;
      response.destroyed = true;
      response.emit('close');
    };
    // The number of pipelined requests is not limited.
    socket.setMaxListeners(0).once('close', close);
    response.once('close', () => socket.off('close', close));
  });
}
