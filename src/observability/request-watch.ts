import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { ProblemCode } from '../contract/contract.js';
import { decorateRequests, methodOf, operationOf, type Party, partyOf } from './request-context.js';

/** What became of a request. */
export interface FinishedRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** One of a bounded number of names. */
  readonly operation: string;
  readonly method: string;
  /** Absent when the client went away before it was answered. */
  readonly status: number | undefined;
  /** The client went away, or the answer was broken off, before its end. */
  readonly aborted: boolean;
  readonly durationMs: number;
  readonly party: Party | null;
  readonly problemCode: ProblemCode | null;
}

/** Something that is told of requests. */
export interface RequestObserver {
  started?(request: FastifyRequest): void;
  /** Goes on with the request, within what belongs to the observer. */
  within?(request: FastifyRequest, proceed: () => void): void;
  finished(finished: FinishedRequest): void;
}

type ErrorHandler<Failure> = (error: Failure, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Follows every request from its headers to the last byte of its answer. */
export class RequestWatch {
  readonly #observers: readonly RequestObserver[];

  constructor(observers: readonly RequestObserver[]) {
    this.#observers = observers;
  }

  /** Watches all requests that find a route, or find that there is none. Has to come before any other hook. */
  attach(app: FastifyInstance): void {
    decorateRequests(app);
    app.addHook('onRequest', (request, reply, done) => {
      this.#begin(request, reply);
      done();
    });
    for (const observer of this.#observers) {
      if (observer.within === undefined) continue;
      const enter: onRequestHookHandler = (request, _reply, done) => observer.within?.(request, done);
      app.addHook('onRequest', enter);
      // What reads a body goes on from an event of the connection, which belongs to no request.
      app.addHook('preValidation', enter);
    }
  }

  /** Watches the requests that Fastify hands to this handler before any hook has run. */
  including<Failure>(handle: ErrorHandler<Failure>): ErrorHandler<Failure> {
    return (error, request, reply) => {
      this.#begin(request, reply);
      return handle(error, request, reply);
    };
  }

  #begin(request: FastifyRequest, reply: FastifyReply): void {
    const startedAt = performance.now();
    for (const observer of this.#observers) observer.started?.(request);
    // Unlike `finish`, it comes when the client goes away, too.
    reply.raw.once('close', () => {
      const finished = describe(request, reply, performance.now() - startedAt);
      for (const observer of this.#observers) observer.finished(finished);
    });
  }
}

function describe(request: FastifyRequest, reply: FastifyReply, durationMs: number): FinishedRequest {
  const method = methodOf(request);
  const begun = wasBegun(reply.raw);
  return {
    request,
    reply,
    operation: operationOf(request, method),
    method,
    status: begun ? reply.raw.statusCode : undefined,
    aborted: !begun || !reply.raw.writableEnded,
    durationMs,
    party: partyOf(request),
    problemCode: request.problemCode ?? null,
  };
}

/** Whether anything of an answer was sent. One that waited behind another has headers, and had no connection yet. */
function wasBegun({ headersSent, writableFinished, socket }: ServerResponse): boolean {
  return headersSent && (writableFinished || socket !== null);
}
