import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Name of the header on every response, and of the member in problem documents' headers. */
export const requestIdHeader = 'x-request-id';

const acceptable = /^[A-Za-z0-9._-]{1,128}$/;

/** Keeps the caller's request id when it is harmless to log and echo; makes a fresh one otherwise. */
export function requestIdFor(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers[requestIdHeader];
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID();
}
