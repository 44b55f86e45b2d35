import { setTimeout as wait } from 'node:timers/promises';
import { ConnectionFailure, type HttpClient, jsonOf } from '../kit/http/client.js';
import { quantile } from '../kit/statistics.js';
import { describeExchange } from './accounts.js';
import type { Plan } from './request-mix.js';
import type { Verdict } from './verdict.js';

interface LoopSettings {
  readonly client: HttpClient;
  readonly next: Plan;
  readonly connections: number;
  readonly milliseconds: number;
  readonly verdict: Verdict;
}

/** The outcomes of the requests of a loop. */
export interface LoopResult {
  readonly served: number;
  /** Served requests per second. */
  readonly perSecond: number;
  /** Median and 99th percentile of the response time of served requests, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Requests that were rejected with 503. */
  readonly rejected: number;
  /** Requests that got no response. */
  readonly failed: number;
}

class Counts {
  readonly times: number[] = [];
  inTime = 0;
  rejected = 0;
  failed = 0;

  result(milliseconds: number): LoopResult {
    const { times, inTime, rejected, failed } = this;
    return {
      served: times.length,
      perSecond: (inTime * 1000) / milliseconds,
      p50: quantile(times, 0.5),
      p99: quantile(times, 0.99),
      rejected,
      failed,
    };
  }
}

/** A closed loop: clients that send a request as soon as they have the response to the last one, even a rejection. */
export async function closedLoop(settings: LoopSettings): Promise<LoopResult> {
  const { connections, milliseconds } = settings;
  const counts = new Counts();
  const endsAt = performance.now() + milliseconds;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < endsAt) await call(settings, counts, endsAt);
    }),
  );
  return counts.result(milliseconds);
}

/**
 * An open loop: requests that are sent at fixed times, independent of pending responses. Without a free connection a request
 * waits for one, as in the pool of a proxy.
 *
 * @param dueBy number of requests that are due after a number of milliseconds
 */
export async function openLoop(
  settings: LoopSettings,
  dueBy: (elapsedMs: number) => number,
): Promise<LoopResult> {
  const { connections, milliseconds } = settings;
  const counts = new Counts();
  const pending = new Set<Promise<void>>();
  const startedAt = performance.now();
  const endsAt = startedAt + milliseconds;
  for (let sent = 0; performance.now() < endsAt; ) {
    const due = dueBy(performance.now() - startedAt);
    for (; sent < due && pending.size < connections; sent += 1) {
      const exchange = call(settings, counts, endsAt);
      pending.add(exchange);
      exchange.finally(() => pending.delete(exchange));
    }
    await wait(1);
  }
  await Promise.all(pending);
  return counts.result(milliseconds);
}

async function call({ client, next, verdict }: LoopSettings, counts: Counts, endsAt: number): Promise<void> {
  const { request, status, learn } = next();
  const sentAt = performance.now();
  try {
    const response = await client.send(request);
    if (response.status === status) {
      learn?.(response);
      const now = performance.now();
      counts.times.push(now - sentAt);
      if (now <= endsAt) counts.inTime += 1;
    } else if (response.status === 503) {
      counts.rejected += 1;
      if (response.headers['retry-after'] === undefined || jsonOf(response).code !== 'service_unavailable')
        verdict.violation('a 503 that is not a problem document with Retry-After', response.body);
    } else verdict.violation(`status ${response.status} under load`, describeExchange(request, response));
  } catch (error) {
    if (!(error instanceof ConnectionFailure))
      verdict.violation('a response that is not HTTP', (error as Error).stack);
    counts.failed += 1;
  }
}
