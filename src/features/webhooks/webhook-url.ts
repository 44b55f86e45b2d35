import { parseUrl } from '../../platform/contract/outside-text.js';
import { isPublicAddress, literalAddress, resolveHost } from '../../platform/network/public-address.js';
import { type Violation, violation } from '../../platform/problems/rule-texts.js';

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
 * @param allowLocal whether `http://localhost` is accepted
 */
export async function findUrlError(
  text: string,
  { allowLocal }: { allowLocal: boolean },
): Promise<Violation | undefined> {
  const form = violation('webhook_url', { allowLocal });
  const url = parseUrl(text);
  if (url === undefined) return form;
  if (url.username !== '' || url.password !== '') return violation('url_without_user');
  if (text.includes('#')) return violation('url_without_fragment');
  if (isLocalUrl(url)) return allowLocal ? undefined : form;
  if (url.protocol !== 'https:') return form;
  if (url.port !== '' && Number(url.port) < lowestPort)
    return violation('webhook_port', { minimum: lowestPort });
  return (await isPublicHost(url.hostname)) ? undefined : violation('public_host');
}

async function isPublicHost(hostname: string): Promise<boolean> {
  const address = literalAddress(hostname);
  if (address !== undefined) return isPublicAddress(address);
  if (!/[^.]\.[^.]/.test(hostname)) return false;
  const waited = new Promise<[]>((resolve) => setTimeout(resolve, lookupMilliseconds, []).unref());
  const addresses = await Promise.race([resolveHost(hostname).catch(() => []), waited]);
  return addresses.every(({ address }) => isPublicAddress(address));
}
