import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
} from 'fastify';
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

export interface FinishedRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Name of the route, see {@link operationOf}. */
  readonly operation: string;
  readonly method: string;
  /** Absent when the client disconnected before the response. */
  readonly status: number | undefined;
  /** Whether the client disconnected or the response was aborted before its end. */
  readonly aborted: boolean;
  readonly durationMs: number;
  readonly caller: CallerIds | null;
  readonly problemCode: ProblemCode | null;
}

export interface RequestObserver {
  started?(request: FastifyRequest): void;
  /** Continues the request in the context of the observer. */
  within?(request: FastifyRequest, proceed: () => void): void;
  finished(finished: FinishedRequest): void;
}

type ErrorHandler<Failure> = (error: Failure, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Observes every request from its headers to the last byte of its response. */
export class RequestWatch {
  readonly #observers: readonly RequestObserver[];

  constructor(observers: readonly RequestObserver[]) {
    this.#observers = observers;
  }

  /** Watches all requests that are routed, with or without a route. Must be registered before any other hook. */
  attach(app: FastifyInstance): void {
    decorateRequests(app);
    app.addHook('onRequest', (request, reply, done) => {
      this.#start(request, reply);
      done();
    });
    for (const observer of this.#observers) {
      if (observer.within === undefined) continue;
      const enter: onRequestHookHandler = (request, _reply, done) => observer.within?.(request, done);
      app.addHook('onRequest', enter);
      // After the body is parsed, execution continues from an event of the connection, outside of the request context.
      app.addHook('preValidation', enter);
    }
  }

  /** Watches requests that Fastify passes to this handler before any hook. */
  including<Failure>(handle: ErrorHandler<Failure>): ErrorHandler<Failure> {
    return (error, request, reply) => {
      this.#start(request, reply);
      return handle(error, request, reply);
    };
  }

  #start(request: FastifyRequest, reply: FastifyReply): void {
    const startedAt = performance.now();
    for (const observer of this.#observers) observer.started?.(request);
    // Unlike `finish`, `close` is also emitted when the client disconnects.
    reply.raw.once('close', () => {
      const finished = describe(request, reply, performance.now() - startedAt);
      for (const observer of this.#observers) observer.finished(finished);
    });
  }
}

function describe(request: FastifyRequest, reply: FastifyReply, durationMs: number): FinishedRequest {
  const method = methodOf(request);
  const started = isStarted(reply.raw);
  return {
    request,
    reply,
    operation: operationOf(request, method),
    method,
    status: started ? reply.raw.statusCode : undefined,
    aborted: !started || !reply.raw.writableEnded,
    durationMs,
    caller: request.callerIds ?? null,
    problemCode: request.problemCode ?? null,
  };
}

/** Whether a part of the response was sent. A pipelined response that waits has headers but no socket. */
function isStarted({ headersSent, writableFinished, socket }: ServerResponse): boolean {
  return headersSent && (writableFinished || socket !== null);
}

type Level = 'debug' | 'info' | 'error';

const rejectionStatuses: ReadonlySet<number> = new Set([401, 403, 429]);

const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Logs one line for each completed request. A line takes at least a tenth of the processor time of a small request, so
 * successful reads have the level `debug`.
 */
export class RequestLog implements RequestObserver {
  readonly #logger: FastifyBaseLogger & { isLevelEnabled?(level: string): boolean };
  readonly #slowMs: number;

  /** @param slowRequestMs duration from which a request is always logged */
  constructor(logger: FastifyBaseLogger, { slowRequestMs }: { slowRequestMs: number }) {
    this.#logger = logger;
    this.#slowMs = slowRequestMs;
  }

  finished(finished: FinishedRequest): void {
    const level = this.#levelOf(finished);
    if (this.#logger.isLevelEnabled?.(level) === false) return;
    this.#logger[level](lineOf(finished), 'request done');
  }

  #levelOf({ status, aborted, method, operation, durationMs }: FinishedRequest): Level {
    if (status !== undefined && status >= 500) return 'error';
    if (aborted || status === undefined || rejectionStatuses.has(status) || durationMs >= this.#slowMs)
      return 'info';
    // Token requests are frequent, and the audit log has each of them.
    if (operation === 'createToken') return 'debug';
    const isChange = !readingMethods.has(method) && operation !== 'unknown' && status < 400;
    return isChange ? 'info' : 'debug';
  }
}

/** Members of a log line. They contain no text of the client: no URL, headers or body. */
function lineOf(finished: FinishedRequest): object {
  const { request, reply, method, operation, status, aborted, durationMs, caller, problemCode } = finished;
  const bytes = Number(reply.getHeader('content-length'));
  return {
    request_id: request.id,
    method,
    operation,
    status,
    duration_ms: Math.round(durationMs * 10) / 10,
    ...(Number.isInteger(bytes) && { bytes }),
    ...(caller?.accountId && { account_id: caller.accountId }),
    ...(caller?.applicationId && { application_id: caller.applicationId }),
    ...(caller?.userId && { user_id: caller.userId }),
    ...(problemCode !== null && { problem: problemCode }),
    ...(aborted && { aborted }),
    ...(request.traceId && { trace_id: request.traceId }),
  };
}

function decorateRequests(app: FastifyInstance): void {
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
