import type { FastifyServerOptions } from 'fastify';
import type { IdleLimits } from './idle-connections.js';

/** Maximum size of a request body in bytes. */
export const bodyLimitBytes = 64 * 1024;

/**
 * Timeouts of a connection in milliseconds. They close connections of clients that are stalled, not of clients with a
 * high latency.
 */
export const connectionLimits = {
  /** From the first byte of a request to the last byte of its body, which has at most 64 KiB; uploads have other limits. */
  requestTimeout: 30_000,
  /** Between two requests; longer than the timeout of proxies, so that the proxy closes the connection. */
  keepAliveTimeout: 75_000,
} as const satisfies FastifyServerOptions;

export const headerLimits = {
  /** From the first byte, or from the connection when there is none, to the end of the headers. */
  headersTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
} as const;

/** For a client that has stopped reading or has disappeared. */
export const idleLimits: IdleLimits = { idleMs: 120_000, intervalMs: 5_000 };
