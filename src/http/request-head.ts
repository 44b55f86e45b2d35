import type { FastifyRequest } from 'fastify';
import { Problem } from '../problems/problem.js';

/**
 * Rejects a request line and headers that Node.js accepts and a proxy in front may read in another way: such a
 * difference can hide one request in another, or carry other credentials than those that the proxy checked.
 *
 * @throws {Problem} 400 `invalid_request`
 * @see RFC 9112 sections 2.3, 3.2 and 6.1, RFC 9110 section 11.6.2
 */
export function checkRequestHead({ raw: { httpVersion, rawHeaders } }: FastifyRequest): void {
  checkVersion(httpVersion);
  let hosts = 0;
  let authorizations = 0;
  let codings: string | undefined;
  // `headers` has one value for each name, because Node.js drops or joins repeated ones. This runs for every header of
  // every request: the length of a name is compared first because that is cheaper than its lower case.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4) {
      if (name.toLowerCase() === 'host') hosts += 1;
    } else if (name.length === 13) {
      if (name.toLowerCase() === 'authorization') authorizations += 1;
    } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      codings = codings === undefined ? rawHeaders[index + 1] : `${codings}, ${rawHeaders[index + 1]}`;
    }
  }
  if (codings !== undefined) checkTransferEncoding(codings, httpVersion);
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) {
    throw invalidHeader('host', `A request must have exactly one Host header; this one has ${hosts}.`);
  }
  if (authorizations > 1) {
    const detail = `A request must have at most one Authorization header; this one has ${authorizations}.`;
    throw invalidHeader('authorization', detail);
  }
}

// Where the body of such a request ends is in doubt: bytes that follow it are not read as another request.
const closing = { connection: 'close' };

function checkVersion(httpVersion: string): void {
  if (httpVersion === '1.1' || httpVersion === '1.0') return;
  throw new Problem('invalid_request', 'The HTTP version must be 1.1 or 1.0.', { headers: closing });
}

function checkTransferEncoding(codings: string, httpVersion: string): void {
  if (httpVersion === '1.0') {
    const detail = 'A request of HTTP/1.0 must not have a Transfer-Encoding header.';
    throw invalidHeader('transfer-encoding', detail, closing);
  }
  if (codings.toLowerCase() === 'chunked') return;
  throw invalidHeader('transfer-encoding', 'Transfer-Encoding must be chunked.', closing);
}

function invalidHeader(header: string, detail: string, headers: Readonly<Record<string, string>> = {}) {
  return new Problem('invalid_request', detail, { headers, errors: [{ header, detail }] });
}
