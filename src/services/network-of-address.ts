import ipaddr from 'ipaddr.js';

/**
 * What an address is counted by: an IPv4 address itself, and the /64 network of an IPv6 address, which is the least that
 * anybody gets and has more addresses than could be counted.
 *
 * @param address as a socket or a trusted proxy tells it
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = (parsed as ipaddr.IPv6).parts.slice(0, 4);
  return `${network.map((part) => part.toString(16)).join(':')}::/64`;
}
