import { parseUrl } from '../contract/outside-text.js';
import { type Violation, violation } from '../problems/rule-texts.js';
import { isPrivateLiteral, isPublicAddress, literalAddress, resolveHost } from './public-address.js';

/** Lowest port besides 443 that requests are sent to. */
const lowestPort = 8443;

/** Milliseconds for which a check waits for the addresses of a host. */
const lookupMilliseconds = 2_000;

/** Whether a URL of this form is only for development, and exempt from the rules for addresses. */
export function isLocalUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && hostname === 'localhost';
}

/**
 * Checks the URL of a receiver, without looking its host up.
 *
 * @param allowLocal whether `http://localhost` is accepted
 */
export function findUrlFormError(
  text: string,
  { allowLocal }: { allowLocal: boolean },
): Violation | undefined {
  const form = violation('webhook_url', { allowLocal });
  const url = parseUrl(text);
  if (url === undefined) return form;
  if (url.username !== '' || url.password !== '') return violation('url_without_user');
  if (text.includes('#')) return violation('url_without_fragment');
  if (isLocalUrl(url)) return allowLocal ? undefined : form;
  if (url.protocol !== 'https:') return form;
  if (url.port !== '' && Number(url.port) < lowestPort)
    return violation('webhook_port', { minimum: lowestPort });
  const isRejected =
    literalAddress(url.hostname) === undefined
      ? !/[^.]\.[^.]/.test(url.hostname)
      : isPrivateLiteral(url.hostname);
  return isRejected ? violation('public_host') : undefined;
}

/**
 * Checks the URL of a receiver, and the addresses of its host. They are checked again when a connection is opened, so a name
 * that cannot be resolved is accepted here.
 *
 * @param allowLocal whether `http://localhost` is accepted
 */
export async function findUrlError(
  text: string,
  options: { allowLocal: boolean },
): Promise<Violation | undefined> {
  const found = findUrlFormError(text, options);
  const url = parseUrl(text);
  if (found !== undefined || url === undefined) return found;
  return isLocalUrl(url) || (await hasPublicAddresses(url.hostname)) ? undefined : violation('public_host');
}

async function hasPublicAddresses(hostname: string): Promise<boolean> {
  if (literalAddress(hostname) !== undefined) return !isPrivateLiteral(hostname);
  const waited = new Promise<[]>((resolve) => setTimeout(resolve, lookupMilliseconds, []).unref());
  const addresses = await Promise.race([resolveHost(hostname).catch(() => []), waited]);
  return addresses.every(({ address }) => isPublicAddress(address));
}
