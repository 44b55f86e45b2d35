import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import openapiGlue from 'fastify-openapi-glue';
import {
  type Contract,
  type ContractDocument,
  type Operation,
  type OperationId,
  operationOf,
} from '../../contract/contract.js';
import { accountScope, noAccount, type TenantScope, withScope } from '../../database/scope.js';
import type { Principal } from '../principal.js';
import type { RequestQueue } from '../request-queue.js';
import type { Handlers } from './handlers.js';
import { checkCharset, createGuard, hasEmptyParameter } from './request-syntax.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether errors are pages for browsers. Default: outside of the API they are. */
    page?: boolean;
  }
}

/**
 * Authenticates the caller, applies the rate limit and checks the scopes.
 *
 * @param otherScopes sets of scopes of which a token may have one instead
 * @throws {Problem} 429 `rate_limit_exceeded`; 401 `unauthorized`, `invalid_token` or `token_expired`; 403
 *   `insufficient_scope`
 */
export type Authenticate = (
  request: FastifyRequest,
  reply: FastifyReply,
  scopes: readonly string[],
  otherScopes: Operation['otherScopes'],
) => Promise<Principal>;

/**
 * Limits requests to operations without a bearer token: before they are parsed, or after they were rejected.
 *
 * @throws {Problem} 429 `rate_limit_exceeded`
 */
export interface PublicRateLimiter {
  admit(operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void>;
  admitRejected(
    operation: Operation,
    error: FastifyError,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void>;
}

/** The part of a route that fastify-openapi-glue derives from an operation. */
export type ContractRoute = Pick<RouteOptions, 'method' | 'url' | 'schema'>;

/** Routes that fastify-openapi-glue has derived from a contract before. */
export type ContractRoutes = ReadonlyMap<OperationId, ContractRoute>;

type BeforeValidation = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

interface Binding {
  readonly contract: Contract;
  readonly handlers: Handlers;
  readonly authenticate: Authenticate;
  readonly publicRateLimiter: PublicRateLimiter;
  readonly queue: RequestQueue;
  /** By operation, what changes a request before it is validated. */
  readonly beforeValidation: Partial<Record<OperationId, BeforeValidation>>;
  /** Default: they are derived here. Several applications in a process can share them. */
  readonly routes?: ContractRoutes | undefined;
}

/**
 * Adds a route for every operation of the contract. Unauthenticated requests are not parsed or validated.
 *
 * @throws {Error} when an operation has no handler, a handler has no operation, an operation that needs a
 *   token does not declare 401 and 403
 */
export async function bindContract(app: FastifyInstance, binding: Binding): Promise<void> {
  const { contract, handlers, routes } = binding;
  assertParity(contract, handlers);
  app.decorateRequest('caller', null);
  // fastify-openapi-glue adds method, URL and schema.
  const optionsOf = (id: OperationId) =>
    routeFor(operationOf(contract, id), binding) as Omit<RouteOptions, keyof ContractRoute>;
  if (routes !== undefined) {
    for (const [id, route] of routes) app.route({ ...route, ...optionsOf(id) });
    return;
  }
  // fastify-openapi-glue warns about each media type of responses that no request has.
  const { level } = app.log;
  app.log.level = 'error';
  await app.register(openapiGlue, {
    specification: specificationOf(contract),
    operationResolver: (id) => optionsOf(id as OperationId) as RouteOptions,
  });
  app.log.level = level;
}

/**
 * The contract for the request check. A parameter with `x-required-unless` is required: a request that may omit it has it when it is
 * validated, from {@link Binding.beforeValidation}.
 */
export function specificationOf({ document }: Contract): ContractDocument {
  return JSON.parse(JSON.stringify(document), (_, value) =>
    value?.['x-required-unless'] === undefined ? value : { ...value, required: true },
  );
}

function routeFor(
  operation: Operation,
  { handlers, authenticate, publicRateLimiter, queue, beforeValidation }: Binding,
): Partial<RouteOptions> {
  const { scopes, otherScopes } = operation;
  const guard = createGuard(operation);
  const before = beforeValidation[operation.id];
  const mayHaveBody = !bodilessMethods.includes(operation.method);
  return {
    config: { operation },
    onRequest: async (request, reply) => {
      if (operation.deprecation !== null) reply.headers({ ...operation.deprecation });
      if (hasEmptyParameter(request)) return reply.callNotFound();
      if (scopes === null) await publicRateLimiter.admit(operation, request, reply);
      else request.caller = await authenticate(request, reply, scopes, otherScopes);
      if (operation.body !== null) checkCharset(request.headers['content-type'], operation);
      else if (mayHaveBody) request.headers = noBody;
    },
    ...(scopes === null && {
      errorHandler: async (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
        await publicRateLimiter.admitRejected(operation, error, request, reply);
        // Passes the error on to the error handler of the server.
        throw error;
      },
    }),
    preValidation:
      before === undefined
        ? (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
            guard(request);
            done();
          }
        : async (request: FastifyRequest, reply: FastifyReply) => {
            await before(request, reply);
            guard(request);
          },
    handler: handlerFor(operation, handlers, queue),
  };
}

/** Methods with which Fastify does not read a body. */
const bodilessMethods: readonly string[] = ['GET', 'DELETE'];

/** Headers from which Fastify concludes that there is no body. They override those of the request. */
const noBody = { 'content-type': undefined, 'content-length': undefined, 'transfer-encoding': undefined };

/** Supertype of the outputs of all operations. */
interface AnyOutput {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly records?: number;
  readonly body?: unknown;
  readonly type?: string;
}

function handlerFor(operation: Operation, handlers: Handlers, queue: RequestQueue) {
  const { id, setsScope, queued } = operation;
  const handle = handlers[id].bind(handlers) as (input: unknown) => Promise<AnyOutput>;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { params, query, body, caller } = request;
    const input = { params, query, body, caller, operation, request, reply };
    const run = () => (setsScope ? handle(input) : withScope(scopeOf(caller), () => handle(input)));
    const output = await (queued ? queue.run(reply.raw, run) : run());
    reply.code(output.status);
    if (output.records !== undefined) request.records = output.records;
    if (output.headers !== undefined) reply.headers(output.headers);
    if (output.body === undefined) return reply.send();
    reply.type(contentType(output.type));
    return reply.send(output.body);
  };
}

function scopeOf(caller: Principal | null): TenantScope {
  return caller === null ? noAccount : accountScope(caller.accountId);
}

/** Adds the charset to text types; JSON is always UTF-8. */
function contentType(mediaType = 'application/json'): string {
  return mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType;
}

function assertParity({ operations }: Contract, handlers: object): void {
  const mismatches: string[] = [];
  for (const operation of operations.values()) {
    const { id, scopes, responses } = operation;
    if (typeof (handlers as Record<string, unknown>)[id] !== 'function')
      mismatches.push(`${id} has no handler`);
    if (scopes !== null && !(responses.has(401) && responses.has(403))) {
      mismatches.push(`${id} needs a token and must declare 401 and 403`);
    }
  }
  for (const id of Object.keys(handlers)) {
    if (!operations.has(id as OperationId)) mismatches.push(`${id} is not in the contract`);
  }
  if (mismatches.length > 0) throw new Error(`Contract and handlers differ: ${mismatches.join('; ')}`);
}
