import type { ServerResponse } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import openapiGlue from 'fastify-openapi-glue';
import type { Contract, Operation, OperationId } from '../../contract/contract.js';
import { accountScope, noAccount, type Scope, withScope } from '../../database/scope.js';
import type { Principal } from '../../oauth/principal.js';
import { checkCharset } from './charset.js';
import { type Handlers, type PublicOperation, publicOperations } from './handlers.js';
import { createGuard, hasEmptyParameter } from './request-syntax.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Marks a route that people use with a browser: its refusals are pages. */
    page?: boolean;
  }
}

/**
 * Finds who calls, whether within the limit, and whether the scopes suffice.
 *
 * @throws {Problem} 429, 401 or 403
 */
export type Authenticate = (
  request: FastifyRequest,
  reply: FastifyReply,
  scopes: readonly string[],
) => Promise<Principal>;

/**
 * Limits the requests to operations that ask for no token: before anything of them is read, or when they are refused.
 *
 * @throws {Problem} 429
 */
export interface PublicGate {
  admit(id: PublicOperation, request: FastifyRequest, reply: FastifyReply): Promise<void>;
  admitRejected(
    id: PublicOperation,
    error: FastifyError,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void>;
}

/** Limits how many requests are handled at the same time. */
export interface HandlerQueue {
  /** @throws {Problem} 503 */
  run<Output>(id: OperationId, response: ServerResponse, handle: () => Promise<Output>): Promise<Output>;
}

/** What is asked of every request before the handler of its operation is. */
interface Gates {
  readonly authenticate: Authenticate;
  readonly publicGate: PublicGate;
  readonly queue: HandlerQueue;
}

/**
 * Serves every operation of the contract. Nothing of an unauthenticated request is parsed or validated.
 *
 * @throws {Error} when an operation has no handler, a handler has no operation, an operation that needs a
 *   token declares no 401 or 403, or the list of public operations is not the contract's: the process must not
 *   start then.
 */
export async function bindContract(
  app: FastifyInstance,
  { contract, handlers, ...gates }: { contract: Contract; handlers: Handlers } & Gates,
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
      return routeFor(operation, handlers, gates) as RouteOptions;
    },
  });
  app.log.level = level;
}

function routeFor(
  operation: Operation,
  handlers: Handlers,
  { authenticate, publicGate, queue }: Gates,
): Partial<RouteOptions> {
  const { scopes } = operation;
  const id = operation.id as PublicOperation;
  const guard = createGuard(operation);
  return {
    config: { operation },
    onRequest: async (request, reply) => {
      if (operation.deprecation !== null) reply.headers({ ...operation.deprecation });
      if (hasEmptyParameter(request)) return reply.callNotFound();
      if (scopes === null) await publicGate.admit(id, request, reply);
      else request.caller = await authenticate(request, reply, scopes);
      if (operation.body !== null) checkCharset(request.headers['content-type'], operation);
    },
    ...(scopes === null && {
      errorHandler: async (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
        await publicGate.admitRejected(id, error, request, reply);
        // The handler of all other errors answers this one as well.
        throw error;
      },
    }),
    preValidation: (request, _reply, done) => {
      guard(request);
      done();
    },
    handler: handlerFor(operation.id, handlers, queue),
  };
}

/** Operations that are asked for the most, whose handlers say themselves which rows their statements may touch. */
const scopedByThemselves: ReadonlySet<OperationId> = new Set(['listEmployees', 'getEmployee', 'createToken']);

/** What every operation's output is assignable to. */
interface AnyOutput {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly records?: number;
  readonly body?: unknown;
  readonly type?: string;
}

function handlerFor(id: OperationId, handlers: Handlers, queue: HandlerQueue) {
  const handle = handlers[id].bind(handlers) as (input: unknown) => Promise<AnyOutput>;
  const scopesItself = scopedByThemselves.has(id);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { params, query, body, caller } = request;
    const input = { params, query, body, caller, request, reply };
    const output = await queue.run(id, reply.raw, () =>
      scopesItself ? handle(input) : withScope(scopeOf(caller), () => handle(input)),
    );
    reply.code(output.status);
    if (output.records !== undefined) request.records = output.records;
    if (output.headers !== undefined) reply.headers(output.headers);
    if (output.body === undefined) return reply.send();
    reply.type(contentType(output.type));
    return reply.send(output.body);
  };
}

function scopeOf(caller: Principal | null): Scope {
  return caller === null ? noAccount : accountScope(caller.accountId);
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
