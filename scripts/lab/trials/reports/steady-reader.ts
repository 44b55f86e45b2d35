import { setTimeout as wait } from 'node:timers/promises';
import { ConnectionFailure, type HttpRequest, type Send } from '../../kit/http/client.js';

/** How many responses had a status, or why there was none. */
export type Statuses = Map<number | string, number>;

/**
 * Sends the same request at a fixed rate, whether or not earlier responses have arrived. Times are counted from when a
 * request is due, so that they include the delay of a server that stalls.
 *
 * @returns times: milliseconds of each 200
 */
export async function readSteadily({
  send,
  request,
  perSecond,
  milliseconds,
}: {
  send: Send;
  request: HttpRequest;
  perSecond: number;
  milliseconds: number;
}): Promise<{ times: number[]; statuses: Statuses }> {
  const times: number[] = [];
  const statuses: Statuses = new Map();
  const pending: Promise<void>[] = [];
  const total = Math.round((milliseconds / 1000) * perSecond);
  const startedAt = performance.now();
  for (let sent = 0; sent < total; sent += 1) {
    const dueAt = startedAt + (sent * 1000) / perSecond;
    const early = dueAt - performance.now();
    if (early > 0) await wait(early);
    pending.push(
      statusOf(send, request).then((status) => {
        addStatus(statuses, status);
        if (status === 200) times.push(performance.now() - dueAt);
      }),
    );
  }
  await Promise.all(pending);
  return { times, statuses };
}

export function addStatus(statuses: Statuses, status: number | string): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
}

/** @returns the status, or the reason why there is none */
export async function statusOf(send: Send, request: HttpRequest): Promise<number | string> {
  try {
    return (await send(request)).status;
  } catch (error) {
    if (error instanceof ConnectionFailure) return error.message;
    throw error;
  }
}
