import type { ServerResponse } from 'node:http';
import { Problem } from '../problems/problem.js';

/** Aborts the processing of a request whose client has disconnected. It is neither logged nor sent. */
export const clientDisconnected = new Problem('service_unavailable', 'The client has disconnected.');

/**
 * Creates a controller whose signal aborts when the client disconnects, with {@link clientDisconnected} as its reason. It
 * also aborts after the response is complete, which has no effect.
 */
export function abortOnDisconnect(response: Pick<ServerResponse, 'once' | 'destroyed'>): AbortController {
  const controller = new AbortController();
  const abort = () => controller.abort(clientDisconnected);
  if (response.destroyed) abort();
  else response.once('close', abort);
  return controller;
}
