import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Operation, ProblemCode } from '../contract/contract.js';
import type { Principal } from '../http/principal.js';

/** Ids of the identified caller. */
export interface CallerIds {
  readonly accountId?: string | undefined;
  readonly applicationId?: string | undefined;
  /** Client of a validly signed token whose application was not read. */
  readonly clientId?: string | undefined;
  readonly userId?: string | null | undefined;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Operation of the route; absent for pages and other routes. */
    operation?: Operation;
  }
  interface FastifyRequest {
    /** Set when the bearer token is accepted; `null` for operations without a token. */
    caller: Principal | null;
    /** Set when the caller is identified; missing if Fastify rejected the request before routing. */
    callerIds: CallerIds | null;
    /** The application whose client authentication failed. */
    rejectedClient: CallerIds | null;
    /** Code of the problem document in the response. */
    problemCode: ProblemCode | null;
    traceId: string | null;
    /** Number of resources in the response, such as employees or events; for a stream, the number sent so far. */
    records: number;
  }
}

export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('callerIds', null);
  app.decorateRequest('rejectedClient', null);
  app.decorateRequest('problemCode', null);
  app.decorateRequest('traceId', null);
  app.decorateRequest('records', 0);
}

/**
 * Name of the route, with low cardinality: the operation of the contract, method and pattern of another route, or `unknown`.
 * Never the URL, which may contain any text.
 */
export function operationOf({ routeOptions: { config, url } }: FastifyRequest, method: string): string {
  if (config?.operation !== undefined) return config.operation.id;
  return url === undefined ? 'unknown' : `${method} ${url}`;
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The method if it is a common one. */
export function methodOf({ method }: FastifyRequest): string {
  return methods.has(method) ? method : 'other';
}
