import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { invalidRequest } from '../problems/invalid-request.js';
import { Problem } from '../problems/problem.js';
import { type Violation, violation } from '../problems/rule-texts.js';

/** Name of the header with the request id, which every response has. */
export const requestIdHeader = 'x-request-id';

const acceptableId = /^[A-Za-z0-9._-]{1,128}$/;

/** The request id of the client if it is safe to log and to return, otherwise a new one. */
export function requestIdFor(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers[requestIdHeader];
  return typeof given === 'string' && acceptableId.test(given) ? given : randomUUID();
}

const schemeAndAuthority = /^https?:\/\/[^/?]*/i;

/**
 * Path and query of a request target in absolute form, which every server must accept. Links and problem documents
 * contain the path only.
 *
 * @see RFC 9112 section 3.2.2
 */
export function originForm(target: string): string {
  const path = target.replace(schemeAndAuthority, '');
  return path === target || path.startsWith('/') ? path : `/${path}`;
}

/**
 * Reduces `X-Forwarded-For` to plain addresses, before Fastify finds the address of the client in it.
 *
 * Proxies write an address alone (nginx, HAProxy, Envoy, Cloudflare) or with a port (Azure, load balancers of AWS), and what a
 * client sent stays on the left of what they append. An entry that is no address is removed with all entries before it, so
 * that the last address that a trusted proxy reported counts. Otherwise such entries would be stored as addresses, and each
 * port would get its own rate limit.
 */
export function cleanForwardedFor(headers: IncomingHttpHeaders): void {
  const header = headers['x-forwarded-for'];
  if (header === undefined) return;
  const entries = String(header).split(',').reverse();
  const addresses: string[] = [];
  for (const entry of entries.map((entry) => entry.trim()).filter((entry) => entry !== '')) {
    const address = plainAddress(entry);
    if (address === undefined) break;
    addresses.push(address);
  }
  headers['x-forwarded-for'] = addresses.reverse().join(', ');
}

const withPort = /^(?:\[(?<bracketed>[^[\]]*)\]|(?<plain>[^:[\]]*))(?::\d{1,5})?$/;

/** An address without brackets and port; an IPv4 address that is mapped to IPv6 becomes one. */
function plainAddress(entry: string): string | undefined {
  const { bracketed, plain } = withPort.exec(entry)?.groups ?? {};
  if (plain !== undefined) return ipaddr.IPv4.isValidFourPartDecimal(plain) ? plain : undefined;
  const text = bracketed ?? entry;
  // A zone names an interface of the sender.
  if (text.includes('%') || !ipaddr.IPv6.isValid(text)) return undefined;
  return ipaddr.process(text).toString();
}

/**
 * Rejects request lines and headers that Node.js accepts and a proxy may interpret differently. Such differences allow
 * request smuggling, or credentials other than those that the proxy checked.
 *
 * @throws {Problem} 400 `invalid_request`
 * @see RFC 9112 sections 2.3, 3.2 and 6.1, RFC 9110 section 11.6.2
 */
export function checkRequestHead({ raw: { httpVersion, rawHeaders } }: FastifyRequest): void {
  checkVersion(httpVersion);
  let hosts = 0;
  let authorizations = 0;
  let codings: string | undefined;
  // `headers` has one value for each name, because Node.js drops or joins repeated headers. The length of a name is
  // compared first, because that is cheaper than its lower case and runs for every header of every request.
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
    throw invalidHeader('host', 'A request', violation('one_host', { count: hosts }));
  }
  if (authorizations > 1) {
    const count = authorizations;
    throw invalidHeader('authorization', 'A request', violation('one_authorization', { count }));
  }
}

// The end of the body of such a request is ambiguous, so the connection is closed.
const closing = { connection: 'close' };

function checkVersion(httpVersion: string): void {
  if (httpVersion === '1.1' || httpVersion === '1.0') return;
  throw new Problem('invalid_request', 'The HTTP version must be 1.1 or 1.0.', { headers: closing });
}

function checkTransferEncoding(codings: string, httpVersion: string): void {
  if (httpVersion === '1.0') {
    const error = violation('without_transfer_encoding');
    throw invalidHeader('transfer-encoding', 'An HTTP/1.0 request', error, closing);
  }
  if (codings.toLowerCase() === 'chunked') return;
  throw invalidHeader(
    'transfer-encoding',
    'Transfer-Encoding',
    violation('one_of', { values: ['chunked'] }),
    closing,
  );
}

function invalidHeader(header: string, subject: string, violation: Violation, headers = {}): Problem {
  return invalidRequest([{ place: { header }, subject, violation }], { headers });
}
