import type { FastifyRequest } from 'fastify';
import { Problem } from '../problems/problem.js';
import { pathOf } from './problem-sender.js';

/** 404 `public-api-not-found`: no route has this method and path. */
export function routeNotFound(request: FastifyRequest): Problem {
  return new Problem('public-api-not-found', `No route matches ${request.method} ${pathOf(request)}.`);
}
