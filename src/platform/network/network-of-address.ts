import ipaddr from 'ipaddr.js';

/**
 * The network that limits count an address by: an IPv4 address itself, or the /64 network of an IPv6 address. Providers
 * assign at least a /64 network to a customer.
 *
 * @param address address of the socket, or the one that a trusted proxy forwards
 */
export function networkOf(address: string): string {
  const parsed = parse(address);
  if (parsed === undefined) return address;
  return parsed instanceof ipaddr.IPv6 ? prefixOf(parsed, 64) : parsed.toString();
}

/**
 * The /48 network of an IPv6 address, which providers assign to a site; it contains 65,536 /64 networks.
 *
 * @returns `undefined` for an IPv4 address
 */
export function siteOf(address: string): string | undefined {
  const parsed = parse(address);
  return parsed instanceof ipaddr.IPv6 ? prefixOf(parsed, 48) : undefined;
}

/** An IPv4 address that is mapped to IPv6 becomes one. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return ipaddr.isValid(address) ? ipaddr.process(address) : undefined;
}

function prefixOf({ parts }: ipaddr.IPv6, bits: 48 | 64): string {
  const network = parts.slice(0, bits / 16).map((part) => part.toString(16));
  return `${network.join(':')}::/${bits}`;
}
