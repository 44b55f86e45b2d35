/*
 * Own code, because @fastify/otel 0.21.2 starts every span with `url.path` set to the whole URL, including codes and tokens
 * in its query. Its `requestHook` can replace it only after samplers and processors have read it. It also copies error
 * messages, which may repeat values of the request, ends a span before a download is sent, does not detect that a client
 * disconnects, and adds 13 MB of packages.
 */

import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { FastifyRequest } from 'fastify';
import type { Statement } from './observed-database.js';
import { type FinishedRequest, methodOf, operationOf, type RequestObserver } from './request-watch.js';

/**
 * Creates spans of requests and statements with the OpenTelemetry SDK that was set up before the server started. Without
 * one, the calls do nothing.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export class Tracing implements RequestObserver {
  readonly #tracer: Tracer = trace.getTracer('people-api');
  readonly #contexts = new WeakMap<FastifyRequest, Context>();

  started(request: FastifyRequest): void {
    const active = context.active();
    // The instrumentation of node:http has already continued the trace of the client.
    const nested = trace.getSpan(active) !== undefined;
    const parent = nested ? active : propagation.extract(active, request.headers);
    const kind = nested ? SpanKind.INTERNAL : SpanKind.SERVER;
    const name = operationOf(request, methodOf(request));
    const span = this.#tracer.startSpan(name, { kind, attributes: attributesOf(request) }, parent);
    const { traceId } = span.spanContext();
    if (isSpanContextValid(span.spanContext())) request.traceId = traceId;
    this.#contexts.set(request, trace.setSpan(parent, span));
  }

  /** Continues a request with its span as the active one. */
  within(request: FastifyRequest, proceed: () => void): void {
    const own = this.#contexts.get(request);
    if (own === undefined) proceed();
    else context.with(own, proceed);
  }

  finished(finished: FinishedRequest): void {
    const own = this.#contexts.get(finished.request);
    const span = own && trace.getSpan(own);
    if (span === undefined) return;
    span.setAttributes(outcomeOf(finished));
    if (finished.status === undefined || finished.status >= 500)
      span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }

  /** Span for a statement. A statement that several requests share belongs to the request that sent it. */
  around<Result>({ name, text }: Statement, execute: () => Promise<Result>): Promise<Result> {
    const attributes: Attributes = { 'db.system.name': 'postgresql', 'db.operation.name': name };
    if (text !== undefined) attributes['db.query.text'] = text;
    return this.#tracer.startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, async (span) => {
      try {
        return await execute();
      } catch (error) {
        // Not the message, which may contain values.
        fail(span, error);
        throw error;
      } finally {
        span.end();
      }
    });
  }
}

function fail(span: Span, error: unknown): void {
  const { code, name } = error as { code?: unknown; name?: unknown };
  span.setAttribute('error.type', String(code ?? name ?? 'error'));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Attributes have the pattern of the route instead of `url.path` and `url.query`, which may contain secrets. */
function attributesOf(request: FastifyRequest): Attributes {
  const route = request.routeOptions.url;
  return {
    'http.request.method': methodOf(request) === 'other' ? '_OTHER' : request.method,
    'url.scheme': request.protocol,
    ...(route !== undefined && { 'http.route': route }),
    'network.protocol.version': request.raw.httpVersion,
    'client.address': request.ip,
    'people.request_id': request.id,
  };
}

function outcomeOf({ status, caller, problemCode, aborted }: FinishedRequest): Attributes {
  return {
    ...(status !== undefined && { 'http.response.status_code': status }),
    ...(status !== undefined && status >= 500 && { 'error.type': problemCode ?? String(status) }),
    ...(aborted && { 'error.type': 'aborted' }),
    ...(problemCode !== null && { 'people.problem': problemCode }),
    ...(caller?.accountId && { 'people.account_id': caller.accountId }),
    ...(caller?.applicationId && { 'people.application_id': caller.applicationId }),
    ...(caller?.userId && { 'people.user_id': caller.userId }),
  };
}
