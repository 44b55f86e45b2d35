import { ConnectionFailure } from '../client/client.mjs';

/**
 * Sends the same request at a fixed rate by the clock, whether or not earlier responses have arrived. A time is counted
 * from when the request is due, so that a server that stalls does not hide its delay.
 *
 * @param {{ client: import('../client/client.mjs').Client, request: object, perSecond: number, milliseconds: number }} load
 * @returns {Promise<{ times: number[], statuses: Map<number | string, number> }>} times: milliseconds of each 200
 */
export async function readSteadily({ client, request, perSecond, milliseconds }) {
  const times = [];
  const statuses = new Map();
  const pending = [];
  const total = Math.round((milliseconds / 1000) * perSecond);
  const startedAt = performance.now();
  for (let sent = 0; sent < total; sent += 1) {
    const dueAt = startedAt + (sent * 1000) / perSecond;
    const early = dueAt - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    pending.push(
      statusOf(client, request).then((status) => {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 200) times.push(performance.now() - dueAt);
      }),
    );
  }
  await Promise.all(pending);
  return { times, statuses };
}

/** @returns {Promise<number | string>} the status, or the reason why there is none */
export async function statusOf(client, request) {
  try {
    return (await client.send(request)).status;
  } catch (error) {
    if (!(error instanceof ConnectionFailure)) throw error;
    return error.message;
  }
}
