import { createHmac } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { describeConnectionError } from '../../../platform/network/connection-errors.js';
import {
  isPrivateLiteral,
  PrivateAddressError,
  publicLookup,
} from '../../../platform/network/public-address.js';
import { isLocalUrl } from '../../../platform/network/receiver-url.js';
import { secretPrefix } from '../webhook-secrets.js';

const timedOut = new Error('No response within 15 seconds');

/** The process stops. */
const interrupted = new Error('The server stopped during the attempt');

/** Describes why there was no response, as a sentence without its full stop. */
function describeSendError(error: unknown): string {
  if (error === timedOut || error === interrupted) return (error as Error).message;
  return describeConnectionError(error);
}

/**
 * Signs a webhook with each secret.
 *
 * @param secrets `whsec_` and base64
 * @returns value of the header `webhook-signature`
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signWebhook(
  secrets: readonly string[],
  { id, timestamp, body }: { id: string; timestamp: string; body: Buffer },
): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
    })
    .join(' ');
}

/** Bytes of a response that are read, and characters that are kept. */
const maximumRead = 4096;
const maximumKept = 500;

interface WebhookResponse {
  readonly status: number;
  /** Start of the body. */
  readonly text: string;
  /** Value of the header `Retry-After`. */
  readonly retryAfter: string | null;
}

/**
 * One request, and the start of its response. It is passed to `dispatch`: `request` of undici creates a stream for each response,
 * which takes 20 of 50 microseconds (benchmark `webhook-deliveries-small`).
 */
class WebhookRequest implements Dispatcher.DispatchHandler {
  readonly #settle: (error: Error | null, response?: WebhookResponse) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #retryAfter: string | null = null;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #ended: Error | null | undefined;

  /** @param settle called once */
  constructor(settle: (error: Error | null, response?: WebhookResponse) => void) {
    this.#settle = settle;
  }

  /** Aborts the request. Does nothing when it has ended. */
  abort(reason: Error): void {
    if (this.#end(reason)) this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It was aborted before the connection was opened.
    if (this.#ended) controller.abort(this.#ended);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    const retryAfter = headers['retry-after'];
    this.#status = status;
    this.#retryAfter = typeof retryAfter === 'string' ? retryAfter : null;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    // Closes the connection.
    if (this.#size >= maximumRead && this.#end(null)) controller.abort(new Error('The rest is not read'));
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(error);
  }

  /** @returns whether it had not ended before */
  #end(error: Error | null): boolean {
    if (this.#ended !== undefined) return false;
    this.#ended = error;
    if (error !== null) this.#settle(error);
    else this.#settle(null, { status: this.#status, text: this.#text(), retryAfter: this.#retryAfter });
    return true;
  }

  #text(): string {
    if (this.#size === 0) return '';
    const text = Buffer.concat(this.#chunks).subarray(0, maximumRead).toString('utf8');
    return [...text.replaceAll('\0', '')].slice(0, maximumKept).join('');
  }
}

/** Milliseconds from the connection to the end of the response. */
export const timeoutMilliseconds = 15_000;

interface OutgoingWebhook {
  readonly url: string;
  /** Each signs the webhook: two during a rotation. */
  readonly secrets: readonly string[];
  readonly id: string;
  readonly body: Buffer;
  readonly at: Date;
}

/** The outcome of an attempt. */
export interface DeliveryAttempt {
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
  #agents: ReturnType<typeof createAgents> | undefined;
  readonly #requests = new Set<WebhookRequest>();
  #isInterrupted = false;

  /** @param allowLocal whether requests to `http://localhost` are sent */
  constructor({ allowLocal }: { allowLocal: boolean }) {
    this.#allowLocal = allowLocal;
  }

  /** Never rejects. */
  async send(webhook: OutgoingWebhook): Promise<DeliveryAttempt> {
    const start = performance.now();
    const rest = () => ({ durationMs: Math.round(performance.now() - start) });
    try {
      const { status, text, retryAfter } = await this.#exchange(webhook);
      return { status, error: null, response: text, retryAfter, isInterrupted: false, ...rest() };
    } catch (error) {
      const isInterrupted = error === interrupted;
      const none = { status: null, response: null, retryAfter: null };
      return { ...none, error: describeSendError(error), isInterrupted, ...rest() };
    }
  }

  /** Aborts all attempts, including later ones. */
  interrupt(): void {
    this.#isInterrupted = true;
    for (const request of this.#requests) request.abort(interrupted);
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    const agents = await this.#agents;
    await Promise.all([agents?.publicServers.destroy(), agents?.localServers.destroy()]);
  }

  async #exchange(webhook: OutgoingWebhook): Promise<WebhookResponse> {
    const url = new URL(webhook.url);
    const dispatcher = await this.#dispatcher(url);
    if (this.#isInterrupted) throw interrupted;
    const headers = headersOf(webhook);
    return await new Promise((resolve, reject) => {
      const request = new WebhookRequest((error, response) => {
        clearTimeout(timer);
        this.#requests.delete(request);
        if (response === undefined) reject(error);
        else resolve(response);
      });
      const timer = setTimeout(() => request.abort(timedOut), timeoutMilliseconds);
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

  async #dispatcher(url: URL): Promise<Dispatcher> {
    const isLocal = isLocalUrl(url) && this.#allowLocal;
    if (!isLocal && (url.protocol !== 'https:' || isPrivateLiteral(url.hostname)))
      throw new PrivateAddressError();
    this.#agents ??= createAgents();
    const { localServers, publicServers } = await this.#agents;
    return isLocal ? localServers : publicServers;
  }
}

/** The library is loaded with the first webhook. */
async function createAgents() {
  const { Agent } = await import('undici');
  return { localServers: new Agent(), publicServers: new Agent({ connect: { lookup: publicLookup } }) };
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
