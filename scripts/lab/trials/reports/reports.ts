import { HttpClient, type HttpRequest, jsonOf, type Send } from '../../kit/http/client.js';
import { get, sendJson } from '../../kit/http/requests.js';
import { type Account, requestToken, withServer } from '../accounts.js';
import { type LoopResult, openLoop } from '../loops.js';
import { ok } from '../request-mix.js';
import type { Trial, Verdict } from '../verdict.js';

/** Concurrent runs of the report; each starts when the previous one has its response. */
const concurrentRuns = 24;

/** Lists that the other account requests per second. */
const listsPerSecond = 50;

/** Enough connections to send every list when it is due. */
const connections = 1_000;

/** Maximum slowdown of the lists of the other account. */
const bounds = { factor: 3, leastMs: 100 };

/** Statuses of the responses to the account with the reports. */
const expectedStatuses = [200, 429, 503];

/** One account continuously runs its most expensive report, while another account reads lists. */
export const trial: Trial = ({ short, verdict }) => {
  const milliseconds = short ? 2_000 : 30_000;
  const size = { name: 'reports', accounts: 2, employees: short ? 10_000 : 100_000 };
  return withServer(size, { verdict }, async ({ accounts: [heavy, other], server, client, send }) => {
    const list = ok(get('/v1/employees', await requestToken(send, other.application)));
    const loop = { client, next: () => list, connections, verdict };
    const read = (duration: number) =>
      openLoop({ ...loop, milliseconds: duration }, (elapsedMs) => (elapsedMs / 1000) * listsPerSecond);
    const heavyClient = new HttpClient(server.port);
    const report = await heaviestReport(send, heavy);
    const startedAt = performance.now();
    const { status } = await heavyClient.send(report);
    verdict.note(`one run alone: ${status} after ${(performance.now() - startedAt).toFixed(0)} ms`);
    await read(milliseconds / 4);
    const idle = await read(milliseconds / 2);
    const runs = runRepeatedly(heavyClient.send, report);
    const loaded = await read(milliseconds);
    checkRuns(await runs.stop(), verdict);
    checkLists(idle, loaded, verdict);
    heavyClient.close();
  });
};

function checkRuns(statuses: ReadonlyMap<number, number>, verdict: Verdict): void {
  const counts = [...statuses].map(([status, count]) => `${count} x ${status}`);
  verdict.note(`responses to ${concurrentRuns} concurrent runs: ${counts.join(', ')}`);
  for (const status of statuses.keys()) {
    if (!expectedStatuses.includes(status)) verdict.violation(`the response to a run: ${status}`);
  }
}

function checkLists(idle: LoopResult, loaded: LoopResult, verdict: Verdict): void {
  for (const [when, { served, rejected, failed }] of Object.entries({ idle, loaded })) {
    verdict.check(
      `lists of the other account, ${when}: ${served} served, ${rejected} rejected, ${failed} without response`,
      served > 0 && rejected + failed === 0,
    );
  }
  const bound = Math.max(idle.p99 * bounds.factor, bounds.leastMs);
  verdict.note(`lists: median ${idle.p50.toFixed(1)} ms idle, ${loaded.p50.toFixed(1)} ms loaded`);
  verdict.checkTime(
    `p99 of the other account's lists ${loaded.p99.toFixed(1)} ms, ${idle.p99.toFixed(1)} ms idle; at most ${bound.toFixed(1)}`,
    loaded.p99 <= bound,
  );
}

/** Creates the report and returns the request that runs it. Every row passes all filters and has to be sorted. */
async function heaviestReport(send: Send, { application }: Account): Promise<HttpRequest> {
  const token = await requestToken(send, application);
  const filters = Array.from({ length: 20 }, () => ({ field: 'email', operator: 'contains', value: '@' }));
  const sort = ['-last_name', 'first_name', '-department', 'status', 'email'];
  const created = await send(sendJson('POST', '/v1/reports', token, { title: 'Heavy', filters, sort }));
  const path = `/v1/reports/${jsonOf(created).data.id}/results?page[size]=500`;
  return { ...get(path, token), timeoutMs: 60_000 };
}

/** Runs the report on every connection until it is stopped. */
function runRepeatedly(send: Send, request: HttpRequest) {
  const statuses = new Map<number, number>();
  let stopped = false;
  const runners = Array.from({ length: concurrentRuns }, async () => {
    while (!stopped) {
      const { status } = await send(request);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  return {
    async stop() {
      stopped = true;
      await Promise.all(runners);
      return statuses;
    },
  };
}
