import type { FastifyRequest } from 'fastify';
import { type Contract, methodsByPath } from '../contract/contract.js';
import { Problem } from '../problems/problem.js';
import { pathOf } from './error-handler.js';

/** Methods of a path in the contract as the value of an `Allow` header; `null` for an unknown path. */
type AllowedMethods = (path: string) => string | null;

/** @see RFC 9110 section 10.2.1 */
export function createAllowedMethods(contract: Contract): AllowedMethods {
  const paths = [...methodsByPath(contract.operations.values())].map(([template, methods]) => ({
    segments: template.split('/').map((segment) => (segment.startsWith('{') ? null : segment)),
    methods: methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)).join(', '),
  }));
  return (path) => {
    const segments = path.split('/');
    return paths.find((known) => matches(known.segments, segments))?.methods ?? null;
  };
}

/** @param template `null` is a parameter, which is never empty */
function matches(template: readonly (string | null)[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) => (part === null ? segments[index] !== '' : part === segments[index]))
  );
}

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
