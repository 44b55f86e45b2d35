import type { ProxiedRequest, ProxiedResponse } from './proxy.js';
import type { Recorder } from './recorder.js';

export type Headers = Record<string, string>;

/** Sends one request. `json` and `form` are serialized and set their media type; `body` is sent unchanged. */
export type Call = (
  method: string,
  path: string,
  options?: { headers?: Headers; json?: unknown; form?: Headers; body?: string },
) => Promise<ProxiedResponse>;

export function caller(recorder: Recorder): Call {
  return (method, path, { headers = {}, json, form, body } = {}) => {
    const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
    const text = form === undefined ? json && JSON.stringify(json) : new URLSearchParams(form).toString();
    const sent = body ?? (text as string | undefined);
    const request: ProxiedRequest = {
      label: 'created manually',
      method,
      path,
      headers: sent === undefined ? headers : { 'content-type': type, ...headers },
      ...(sent !== undefined && { body: sent }),
    };
    return recorder.send(request);
  };
}
