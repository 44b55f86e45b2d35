import { HttpClient, type HttpRequest, jsonOf, type Send } from '../../kit/http/client.js';
import { get, sendJson } from '../../kit/http/requests.js';
import { quantile } from '../../kit/statistics.js';
import { type Account, requestToken, startServer, withAccounts } from '../accounts.js';
import type { Trial, Verdict } from '../verdict.js';
import { addStatus, readSteadily, type Statuses, statusOf } from './steady-reader.js';

/** Runs of the report at the same time; each starts as soon as the last one has its response. */
const concurrentRuns = 24;

/** Lists that the other account requests in a second. */
const listsPerSecond = 50;

/** How much slower the lists of the other account may become. */
const bounds = { factor: 3, leastMs: 100 };

/** Responses that the account with the reports may get. */
const expectedStatuses: readonly (number | string)[] = [200, 429, 503];

interface Lists {
  readonly times: readonly number[];
  readonly statuses: Statuses;
}

/** One account runs its heaviest report all the time, while another account reads lists. */
export const trial: Trial = ({ short, verdict }) => {
  const milliseconds = short ? 4_000 : 30_000;
  const size = { name: 'reports', accounts: 2, employees: short ? 20_000 : 100_000 };
  return withAccounts(size, async ({ url, accounts: [heavy, other] }) => {
    const server = await startServer({ databaseUrl: url });
    const clients = { heavy: new HttpClient(server.port), other: new HttpClient(server.port) };
    try {
      const { send } = clients.other;
      const request = get('/v1/employees', await requestToken(send, other.application));
      const read = (duration: number) =>
        readSteadily({ send, request, perSecond: listsPerSecond, milliseconds: duration });
      const report = await heaviestReport(clients.heavy.send, heavy);
      const startedAt = performance.now();
      const alone = await statusOf(clients.heavy.send, report);
      verdict.note(`one run alone: ${alone} after ${(performance.now() - startedAt).toFixed(0)} ms`);
      await read(milliseconds / 4);
      const idle = await read(milliseconds / 2);
      const runs = runRepeatedly(clients.heavy.send, report);
      const loaded = await read(milliseconds);
      check({ verdict, idle, loaded, runStatuses: await runs.stop() });
      verdict.check('the server is alive', server.isAlive());
    } finally {
      clients.heavy.close();
      clients.other.close();
      await server.stop();
    }
  });
};

function check({
  verdict,
  idle,
  loaded,
  runStatuses,
}: {
  verdict: Verdict;
  idle: Lists;
  loaded: Lists;
  runStatuses: Statuses;
}): void {
  verdict.note(`responses to ${concurrentRuns} concurrent runs: ${describe(runStatuses)}`);
  for (const status of runStatuses.keys()) {
    if (!expectedStatuses.includes(status)) verdict.violation(`the response to a run: ${status}`);
  }
  for (const [when, { statuses }] of Object.entries({ idle, loaded })) {
    const served = statuses.size === 1 && statuses.has(200);
    verdict.check(`lists of the other account, ${when}: ${describe(statuses)}; all are 200`, served);
  }
  const medians = [idle, loaded].map(({ times }) => quantile(times, 0.5).toFixed(1));
  verdict.note(`lists: median ${medians[0]} ms idle, ${medians[1]} ms loaded`);
  const before = quantile(idle.times, 0.99);
  const during = quantile(loaded.times, 0.99);
  const bound = Math.max(before * bounds.factor, bounds.leastMs);
  verdict.checkTime(
    `p99 of the other account's lists ${during.toFixed(1)} ms, ${before.toFixed(1)} ms idle; at most ${bound.toFixed(1)}`,
    during <= bound,
  );
}

function describe(statuses: Statuses): string {
  return [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ');
}

/** Creates the report and returns the request that runs it. Every row passes all filters and has to be sorted. */
async function heaviestReport(send: Send, { application }: Account): Promise<HttpRequest> {
  const token = await requestToken(send, application);
  const filters = Array.from({ length: 20 }, () => ({ field: 'email', operator: 'contains', value: '@' }));
  const sort = ['-last_name', 'first_name', '-department', 'status', 'email'];
  const created = await send(sendJson('POST', '/v1/reports', token, { title: 'Heavy', filters, sort }));
  return get(`/v1/reports/${jsonOf(created).data.id}/results?page[size]=500`, token);
}

/** Runs the report on every connection until it is stopped. */
function runRepeatedly(send: Send, request: HttpRequest): { stop(): Promise<Statuses> } {
  const statuses: Statuses = new Map();
  let stopped = false;
  const runners = Array.from({ length: concurrentRuns }, async () => {
    while (!stopped) addStatus(statuses, await statusOf(send, { ...request, timeoutMs: 60_000 }));
  });
  return {
    async stop() {
      stopped = true;
      await Promise.all(runners);
      return statuses;
    },
  };
}
