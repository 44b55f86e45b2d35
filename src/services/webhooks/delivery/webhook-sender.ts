import { isIP } from 'node:net';
import { Agent, type Dispatcher, request } from 'undici';
import { isPublicAddress, PrivateAddressError, publicLookup } from '../../public-address.js';
import { isLocalUrl } from '../webhook-url.js';
import { describeSendError } from './send-errors.js';
import { signWebhook } from './sign.js';

/** Milliseconds from the connection to the end of the response. */
export const timeoutMilliseconds = 15_000;

/** Bytes of a response that are read, and characters that are kept. */
const maximumRead = 4096;
const maximumKept = 500;

export interface OutgoingWebhook {
  readonly url: string;
  /** Each signs the webhook: two during a rotation. */
  readonly secrets: readonly string[];
  readonly id: string;
  readonly body: string;
  readonly at: Date;
  /** Gives up the attempt. */
  readonly signal?: AbortSignal;
}

/** The outcome of an attempt. */
export interface Attempt {
  /** `null` without a response; then `error` says why. */
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  /** Start of the response. */
  readonly response: string | null;
  /** Value of the header `Retry-After`. */
  readonly retryAfter: string | null;
}

/** Sends webhooks to the servers of partners. Redirects are not followed. */
export class WebhookSender {
  readonly #allowLocal: boolean;
  readonly #public: Agent;
  readonly #local = new Agent();

  /** @param options.allowLocal whether `http://localhost` is sent to */
  constructor({ allowLocal }: { allowLocal: boolean }) {
    this.#allowLocal = allowLocal;
    this.#public = new Agent({ connect: { lookup: publicLookup } });
  }

  /** Never rejects. */
  async send({ url: text, secrets, id, body, at, signal }: OutgoingWebhook): Promise<Attempt> {
    const start = performance.now();
    const timestamp = String(Math.floor(at.getTime() / 1000));
    const timeout = AbortSignal.timeout(timeoutMilliseconds);
    const rest = () => ({ durationMs: Math.round(performance.now() - start) });
    try {
      const url = new URL(text);
      const response = await request(url, {
        method: 'POST',
        dispatcher: this.#dispatcher(url),
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        headers: {
          'content-type': 'application/json',
          'user-agent': 'People-API-Webhooks/1',
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': signWebhook(secrets, { id, timestamp, body }),
        },
        body,
      });
      const retryAfter = response.headers['retry-after'];
      return {
        status: response.statusCode,
        error: null,
        response: await readStart(response.body),
        retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
        ...rest(),
      };
    } catch (error) {
      return { status: null, error: describeSendError(error), response: null, retryAfter: null, ...rest() };
    }
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    await Promise.all([this.#public.destroy(), this.#local.destroy()]);
  }

  #dispatcher(url: URL): Dispatcher {
    if (isLocalUrl(url) && this.#allowLocal) return this.#local;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    // Without a name there is no look-up.
    if (url.protocol !== 'https:' || (isIP(host) !== 0 && !isPublicAddress(host)))
      throw new PrivateAddressError();
    return this.#public;
  }
}

async function readStart(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size >= maximumRead) break;
  }
  const text = Buffer.concat(chunks).subarray(0, maximumRead).toString('utf8');
  return [...text.replaceAll('\0', '')].slice(0, maximumKept).join('');
}
