import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Contract, Operation } from '../contract/contract.js';
import { methodsByPath } from '../contract/methods-by-path.js';
import { hasEmptyParameter } from './binding/request-syntax.js';

const requestHeaders = [
  'accept',
  'authorization',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'x-request-id',
];
const exposedHeaders = [
  'allow',
  'content-disposition',
  'deprecation',
  'etag',
  'location',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'sunset',
  'www-authenticate',
  'x-request-id',
].join(', ');

/** Seconds for which a browser may remember what it asked. */
const maximumAge = '600';

/**
 * Scripts of any origin may call an operation and read the answer: what they may do is decided by a token that
 * they must have, never by a cookie. The consent page is for people and is left out.
 */
export function allowCrossOrigin(request: FastifyRequest, reply: FastifyReply): void {
  const { operation } = request.routeOptions.config;
  if (operation === undefined || !isCallable(operation) || hasEmptyParameter(request)) return;
  reply.header('access-control-allow-origin', '*');
  reply.header('access-control-expose-headers', exposedHeaders);
}

/** Answers the question that browsers ask before they send a cross-origin request, for each path that has one. */
export async function preflightRoutes(
  app: FastifyInstance,
  { contract }: { contract: Contract },
): Promise<void> {
  const callable = [...contract.operations.values()].filter(isCallable);
  for (const [template, methods] of methodsByPath(callable)) {
    const path = template.replaceAll(/\{(\w+)\}/g, ':$1');
    // Before a body is read: nothing of a preflight is in it.
    const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
      // Without this header it is no preflight, and OPTIONS is a method that the contract does not have.
      if (request.headers['access-control-request-method'] === undefined || hasEmptyParameter(request)) {
        return reply.callNotFound();
      }
      return reply
        .code(204)
        .headers({
          'access-control-allow-origin': '*',
          'access-control-allow-methods': methods.join(', '),
          'access-control-allow-headers': requestHeaders.join(', '),
          'access-control-max-age': maximumAge,
        })
        .send();
    };
    app.options(path, { onRequest }, async () => undefined);
  }
}

function isCallable({ id }: Operation): boolean {
  return id !== 'authorize';
}
