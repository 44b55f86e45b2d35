import type { ProcessTimes, Watched } from '../measure/processes.js';
import type { Exchange } from './connection.js';
import type { dpopRequests } from './dpop-requests.js';
import type { fixedRequests } from './fixed-requests.js';
import type { tokenChains } from './token-chains.js';

/** The requests of connections, and the checks of their responses. */
export interface Load {
  exchange(index: number, connections: number): Omit<Exchange, 'failed' | 'stopped'>;
  result(): Checked;
}

export interface Checked {
  /** Number of bodies that were checked. */
  readonly checked: number;
  /** Some of the access tokens that were issued. */
  readonly tokens: readonly string[];
}

/** A load by the name of its function, and the argument of that function. */
export type Job =
  | { readonly load: 'fixedRequests'; readonly input: Parameters<typeof fixedRequests>[0] }
  | { readonly load: 'dpopRequests'; readonly input: Parameters<typeof dpopRequests>[0] }
  | { readonly load: 'tokenChains'; readonly input: Parameters<typeof tokenChains>[0] };

export interface JobSettings {
  /** URLs of the server processes; connections are distributed among them. */
  readonly ports: readonly number[];
  readonly connections: number;
  /** Milliseconds before the measurement. */
  readonly warmupSeconds: number;
  readonly seconds: number;
  readonly watched: Watched;
}

export interface Snapshot extends ProcessTimes {
  /** Milliseconds of `performance.now()` in the load process. */
  readonly at: number;
  /** Seconds of processor time of the load process. */
  readonly own: number;
}

export interface JobResult extends Checked {
  readonly begin: Snapshot;
  readonly end: Snapshot;
  /** Milliseconds of each response. */
  readonly latencies: Float64Array;
}
