import { isIP } from 'node:net';
import { parseUrl } from '../../platform/contract/outside-text.js';
import { isPublicAddress, resolveHost } from '../../platform/network/public-address.js';

/** Lowest port besides 443 that events are sent to. */
const lowestPort = 8443;

/** Milliseconds for which the registration of an endpoint waits for its addresses. */
const lookupMilliseconds = 2_000;

/** Whether a URL of this form is only for development, and exempt from the rules for addresses. */
export function isLocalUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && hostname === 'localhost';
}

/**
 * Checks the URL of an endpoint. An address is checked again when a connection is opened, so a name that cannot be resolved
 * is accepted here.
 *
 * @param options.allowLocal whether `http://localhost` is accepted
 * @returns the error, as the end of a sentence; `null` for a valid URL
 */
export async function findUrlError(
  text: string,
  { allowLocal }: { allowLocal: boolean },
): Promise<string | null> {
  const form = allowLocal
    ? 'must be an https:// URL, or http://localhost in development'
    : 'must be an https:// URL';
  const url = parseUrl(text);
  if (url === undefined) return form;
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  if (text.includes('#')) return 'must not contain a fragment';
  if (isLocalUrl(url)) return allowLocal ? null : form;
  if (url.protocol !== 'https:') return form;
  if (url.port !== '' && Number(url.port) < lowestPort)
    return `must have the port 443, or one from ${lowestPort}`;
  return (await isPublicHost(url.hostname)) ? null : 'must have a host with public addresses only';
}

async function isPublicHost(hostname: string): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return isPublicAddress(host);
  if (!/[^.]\.[^.]/.test(host)) return false;
  const waited = new Promise<[]>((resolve) => setTimeout(resolve, lookupMilliseconds, []).unref());
  const addresses = await Promise.race([resolveHost(host).catch(() => []), waited]);
  return addresses.every(({ address }) => isPublicAddress(address));
}
