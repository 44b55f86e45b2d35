import { setTimeout as wait } from 'node:timers/promises';
import { quantile } from '../../bench/measure/statistics.mjs';
import { ConnectionFailure, jsonOf } from '../client/client.mjs';

/** Milliseconds between two probes of `/healthz`. */
const probeIntervalMs = 100;

/**
 * @typedef {object} Seen What became of the requests of a load.
 * @property {number} perSecond Served requests for each second.
 * @property {number} p99 Milliseconds that 99 % of the served requests took at most.
 * @property {number} rejected Requests that were rejected with 503.
 * @property {number} failed Requests that got no response.
 * @property {number} health Milliseconds that the slowest probe of `/healthz` took.
 */

/**
 * Clients that each send the next request as soon as they have the response to the last one, also when they were
 * rejected.
 *
 * @param {{ client: import('../client/client.mjs').Client, next: Function, connections: number, milliseconds: number,
 *   verdict: import('../verdict.mjs').Verdict }} load
 * @returns {Promise<Seen>}
 */
export async function closedLoop({ client, next, connections, milliseconds, verdict }) {
  const seen = startCounting();
  const probe = startProbe(client, milliseconds);
  const endsAt = performance.now() + milliseconds;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < endsAt) await call({ client, seen, verdict, endsAt, ...next() });
    }),
  );
  return summarise(seen, { milliseconds, health: await probe });
}

/**
 * Requests that are sent at their times, however many responses are missing. A request that finds no connection free
 * waits for one, as in the pool of a proxy.
 *
 * @param {{ client: import('../client/client.mjs').Client, next: Function, connections: number, milliseconds: number,
 *   dueBy: (elapsedMs: number) => number, verdict: import('../verdict.mjs').Verdict }} load dueBy: how many requests
 *   are sent by then
 * @returns {Promise<Seen>}
 */
export async function openLoop({ client, next, connections, milliseconds, dueBy, verdict }) {
  const seen = startCounting();
  const probe = startProbe(client, milliseconds);
  const underWay = new Set();
  const startedAt = performance.now();
  const endsAt = startedAt + milliseconds;
  for (let sent = 0; performance.now() < endsAt; ) {
    const due = dueBy(performance.now() - startedAt);
    for (; sent < due && underWay.size < connections; sent += 1) {
      const caller = call({ client, seen, verdict, endsAt, ...next() });
      underWay.add(caller);
      caller.finally(() => underWay.delete(caller));
    }
    await wait(1);
  }
  await Promise.all(underWay);
  return summarise(seen, { milliseconds, health: await probe });
}

function startCounting() {
  return { times: [], inTime: 0, rejected: 0, failed: 0 };
}

function summarise({ times, inTime, rejected, failed }, { milliseconds, health }) {
  return { perSecond: (inTime * 1000) / milliseconds, p99: quantile(times, 0.99), rejected, failed, health };
}

async function call({ client, seen, verdict, endsAt, request, right, learn }) {
  const sentAt = performance.now();
  let response;
  try {
    response = await client.send(request);
  } catch (error) {
    if (!(error instanceof ConnectionFailure)) verdict.fault('a response that is not HTTP', error.message);
    seen.failed += 1;
    return;
  }
  if (right.includes(response.status)) {
    learn?.(response);
    const now = performance.now();
    seen.times.push(now - sentAt);
    if (now <= endsAt) seen.inTime += 1;
  } else if (response.status === 503) {
    seen.rejected += 1;
    if (response.headers['retry-after'] === undefined || jsonOf(response).code !== 'service_unavailable')
      verdict.fault('503 that is no problem document with Retry-After', response.body);
  } else {
    verdict.fault(`overload: status ${response.status}`, `${request.path}: ${response.body}`);
  }
}

/** @returns {Promise<number>} milliseconds of the slowest response */
async function startProbe(client, milliseconds) {
  let slowest = 0;
  const endsAt = performance.now() + milliseconds;
  while (performance.now() < endsAt) {
    const sentAt = performance.now();
    await client.send({ path: '/healthz' });
    slowest = Math.max(slowest, performance.now() - sentAt);
    await wait(probeIntervalMs);
  }
  return slowest;
}
