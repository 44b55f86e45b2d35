import type { Dispatcher } from 'undici';

/** Bytes of a response that are read, and characters that are kept. */
const maximumRead = 4096;
const maximumKept = 500;

export interface WebhookResponse {
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
export class WebhookRequest implements Dispatcher.DispatchHandler {
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
