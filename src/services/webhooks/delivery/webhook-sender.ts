import { isIP } from 'node:net';
import { Agent, type Dispatcher, request } from 'undici';
import { isPublicAddress, PrivateAddressError, publicLookup } from '../../public-address.js';
import { isLocalUrl } from '../webhook-url.js';
import { describeSendError, InterruptedError, SendTimeoutError } from './send-errors.js';
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
  /** Whether {@link WebhookSender.interrupt} ended it. */
  readonly isInterrupted: boolean;
}

/** Sends webhooks to the servers of partners. Redirects are not followed. */
export class WebhookSender {
  readonly #allowLocal: boolean;
  readonly #public: Agent;
  readonly #local = new Agent();
  /** One for each attempt. Combined signals take more processor time than the request. */
  readonly #attempts = new Set<AbortController>();

  /** @param options.allowLocal whether `http://localhost` is sent to */
  constructor({ allowLocal }: { allowLocal: boolean }) {
    this.#allowLocal = allowLocal;
    this.#public = new Agent({ connect: { lookup: publicLookup } });
  }

  /** Never rejects. */
  async send(webhook: OutgoingWebhook): Promise<Attempt> {
    const start = performance.now();
    const attempt = new AbortController();
    const timer = setTimeout(() => attempt.abort(new SendTimeoutError()), timeoutMilliseconds);
    this.#attempts.add(attempt);
    const rest = () => ({ durationMs: Math.round(performance.now() - start) });
    try {
      const response = await this.#request(webhook, attempt.signal);
      const retryAfter = response.headers['retry-after'];
      return {
        status: response.statusCode,
        error: null,
        response: await readStart(response.body),
        retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
        isInterrupted: false,
        ...rest(),
      };
    } catch (error) {
      const isInterrupted = error instanceof InterruptedError;
      const none = { status: null, response: null, retryAfter: null };
      return { ...none, error: describeSendError(error), isInterrupted, ...rest() };
    } finally {
      clearTimeout(timer);
      this.#attempts.delete(attempt);
    }
  }

  /** Ends all attempts. */
  interrupt(): void {
    for (const attempt of this.#attempts) attempt.abort(new InterruptedError());
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    await Promise.all([this.#public.destroy(), this.#local.destroy()]);
  }

  #request({ url: text, secrets, id, body, at }: OutgoingWebhook, signal: AbortSignal) {
    const timestamp = String(Math.floor(at.getTime() / 1000));
    const url = new URL(text);
    return request(url, {
      method: 'POST',
      dispatcher: this.#dispatcher(url),
      signal,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'People-API-Webhooks/1',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signWebhook(secrets, { id, timestamp, body }),
      },
      body,
    });
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
