import type { PrismProxy, ProxiedRequest, ProxiedResponse } from './proxy.js';

export interface Exchange {
  readonly request: ProxiedRequest;
  readonly response: ProxiedResponse;
}

export type Headers = Record<string, string>;

/** Sends one request. `json` and `form` are serialized and set their media type; `body` is sent unchanged. */
export type Call = (
  method: string,
  path: string,
  options?: { headers?: Headers; json?: unknown; form?: Headers; body?: string },
) => Promise<ProxiedResponse>;

/** Sends requests through Prism and keeps every exchange. */
export class Recorder {
  readonly exchanges: Exchange[] = [];
  readonly #prism: PrismProxy;

  constructor(prism: PrismProxy) {
    this.#prism = prism;
  }

  async send(request: ProxiedRequest): Promise<ProxiedResponse> {
    const response = await this.#prism.send(request);
    this.exchanges.push({ request, response });
    return response;
  }

  readonly call: Call = (method, path, { headers = {}, json, form, body } = {}) => {
    const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
    const text = form === undefined ? json && JSON.stringify(json) : new URLSearchParams(form).toString();
    const sent = body ?? (text as string | undefined);
    return this.send({
      label: 'created manually',
      method,
      path,
      headers: sent === undefined ? headers : { 'content-type': type, ...headers },
      ...(sent !== undefined && { body: sent }),
    });
  };
}
