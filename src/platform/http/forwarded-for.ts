import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';

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
