import dns from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The host has an address that is not public. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';

  constructor() {
    super('The address of the host is not public');
  }
}

/** No address of the host is known. */
export class UnresolvedHostError extends Error {
  override readonly name = 'UnresolvedHostError';

  constructor(options?: ErrorOptions) {
    super('The host name cannot be resolved', options);
  }
}

/** All IPv6 addresses that are assigned to hosts on the Internet. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

/** Whether an IP address is public. Ranges that translate to IPv4 addresses are not, because these may be private. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(globalUnicast));
}

/** The IP address that a URL has as its host, without brackets; absent for a name. There is no lookup for it. */
export function literalAddress(hostname: string): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? undefined : host;
}

/** Whether a URL has an IP address as its host that is not public. {@link publicLookup} checks names only. */
export function isPrivateLiteral(hostname: string): boolean {
  const address = literalAddress(hostname);
  return address !== undefined && !isPublicAddress(address);
}

/** Names of this machine, which are not looked up (RFC 6761 section 6.3). */
const loopbackName = /^(.+\.)?localhost\.?$/i;

const loopbackAddress = '127.0.0.1';

/** An address of a host, and its IP version. */
interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/**
 * Returns the addresses of a host name in the DNS, IPv4 first. `lookup` of Node.js would wait in the thread pool: two names whose
 * servers do not respond would delay every other look-up of the process.
 *
 * @throws {UnresolvedHostError}
 */
export async function resolveHost(hostname: string): Promise<HostAddress[]> {
  if (loopbackName.test(hostname)) return [{ address: loopbackAddress, family: 4 }];
  const [ipv4, ipv6] = await Promise.allSettled([dns.resolve4(hostname), dns.resolve6(hostname)]);
  const addresses: HostAddress[] = [
    ...(ipv4.status === 'fulfilled' ? ipv4.value : []).map((address) => ({ address, family: 4 }) as const),
    ...(ipv6.status === 'fulfilled' ? ipv6.value : []).map((address) => ({ address, family: 6 }) as const),
  ];
  if (addresses.length > 0) return addresses;
  throw new UnresolvedHostError(ipv4.status === 'rejected' ? { cause: ipv4.reason } : {});
}

/**
 * Looks up a host name for a connection that must not reach the network of this server (SSRF). The connection uses the
 * checked addresses, which prevents DNS rebinding. A host that is an IP address is not looked up.
 */
export const publicLookup = createLookup(isPublicAddress);

/**
 * Looks up a name of this machine, such as `client.localhost`, which the resolver of the system may not know.
 *
 * @see RFC 6761 section 6.3
 */
export const loopbackLookup = createLookup((address) => address === loopbackAddress);

function createLookup(isAccepted: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolveHost(hostname).then(
      (addresses) => {
        if (!addresses.every(({ address }) => isAccepted(address)))
          return callback(new PrivateAddressError(), '');
        const usable = addresses.filter(({ family }) => !options.family || isFamily(options.family, family));
        const [first] = usable;
        if (first === undefined) callback(new UnresolvedHostError(), '');
        else if (options.all === true) callback(null, usable);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, ''),
    );
  };
}

function isFamily(requested: number | 'IPv4' | 'IPv6', family: 4 | 6): boolean {
  return requested === family || requested === `IPv${family}`;
}
