import { isIP } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import {
  isPublicAddress,
  PrivateAddressError,
  publicLookup,
} from '../../../platform/network/public-address.js';
import { isLocalUrl } from '../webhook-url.js';
import { describeSendError, InterruptedError, SendTimeoutError } from './send-errors.js';
import { signWebhook } from './sign.js';
import { WebhookRequest, type WebhookResponse } from './webhook-request.js';

/** Milliseconds from the connection to the end of the response. */
export const timeoutMilliseconds = 15_000;

export interface OutgoingWebhook {
  readonly url: string;
  /** Each signs the webhook: two during a rotation. */
  readonly secrets: readonly string[];
  readonly id: string;
  readonly body: Buffer;
  readonly at: Date;
}

/** The outcome of an attempt. */
export interface Attempt {
  /** `null` without a response; then `error` has the reason. */
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
  readonly #requests = new Set<WebhookRequest>();
  #isInterrupted = false;

  /** @param options.allowLocal whether requests to `http://localhost` are sent */
  constructor({ allowLocal }: { allowLocal: boolean }) {
    this.#allowLocal = allowLocal;
    this.#public = new Agent({ connect: { lookup: publicLookup } });
  }

  /** Never rejects. */
  async send(webhook: OutgoingWebhook): Promise<Attempt> {
    const start = performance.now();
    const rest = () => ({ durationMs: Math.round(performance.now() - start) });
    try {
      const { status, text, retryAfter } = await this.#exchange(webhook);
      return { status, error: null, response: text, retryAfter, isInterrupted: false, ...rest() };
    } catch (error) {
      const isInterrupted = error instanceof InterruptedError;
      const none = { status: null, response: null, retryAfter: null };
      return { ...none, error: describeSendError(error), isInterrupted, ...rest() };
    }
  }

  /** Aborts all attempts, including later ones. */
  interrupt(): void {
    this.#isInterrupted = true;
    for (const request of this.#requests) request.abort(new InterruptedError());
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    await Promise.all([this.#public.destroy(), this.#local.destroy()]);
  }

  async #exchange(webhook: OutgoingWebhook): Promise<WebhookResponse> {
    if (this.#isInterrupted) throw new InterruptedError();
    const url = new URL(webhook.url);
    const dispatcher = this.#dispatcher(url);
    const headers = headersOf(webhook);
    return await new Promise((resolve, reject) => {
      const request = new WebhookRequest((error, response) => {
        clearTimeout(timer);
        this.#requests.delete(request);
        if (response === undefined) reject(error);
        else resolve(response);
      });
      const timer = setTimeout(() => request.abort(new SendTimeoutError()), timeoutMilliseconds);
      this.#requests.add(request);
      const { origin, pathname, search } = url;
      const options = {
        origin,
        path: pathname + search,
        method: 'POST',
        headers,
        body: webhook.body,
      } as const;
      try {
        dispatcher.dispatch(options, request);
      } catch (error) {
        request.abort(error as Error);
      }
    });
  }

  #dispatcher(url: URL): Dispatcher {
    if (isLocalUrl(url) && this.#allowLocal) return this.#local;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    // Without a host name there is no lookup.
    if (url.protocol !== 'https:' || (isIP(host) !== 0 && !isPublicAddress(host)))
      throw new PrivateAddressError();
    return this.#public;
  }
}

function headersOf({ secrets, id, body, at }: OutgoingWebhook): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return {
    'content-type': 'application/json',
    'user-agent': 'People-API-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signWebhook(secrets, { id, timestamp, body }),
  };
}
