import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Name of the header with the request id, which every response has. */
export const requestIdHeader = 'x-request-id';

const acceptable = /^[A-Za-z0-9._-]{1,128}$/;

/** The request id of the client if it is safe to log and to return, otherwise a new one. */
export function requestIdFor(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers[requestIdHeader];
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID();
}
