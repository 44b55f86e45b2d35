import type { JobResult } from '../kit/load/load.js';
import { databaseSeconds, residentBytes, type Watched } from '../kit/measure/processes.js';
import { quantile } from '../kit/statistics.js';

/** The measurements of one server in one round. */
export interface Sample {
  /** Responses per second. */
  readonly perSecond: number;
  /** Requests per second of processor time of the server. */
  readonly perServerSecond: number;
  /** The same for the server and PostgreSQL together; NaN if PostgreSQL runs on another machine. */
  readonly perTotalSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Resident bytes at the end. */
  readonly memory: number;
  /** Processor seconds of the load process per second. */
  readonly loadShare: number;
}

export function toSample({ begin, end, latencies }: JobResult, watched: Watched): Sample {
  const seconds = (end.at - begin.at) / 1000;
  const server = end.servers - begin.servers;
  const requests = latencies.length;
  return {
    perSecond: requests / seconds,
    perServerSecond: requests / server,
    perTotalSecond:
      watched.postmaster === undefined ? Number.NaN : requests / (server + databaseSeconds(begin, end)),
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    memory: residentBytes(watched.servers),
    loadShare: (end.own - begin.own) / seconds,
  };
}
