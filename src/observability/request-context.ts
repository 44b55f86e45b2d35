import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Operation, ProblemCode } from '../contract/contract.js';
import type { Principal } from '../oauth/principal.js';

/** Whom a request turned out to come from, by the ids of their records. */
export interface Party {
  readonly accountId?: string | undefined;
  readonly applicationId?: string | undefined;
  /** Client that a genuine token was issued to, where nothing more is known of the application. */
  readonly clientId?: string | undefined;
  readonly userId?: string | null | undefined;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The contract's operation that the route serves; absent on pages and other plain routes. */
    operation?: Operation;
  }
  interface FastifyRequest {
    /** Set once the bearer token is accepted; `null` on operations that require none. */
    caller: Principal | null;
    /** Set as soon as the caller is recognized. An accepted bearer token sets `caller` as well, which says more. */
    party: Party | null;
    /** Code of the problem document that answers the request. */
    problemCode: ProblemCode | null;
    /** Trace that the request belongs to. */
    traceId: string | null;
    /** Employees, reports, report rows or users in the response; of a stream, those that were sent so far. */
    records: number;
  }
}

/** Lets every request carry what is found out about it. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('party', null);
  app.decorateRequest('problemCode', null);
  app.decorateRequest('traceId', null);
  app.decorateRequest('records', 0);
}

/** Who made a request, as far as it is known. */
export function partyOf({ caller, party }: FastifyRequest): Party | null {
  // A request that Fastify gave up on before it had a route has neither.
  return caller ?? party ?? null;
}

/**
 * Names what was asked for, by one of a few names: an operation of the contract, the pattern of another route with
 * its method, or `unknown`. Never an address, which may carry anything.
 */
export function operationOf({ routeOptions: { config, url } }: FastifyRequest, method: string): string {
  if (config?.operation !== undefined) return config.operation.id;
  return url === undefined ? 'unknown' : `${method} ${url}`;
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The method, where it is one of those that anybody uses. */
export function methodOf({ method }: FastifyRequest): string {
  return methods.has(method) ? method : 'other';
}
