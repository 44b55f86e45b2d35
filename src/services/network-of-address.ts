import ipaddr from 'ipaddr.js';

/**
 * The network that limits count an address by: an IPv4 address itself, or the /64 network of an IPv6 address. Providers
 * assign at least a /64 network to a customer.
 *
 * @param address address of the socket, or the one that a trusted proxy forwards
 */
export function networkOf(address: string): string {
  return ipv6Network(address, 64) ?? (ipaddr.isValid(address) ? ipaddr.process(address).toString() : address);
}

/**
 * The /48 network of an IPv6 address, which providers assign to a site; it contains 65,536 /64 networks.
 *
 * @returns `undefined` for an IPv4 address
 */
export function siteOf(address: string): string | undefined {
  return ipv6Network(address, 48);
}

function ipv6Network(address: string, bits: 48 | 64): string | undefined {
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return undefined;
  const network = (parsed as ipaddr.IPv6).parts.slice(0, bits / 16);
  return `${network.map((part) => part.toString(16)).join(':')}::/${bits}`;
}
