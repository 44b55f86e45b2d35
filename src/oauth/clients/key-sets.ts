import { LRUCache } from 'lru-cache';
import { type Clock, dayMilliseconds } from '../../platform/clock.js';
import { parseUrl } from '../../platform/contract/outside-text.js';
import { type ResponseHead, sendOutgoingRequest } from '../../platform/network/outgoing-request.js';
import { type ClientKeySet, ClientKeysError, readKeySet } from './client-keys.js';
import { freshForSeconds } from './metadata-document-fetch.js';

/** Maximum size of a key set, in bytes. */
const maximumBytes = 64 * 1024;

/** Maximum time of a request, with the lookup of the host and the reading of the response. */
const timeoutMilliseconds = 5_000;

/** Minimum time between two requests of a process for a set, also when it has failed or a key is unknown. */
const retryMilliseconds = 60_000;

/** Time for which a set serves while it cannot be fetched again. */
const staleMilliseconds = dayMilliseconds;

const maximumCachedSets = 1_000;

interface CachedSet {
  /** `null` when it was never fetched. */
  readonly keys: ClientKeySet | null;
  readonly requestedAt: number;
  readonly freshUntil: number;
  readonly usableUntil: number;
}

/**
 * Fetches the key sets of clients from their `jwks_uri`, and caches them in the process. Anyone who knows a `client_id` can cause a
 * request, so concurrent requests for a set share one, and a further one waits for {@link retryMilliseconds}. Administrators of other
 * accounts choose the URL, so the request must not reach the network of this server (SSRF).
 */
export class KeySets {
  readonly #clock: Clock;
  readonly #allowLocal: boolean;
  readonly #cached = new LRUCache<string, CachedSet>({ max: maximumCachedSets });
  readonly #requests = new Map<string, Promise<CachedSet>>();

  /** @param allowLocal whether hosts such as `client.localhost` are accepted, which are this machine: never in production */
  constructor(clock: Clock, { allowLocal }: { allowLocal: boolean }) {
    this.#clock = clock;
    this.#allowLocal = allowLocal;
  }

  /**
   * The key set at a URL, which is fetched again when it is no longer fresh, or has not the key that the caller needs.
   *
   * @param has whether a set has the key; a rotated key is found after at most {@link retryMilliseconds}
   * @returns `null` when the set cannot be fetched, or is not valid
   */
  async find(url: string, has: (keys: ClientKeySet) => boolean): Promise<ClientKeySet | null> {
    const now = this.#clock().getTime();
    const cached = this.#cached.get(url);
    if (cached !== undefined) {
      const { keys, freshUntil, requestedAt } = cached;
      const isEnough = keys !== null && freshUntil > now && has(keys);
      if (isEnough || now - requestedAt < retryMilliseconds) return usable(cached, now);
    }
    return usable(await this.#fetchOnce(url, cached), now);
  }

  #fetchOnce(url: string, previous: CachedSet | undefined): Promise<CachedSet> {
    const running = this.#requests.get(url);
    if (running !== undefined) return running;
    const request = this.#fetch(url, previous).finally(() => this.#requests.delete(url));
    this.#requests.set(url, request);
    return request;
  }

  async #fetch(url: string, previous: CachedSet | undefined): Promise<CachedSet> {
    const requestedAt = this.#clock().getTime();
    let result: CachedSet;
    try {
      const { keys, seconds } = await this.#send(url);
      const freshUntil = requestedAt + seconds * 1000;
      result = { keys, requestedAt, freshUntil, usableUntil: freshUntil + staleMilliseconds };
    } catch {
      // Every failure has the same effect, and its reason would reveal the network of this server.
      const { keys, usableUntil } = previous ?? { keys: null, usableUntil: 0 };
      result = { keys, requestedAt, freshUntil: requestedAt + retryMilliseconds, usableUntil };
    }
    this.#cached.set(url, result);
    return result;
  }

  async #send(address: string): Promise<{ keys: ClientKeySet; seconds: number }> {
    const url = parseUrl(address);
    if (url === undefined) throw new ClientKeysError('The URL of the key set is not valid.');
    const { headers, body } = await sendOutgoingRequest(url, {
      method: 'GET',
      headers: { accept: 'application/jwk-set+json, application/json', 'user-agent': 'People-API-Clients/1' },
      allowPrivate: this.#allowLocal && url.hostname.endsWith('.localhost'),
      maximumBytes,
      signal: AbortSignal.timeout(timeoutMilliseconds),
      checkHead,
    });
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return { keys: readKeySet(JSON.parse(text)), seconds: freshForSeconds(headers) };
  }
}

function usable({ keys, usableUntil }: CachedSet, now: number): ClientKeySet | null {
  return usableUntil > now ? keys : null;
}

function checkHead({ status, headers }: ResponseHead): void {
  if (status !== 200) throw new ClientKeysError('The status of the response is not 200.');
  if (!/^(?:identity)?$/i.test(headers['content-encoding'] ?? ''))
    throw new ClientKeysError('The key set must not be compressed.');
}
