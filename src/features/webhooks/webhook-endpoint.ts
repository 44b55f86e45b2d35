import { isIP } from 'node:net';
import { parseUrl } from '../../platform/contract/outside-text.js';
import type { WebhookEndpoint as EndpointRow } from '../../platform/database/generated/client.js';
import { isPublicAddress, resolveHost } from '../../platform/network/public-address.js';
import { type Violation, violation } from '../../platform/problems/rule-texts.js';
import { eventId } from '../events/index.js';

/** The reason why an endpoint is paused. */
export type PauseReason = 'failing' | 'gone' | 'expired' | 'access' | 'revoked';

/** A URL to which events of an account are sent. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  /** Types of the events that are sent; empty: all. */
  readonly eventTypes: readonly string[];
  readonly status: 'enabled' | 'paused';
  readonly pausedAt: Date | null;
  /** A {@link PauseReason}. */
  readonly pauseReason: string | null;
  /** When the first attempt of the current delivery failed. */
  readonly failingSince: Date | null;
  /** Cursor of the last event that was delivered or skipped. */
  readonly lastEventId: string;
  readonly previousSecretExpiresAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Converts a stored row, without its secrets. */
export function toWebhookEndpoint(row: EndpointRow): WebhookEndpoint {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    eventTypes: row.eventTypes,
    status: row.pausedAt === null ? 'enabled' : 'paused',
    pausedAt: row.pausedAt,
    pauseReason: row.pauseReason,
    failingSince: row.failingSince,
    lastEventId: eventId(row.accountId, row.position),
    previousSecretExpiresAt: row.previousSecretExpiresAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

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
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return isPublicAddress(host);
  if (!/[^.]\.[^.]/.test(host)) return false;
  const waited = new Promise<[]>((resolve) => setTimeout(resolve, lookupMilliseconds, []).unref());
  const addresses = await Promise.race([resolveHost(host).catch(() => []), waited]);
  return addresses.every(({ address }) => isPublicAddress(address));
}
