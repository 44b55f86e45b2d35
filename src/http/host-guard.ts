import type { FastifyRequest } from 'fastify';
import { Problem } from '../problems/problem.js';

/**
 * Refuses a request that names no host, or two: a proxy in front may have read another one than we would.
 *
 * @throws {Problem} 400 `invalid_request`
 * @see RFC 9112 section 3.2
 */
export function guardHost({ raw }: FastifyRequest): void {
  let hosts = 0;
  for (let index = 0; index < raw.rawHeaders.length; index += 2) {
    const name = raw.rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1 || (hosts === 0 && raw.httpVersion !== '1.0')) {
    const detail = `A request carries exactly one Host header; this one has ${hosts}.`;
    throw new Problem('invalid_request', detail, { errors: [{ header: 'host', detail }] });
  }
}
