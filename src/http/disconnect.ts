import type { ServerResponse } from 'node:http';
import { Problem } from '../problems/problem.js';

/** Ends the work on a request whose client has disconnected. It is not logged, and no client receives it. */
export const clientDisconnected = new Problem('service_unavailable', 'The client has disconnected.');

/**
 * Makes a controller whose signal aborts when the client disconnects, with a problem as its reason. It also aborts after
 * the response is complete, when no work is left.
 */
export function abortOnDisconnect(response: Pick<ServerResponse, 'once' | 'destroyed'>): AbortController {
  const controller = new AbortController();
  const abort = () => controller.abort(clientDisconnected);
  if (response.destroyed) abort();
  else response.once('close', abort);
  return controller;
}
