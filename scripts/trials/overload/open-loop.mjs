import { ConnectionFailure, jsonOf } from '../client/client.mjs';

/** Connections that the callers have together, as by a proxy; who finds none free gives up, and is counted. */
const maximumConnections = 1_000;

/** Milliseconds that a caller waits for an answer. */
const patienceMs = 5_000;

/**
 * Opens all connections. Node.js accepts one at a time, and few while it has much to do: who opens one for each request
 * waits in front of the server, where that cannot refuse anything.
 *
 * @param {import('../client/client.mjs').Client} client
 */
export async function openConnections(client) {
  await Promise.all(
    Array.from({ length: maximumConnections }, () => client.send({ path: '/healthz', patienceMs: 20_000 })),
  );
}

/**
 * Sends requests when the clock says so, however many answers are still missing. What is seen goes on to be counted
 * until everybody has an answer, or has stopped waiting for one.
 *
 * @param {{ client: import('../client/client.mjs').Client, next: Function, perSecond: number, milliseconds: number,
 *   verdict: import('../verdict.mjs').Verdict }} load
 */
export async function openLoop({ client, next, perSecond, milliseconds, verdict }) {
  const seen = { offered: 0, accepted: [], shed: 0, shedTimes: [], failed: 0, gaveUp: 0 };
  const onTheWay = new Set();
  const begun = performance.now();
  for (let elapsed = 0; elapsed < milliseconds; elapsed = performance.now() - begun) {
    for (const due = (elapsed / 1000) * perSecond; seen.offered < due; seen.offered += 1) {
      if (client.idle === 0 && client.connections >= maximumConnections) {
        seen.gaveUp += 1;
        continue;
      }
      const caller = call({ client, seen, verdict, begun, milliseconds, ...next() });
      onTheWay.add(caller);
      caller.finally(() => onTheWay.delete(caller));
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  seen.seconds = (performance.now() - begun) / 1000;
  return { seen, settled: () => Promise.all(onTheWay) };
}

async function call({ client, seen, verdict, begun, milliseconds, request, right, learn }) {
  const sentAt = performance.now();
  let answer;
  try {
    answer = await client.send({ ...request, patienceMs });
  } catch (error) {
    if (!(error instanceof ConnectionFailure)) verdict.fault('an answer that is none', error.message);
    seen.failed += 1;
    return;
  }
  const now = performance.now();
  if (right.includes(answer.status)) {
    learn?.(answer);
    // What comes after the load has ended is no part of what the server managed under it.
    seen.accepted.push({ time: now - sentAt, within: now - begun <= milliseconds });
  } else if (answer.status === 503) {
    seen.shed += 1;
    seen.shedTimes.push(now - sentAt);
    const good = /^[1-9]\d*$/.test(answer.headers['retry-after'] ?? '');
    if (!good || jsonOf(answer).code !== 'service_unavailable') {
      verdict.fault('503 that is no problem with Retry-After', answer.body);
    }
  } else {
    verdict.fault(`overload was answered with ${answer.status}`, `${request.path}: ${answer.body}`);
  }
}
