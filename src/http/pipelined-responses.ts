import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * Closes answers that were waiting behind another one on their connection when it ended. Node.js leaves them as they are:
 * whoever is making such an answer would never hear that nobody wants it any more.
 */
export function closePipelinedResponses({ server }: FastifyInstance): void {
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (response.socket !== null) return;
    const close = () => {
      // Node.js sees to the one whose turn it was.
      if (response.socket !== null || response.closed) return;
      response.destroyed = true;
      response.emit('close');
    };
    // Clients may send as many requests ahead as they like.
    socket.setMaxListeners(0).once('close', close);
    response.once('close', () => socket.off('close', close));
  });
}
