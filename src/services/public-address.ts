import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The host has an address that is not public. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';

  constructor() {
    super('The address of the host is not public');
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

/**
 * Looks up a host name for a connection that must not reach the network of this server (SSRF). The connection uses the
 * checked addresses, which prevents DNS rebinding. A host that is an IP address is not looked up.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error !== null) callback(error, '');
    else if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address)))
      callback(new PrivateAddressError(), '');
    else if (options.all === true) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};
