import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Contract, methodsByPath } from '../contract/contract.js';
import { hasEmptyParameter } from './binding/request-syntax.js';

const requestHeaders = [
  'accept',
  'authorization',
  'content-type',
  'dpop',
  'idempotency-key',
  'if-match',
  'if-none-match',
  // Clients of the Model Context Protocol send it with requests for metadata.
  'mcp-protocol-version',
  'x-request-id',
];
const exposedHeaders = [
  'allow',
  'content-disposition',
  'deprecation',
  'dpop-nonce',
  'etag',
  'location',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'sunset',
  'www-authenticate',
  'x-request-id',
].join(', ');

/** Seconds for which a browser may cache the response to a preflight request. */
const maximumAge = '600';

/**
 * Allows scripts of any origin to call operations: authorization depends on a bearer token, never on a cookie. The
 * consent screen is excluded.
 */
export function allowCrossOrigin(request: FastifyRequest, reply: FastifyReply): void {
  const { operation } = request.routeOptions.config;
  if (operation?.cors && !hasEmptyParameter(request)) allowAnyOrigin(reply);
}

/** Headers that allow scripts of any origin to read a response. */
export const anyOriginHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedHeaders,
};

/** Allows scripts of any origin to read a response, such as an error of a request that has no route. */
export function allowAnyOrigin(reply: FastifyReply): void {
  reply.headers(anyOriginHeaders);
}

/** Responds to preflight requests for the paths of the contract. */
export async function preflightRoutes(
  app: FastifyInstance,
  { contract }: { contract: Contract },
): Promise<void> {
  const callable = [...contract.operations.values()].filter(({ cors }) => cors);
  for (const [template, methods] of methodsByPath(callable)) {
    const path = template.replaceAll(/\{(\w+)\}/g, ':$1');
    allowPreflight(app, path, methods);
  }
}

export function allowPreflight(app: FastifyInstance, path: string, methods: readonly string[]): void {
  // Before the body is parsed, which a preflight request does not need.
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    // Without this header it is not a preflight request, and the contract has no OPTIONS operation.
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
