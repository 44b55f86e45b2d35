import ipaddr from 'ipaddr.js';

/**
 * The network that limits count an address by: an IPv4 address itself, or the /64 network of an IPv6 address. Providers
 * assign at least a /64 network to a customer.
 *
 * @param address address of the socket, or the one that a trusted proxy forwards
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = (parsed as ipaddr.IPv6).parts.slice(0, 4);
  return `${network.map((part) => part.toString(16)).join(':')}::/64`;
}
