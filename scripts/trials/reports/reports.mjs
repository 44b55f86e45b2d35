import { quantile } from '../../bench/measure/statistics.mjs';
import { Client, jsonOf } from '../client/client.mjs';
import { clientCredentials, get, sendJson } from '../client/requests.mjs';
import { startServer } from '../world/server.mjs';
import { allScopes, withWorld } from '../world/world.mjs';
import { readSteadily, statusOf } from './steady-reader.mjs';

/** Runs of the report at the same time; each starts as soon as the one before it has its response. */
const concurrentRuns = 24;

/** Lists that the other account requests in a second. */
const listsPerSecond = 50;

/** How much slower the other account's lists may become. */
const bounds = { factor: 3, leastMs: 100 };

/** Responses that the account with the reports may get. */
const expectedStatuses = [200, 429, 503];

/** One account runs its heaviest report all the time, while another account reads lists. */
export function trial({ short, verdict }) {
  const milliseconds = short ? 4_000 : 30_000;
  return withWorld(
    { name: 'reports', accounts: 2, employees: short ? 20_000 : 100_000 },
    async ({ url, accounts: [heavy, other] }) => {
      const server = await startServer(url);
      const clients = { heavy: new Client(server.port), other: new Client(server.port) };
      try {
        const request = get('/v1/employees', await tokenOf(clients.other, other));
        const read = (duration) =>
          readSteadily({ client: clients.other, request, perSecond: listsPerSecond, milliseconds: duration });
        const report = await heaviestReport(clients.heavy, heavy);
        const startedAt = performance.now();
        const alone = await statusOf(clients.heavy, report);
        verdict.say(`one run alone: ${alone} after ${(performance.now() - startedAt).toFixed(0)} ms`);
        await read(milliseconds / 4);
        const idle = await read(milliseconds / 2);
        const runs = runRepeatedly(clients.heavy, report);
        const loaded = await read(milliseconds);
        const runStatuses = await runs.stop();
        judge({ verdict, idle, loaded, runStatuses });
        verdict.bar('the server is alive', server.alive());
      } finally {
        clients.heavy.close();
        clients.other.close();
        await server.stop();
      }
    },
  );
}

function judge({ verdict, idle, loaded, runStatuses }) {
  verdict.say(`responses to ${concurrentRuns} concurrent runs: ${describe(runStatuses)}`);
  for (const status of runStatuses.keys()) {
    if (!expectedStatuses.includes(status)) verdict.fault(`a run got ${status}`);
  }
  for (const [when, { statuses }] of Object.entries({ idle, loaded })) {
    const served = statuses.size === 1 && statuses.has(200);
    verdict.bar(`lists of the other account, ${when}: ${describe(statuses)}; all are 200`, served);
  }
  const before = quantile(idle.times, 0.99);
  const during = quantile(loaded.times, 0.99);
  const bound = Math.max(before * bounds.factor, bounds.leastMs);
  verdict.say(
    `lists: median ${quantile(idle.times, 0.5).toFixed(1)} ms idle, ${quantile(loaded.times, 0.5).toFixed(1)} ms loaded`,
  );
  verdict.time(
    `p99 of the other account's lists ${during.toFixed(1)} ms, ${before.toFixed(1)} ms idle; at most ${bound.toFixed(1)}`,
    during <= bound,
  );
}

function describe(statuses) {
  return [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ');
}

async function tokenOf(client, { application }) {
  return jsonOf(await client.send(clientCredentials(application, allScopes))).access_token;
}

/** Creates the report and returns the request that runs it. Every row passes all filters and has to be sorted. */
async function heaviestReport(client, account) {
  const token = await tokenOf(client, account);
  const filters = Array.from({ length: 20 }, () => ({ field: 'email', operator: 'contains', value: '@' }));
  const sort = ['-last_name', 'first_name', '-department', 'status', 'email'];
  const created = await client.send(
    sendJson('POST', '/v1/reports', token, { title: 'Heavy', filters, sort }),
  );
  return get(`/v1/reports/${jsonOf(created).data.id}/results?page[size]=500`, token);
}

/** Runs the report on every connection until it is stopped. */
function runRepeatedly(client, request) {
  const statuses = new Map();
  let stopped = false;
  const runners = Array.from({ length: concurrentRuns }, async () => {
    while (!stopped) {
      const status = await statusOf(client, { ...request, patienceMs: 60_000 });
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
