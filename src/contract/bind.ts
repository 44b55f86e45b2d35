import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import openapiGlue from 'fastify-openapi-glue';
import { accountScope, nothing, withScope } from '../database/scope.js';
import type { Principal } from '../oauth/principal.js';
import type { Contract, Operation, OperationId } from './contract.js';
import { createGuard, hasEmptyParameter } from './guard.js';
import { type Handlers, publicOperations } from './handlers.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The contract's operation that the route serves; absent on pages and other plain routes. */
    operation?: Operation;
    /** Marks a route that people use with a browser: its refusals are pages. */
    page?: boolean;
  }
  interface FastifyRequest {
    /** Set once the bearer token is accepted; `null` on operations that ask for none. */
    caller: Principal | null;
  }
}

/**
 * Finds who calls, and whether the scopes suffice.
 *
 * @throws {Problem} 401 or 403
 */
export type Authenticate = (request: FastifyRequest, scopes: readonly string[]) => Promise<Principal>;

/**
 * Serves every operation of the contract. Nothing of an unauthenticated request is parsed or validated.
 *
 * @throws {Error} when an operation has no handler, a handler has no operation, an operation that needs a
 *   token declares no 401 or 403, or the list of public operations is not the contract's: the process must not
 *   start then.
 */
export async function bindContract(
  app: FastifyInstance,
  {
    contract,
    handlers,
    authenticate,
  }: { contract: Contract; handlers: Handlers; authenticate: Authenticate },
): Promise<void> {
  assertParity(contract, handlers);
  app.decorateRequest('caller', null);
  // The glue warns of every media type that responses have and no request does.
  const { level } = app.log;
  app.log.level = 'error';
  await app.register(openapiGlue, {
    specification: structuredClone(contract.document),
    operationResolver: (id) => {
      const operation = contract.operations.get(id as OperationId);
      if (operation === undefined) throw new Error(`The contract has no operation ${id}`);
      // The glue adds method, URL and schema.
      return routeFor(operation, handlers, authenticate) as RouteOptions;
    },
  });
  app.log.level = level;
}

function routeFor(
  operation: Operation,
  handlers: Handlers,
  authenticate: Authenticate,
): Partial<RouteOptions> {
  const { scopes } = operation;
  const guard = createGuard(operation);
  return {
    config: { operation },
    onRequest: async (request, reply) => {
      if (hasEmptyParameter(request)) return reply.callNotFound();
      if (scopes !== null) request.caller = await authenticate(request, scopes);
    },
    preValidation: (request, _reply, done) => {
      guard(request);
      done();
    },
    handler: handlerFor(operation.id, handlers),
  };
}

/** What every operation's output is assignable to. */
interface AnyOutput {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly type?: string;
}

function handlerFor(id: OperationId, handlers: Handlers) {
  const handle = handlers[id].bind(handlers) as (input: unknown) => Promise<AnyOutput>;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { params, query, body, caller } = request;
    const scope = caller === null ? nothing : accountScope(caller.accountId);
    const output = await withScope(scope, () => handle({ params, query, body, caller, request, reply }));
    reply.code(output.status);
    if (output.headers !== undefined) reply.headers(output.headers);
    if (output.body === undefined) return reply.send();
    reply.type(contentType(output.type));
    return reply.send(output.body);
  };
}

/** Text says which encoding it has; JSON is always UTF-8. */
function contentType(mediaType = 'application/json'): string {
  return mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType;
}

function assertParity({ operations }: Contract, handlers: object): void {
  const faults: string[] = [];
  for (const operation of operations.values()) {
    const { id, scopes, responses } = operation;
    if (typeof (handlers as Record<string, unknown>)[id] !== 'function') faults.push(`${id} has no handler`);
    if (scopes !== null && !(responses.has(401) && responses.has(403))) {
      faults.push(`${id} needs a token and must declare 401 and 403`);
    }
    const listedAsPublic = (publicOperations as readonly string[]).includes(id);
    if ((scopes === null) !== listedAsPublic)
      faults.push(`publicOperations and the security of ${id} differ`);
  }
  for (const id of Object.keys(handlers)) {
    if (!operations.has(id as OperationId)) faults.push(`${id} is not in the contract`);
  }
  if (faults.length > 0) throw new Error(`Contract and handlers disagree: ${faults.join('; ')}`);
}
