import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  defaultTextMapGetter,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanOptions,
  type SpanStatus,
  type TextMapPropagator,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Test } from 'tap';

/** The recorded properties of a span. */
export interface RecordedSpan {
  readonly name: string;
  readonly kind: number | undefined;
  readonly spanId: string;
  readonly traceId: string;
  readonly parentId: string | undefined;
  readonly attributes: Attributes;
  status: SpanStatus | undefined;
  ended: number;
}

/** A minimal OpenTelemetry setup, which is removed when the test ends. */
export function recordSpans(t: Test): RecordedSpan[] {
  const spans: RecordedSpan[] = [];
  const tracer = createTracer(spans);
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  context.setGlobalContextManager(createContextManager());
  propagation.setGlobalPropagator(traceparent);
  t.teardown(() => {
    for (const api of [trace, context, propagation]) api.disable();
  });
  return spans;
}

let made = 0;

function hexadecimal(digits: number): string {
  made += 1;
  return made.toString(16).padStart(digits, '0');
}

function createTracer(spans: RecordedSpan[]): Tracer {
  const startSpan: Tracer['startSpan'] = (name, options = {}, parentContext = context.active()) => {
    const parent = trace.getSpanContext(parentContext);
    const recorded: RecordedSpan = {
      name,
      kind: options.kind,
      spanId: hexadecimal(16),
      traceId: parent?.traceId ?? hexadecimal(32),
      parentId: parent?.spanId,
      attributes: { ...options.attributes },
      status: undefined,
      ended: 0,
    };
    spans.push(recorded);
    return spanOf(recorded);
  };
  const startActiveSpan = (name: string, ...rest: unknown[]) => {
    const work = rest.pop() as (span: Span) => unknown;
    const [options, parentContext = context.active()] = rest as [SpanOptions?, Context?];
    const span = startSpan(name, options, parentContext);
    return context.with(trace.setSpan(parentContext, span), () => work(span));
  };
  return { startSpan, startActiveSpan: startActiveSpan as Tracer['startActiveSpan'] };
}

function spanOf(recorded: RecordedSpan): Span {
  const spanContext: SpanContext = { traceId: recorded.traceId, spanId: recorded.spanId, traceFlags: 1 };
  const span: Span = {
    spanContext: () => spanContext,
    setAttribute: (name, value) => span.setAttributes({ [name]: value }),
    setAttributes(attributes) {
      Object.assign(recorded.attributes, attributes);
      return span;
    },
    setStatus(status) {
      recorded.status = status;
      return span;
    },
    end() {
      recorded.ended += 1;
    },
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    updateName: () => span,
    isRecording: () => true,
    recordException: () => {},
  };
  return span;
}

function createContextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...args) => storage.run(active, () => work.call(self as never, ...args)),
    bind: (active, target) =>
      typeof target === 'function'
        ? (((...args: unknown[]) => storage.run(active, () => target(...args))) as typeof target)
        : target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}

/** W3C Trace Context, for incoming requests only. */
const traceparent: TextMapPropagator = {
  inject: () => {},
  fields: () => ['traceparent'],
  extract(parent, carrier, getter = defaultTextMapGetter) {
    const [, traceId, spanId] =
      /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(String(getter.get(carrier, 'traceparent'))) ?? [];
    if (traceId === undefined || spanId === undefined) return parent;
    return trace.setSpanContext(parent, { traceId, spanId, traceFlags: 1, isRemote: true });
  },
};
