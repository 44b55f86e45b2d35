import type { FastifyRequest } from 'fastify';
import { Problem } from '../problems/problem.js';
import type { AllowedMethods } from './allowed-methods.js';
import { pathOf } from './problem-sender.js';

/** Characters of the path that are repeated in the error. */
const maximumEcho = 1000;

/**
 * 404 `public-api-not-found`: no route has this method and path. If the path has other methods, `Allow` lists them.
 */
export function routeNotFound(request: FastifyRequest, allowedMethods?: AllowedMethods): Problem {
  const path = pathOf(request);
  const allow = allowedMethods?.(path) ?? null;
  const shown = path.length > maximumEcho ? `${path.slice(0, maximumEcho)}…` : path;
  return new Problem('public-api-not-found', `No route matches ${request.method} ${shown}.`, {
    ...(allow !== null && { headers: { allow } }),
  });
}
