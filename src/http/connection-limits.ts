import type { FastifyServerOptions } from 'fastify';
import type { IdleLimits } from './idle-connections.js';

/**
 * What a connection may take its time for, in milliseconds. A client that is slower than this holds a socket for
 * nothing; one that is merely far away is not.
 */
export const connectionLimits = {
  /** From the first byte of a request to the last of its body, of which there are 64 KiB at most. */
  requestTimeout: 30_000,
  /** Between two requests; longer than proxies keep theirs, so that it is the proxy that closes. */
  keepAliveTimeout: 75_000,
} as const satisfies FastifyServerOptions;

export const headerLimits = {
  /** From the first byte, or from the connection when there is none, to the end of the headers. */
  headersTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
} as const;

/** A reader that has stopped reading, or has vanished. */
export const idleLimits: IdleLimits = { idleMs: 120_000, intervalMs: 5_000 };
