import type { IncomingHttpHeaders } from 'node:http';
import { parseUrl } from '../../platform/contract/outside-text.js';
import { describeConnectionError } from '../../platform/network/connection-errors.js';
import {
  type OutgoingResponse,
  type ResponseHead,
  ResponseTooLargeError,
  sendOutgoingRequest,
} from '../../platform/network/outgoing-request.js';
import { PrivateAddressError, UnresolvedHostError } from '../../platform/network/public-address.js';
import {
  isMetadataDocumentUrl,
  type MetadataDocument,
  MetadataDocumentError,
  readMetadataDocument,
} from './metadata-document.js';

/** Maximum size of a document, in bytes. @see draft-ietf-oauth-client-id-metadata-document-02 section 8.7 */
const maximumBytes = 5120;

/** Maximum time of a request, with the lookup of the host and the reading of the response. */
const timeoutSeconds = 5;

/** Bounds of the time for which a document is fresh, in seconds. */
const [minimumFresh, maximumFresh] = [300, 86_400];

/** Maximum characters of the header `Cache-Control` that are parsed. */
const maximumCacheControl = 1000;

/** A document, and the seconds for which it can be used without being fetched again. */
export interface FetchedDocument {
  readonly document: MetadataDocument;
  readonly freshForSeconds: number;
}

/**
 * Fetches metadata documents. Anyone can name the URL, so the request must not reach the network of this server (SSRF), and is
 * sent once: a failure is not retried. It is limited in time and size, and redirects are not followed.
 */
export class MetadataDocumentFetcher {
  readonly #allowLocal: boolean;

  /** @param allowLocal whether hosts such as `client.localhost` are accepted, which are this machine: never in production */
  constructor({ allowLocal }: { allowLocal: boolean }) {
    this.#allowLocal = allowLocal;
  }

  /**
   * @param signal aborts the request
   * @throws {MetadataDocumentError} when the URL is not valid, the server does not send a document, or it is not valid
   * @throws {unknown} the reason of `signal`
   * @see draft-ietf-oauth-client-id-metadata-document-02 sections 5 and 8.6
   */
  async fetch(url: string, { signal }: { signal?: AbortSignal } = {}): Promise<FetchedDocument> {
    const parsed = isMetadataDocumentUrl(url) ? parseUrl(url) : undefined;
    if (parsed === undefined)
      throw new MetadataDocumentError(
        'A client_id that is a URL must start with https://, and have a domain name and a path.',
      );
    const { headers, body } = await this.#send(parsed, signal);
    return { document: readMetadataDocument(url, parse(body)), freshForSeconds: freshForSeconds(headers) };
  }

  async #send(url: URL, signal: AbortSignal | undefined): Promise<OutgoingResponse> {
    const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
    try {
      return await sendOutgoingRequest(url, {
        method: 'GET',
        headers: { accept: 'application/json', 'user-agent': 'People-API-Clients/1' },
        allowPrivate: this.#allowLocal && url.hostname.endsWith('.localhost'),
        maximumBytes,
        signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
        checkHead,
      });
    } catch (error) {
      if (error instanceof MetadataDocumentError) throw error;
      if (signal?.aborted === true && error === signal.reason) throw error;
      const reason = timeout.aborted
        ? `There was no complete response within ${timeoutSeconds} seconds.`
        : describeFailure(error);
      throw new MetadataDocumentError(`The metadata document of the application cannot be read. ${reason}`, {
        cause: error,
      });
    }
  }
}

function describeFailure(error: unknown): string {
  if (error instanceof ResponseTooLargeError) return `It has more than ${maximumBytes} bytes.`;
  // One sentence for both: the caller must not learn which names the network of this server has.
  if (error instanceof PrivateAddressError || error instanceof UnresolvedHostError)
    return 'Its host has no public address.';
  return `${describeConnectionError(error)}.`;
}

function checkHead({ status, headers }: ResponseHead): void {
  const fail = (reason: string) => {
    throw new MetadataDocumentError(`The metadata document of the application cannot be read. ${reason}`);
  };
  if (status >= 300 && status < 400) fail(`Its server responded with a redirect (${status}).`);
  if (status !== 200) fail(`Its server responded with status ${status}, not 200.`);
  if (!/^application\/(?:[\w!#$&^.+-]+\+)?json[ \t]*(?:;|$)/i.test(headers['content-type'] ?? ''))
    fail('Its Content-Type must be application/json, or application/*+json.');
  if (!/^(?:identity)?$/i.test(headers['content-encoding'] ?? '')) fail('It must not be compressed.');
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    throw new MetadataDocumentError('The metadata document of the application is not JSON in UTF-8.', {
      cause: error,
    });
  }
}

/** A directive of `Cache-Control`: name, and value as a token or a quoted string. @see RFC 9111 section 5.2 */
const directive = /([\w!#$%&'*+.^`|~-]+)(?:=(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/g;

/**
 * Seconds for which a response is fresh, from 300 to 86,400. The server stores a document for all users, as a shared cache does:
 * `s-maxage` takes precedence over `max-age`, and a `private` response counts as one that must not be stored. That is 300
 * seconds, as it is without a lifetime or with two. `Expires` is not read.
 *
 * @see RFC 9111 sections 4.2 and 5.2.2
 */
export function freshForSeconds(headers: IncomingHttpHeaders): number {
  const text = headers['cache-control'] ?? '';
  if (text.length > maximumCacheControl) return minimumFresh;
  const values = new Map<string, string | null>();
  for (const [, name = '', quoted, token] of text.matchAll(directive)) {
    const key = name.toLowerCase();
    values.set(key, values.has(key) ? null : (quoted ?? token ?? null));
  }
  if (['no-store', 'no-cache', 'private'].some((name) => values.has(name))) return minimumFresh;
  const lifetime = values.has('s-maxage') ? values.get('s-maxage') : values.get('max-age');
  const remaining = secondsOf(lifetime) - secondsOf(headers.age);
  return Math.min(Math.max(remaining, minimumFresh), maximumFresh);
}

/** @see RFC 9111 section 1.2.2 */
function secondsOf(text: string | null | undefined): number {
  return /^\d+$/.test(text ?? '') ? Math.min(Number(text), 2 ** 31) : 0;
}
