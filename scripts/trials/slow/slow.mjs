import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { processSeconds, residentBytes } from '../../bench/measure/processor-time.mjs';
import { quantile } from '../../bench/measure/statistics.mjs';
import { Client, jsonOf } from '../client/client.mjs';
import { clientCredentials, sendJson } from '../client/requests.mjs';
import { closedLoop, createMix } from '../load-mix.mjs';
import { createRandom } from '../random.mjs';
import { startServer } from '../world/server.mjs';
import { allScopes, withWorld } from '../world/world.mjs';
import { SlowClients } from './slow-clients.mjs';

const slowCount = 1_000;
const connections = 8;

/** A normal client may become so much slower, and no more. */
const bounds = { factor: 3, extraMs: 100 };

/** Milliseconds that a server may give a client for its headers, and for all of its request. */
const limits = { headersTimeout: 60_000, requestTimeout: 300_000 };

/** Node.js looks for connections that are late every thirty seconds; the rest is for a machine that is busy. */
const lateMs = 35_000;

const probe = fileURLToPath(new URL('tell-timeouts.mjs', import.meta.url));

/** A thousand connections that a byte comes on now and then, beside clients that behave. */
export function trial({ short, seed, verdict }) {
  const milliseconds = short ? 1_000 : 20_000;
  const random = createRandom(seed);
  return withWorld(
    { name: 'slow', accounts: 3, employees: short ? 2_000 : 20_000 },
    async ({ url, accounts }) => {
      const server = await startServer(url, {}, ['--import', probe]);
      const configured = await server.ask({});
      checkConfigured(configured, verdict);
      const client = new Client(server.port);
      const send = (request) => client.send(request);
      const slow = new SlowClients();
      try {
        const next = await createMix({ url, accounts: accounts.slice(1), send, random });
        const measure = () => measureNormal({ pid: server.pid, send, next, milliseconds });
        await closedLoop({ send, next, connections, milliseconds: milliseconds / 2 });
        const before = await measure();
        const memory = residentBytes(server.pid);
        slow.open(server.port, slowCount, {
          ...(await largeAnswer(send, accounts[0])),
          pages: short ? 2 : 40,
        });
        // What they asked for is work like any other; only then they are nothing but slow.
        const calm = await untilCalm(server.pid, short ? 6_000 : 120_000);
        if (!calm) verdict.say('the server was still busy with what they had asked for');
        const during = await measure();
        const bound = before.p99 * bounds.factor + bounds.extraMs;
        verdict.say(
          `${slowCount} slow connections, ${connections} others: ${during}; without slow ones ${before}`,
        );
        verdict.say(
          `memory ${mebibytes(memory)} MiB before, ${mebibytes(residentBytes(server.pid))} MiB with them`,
        );
        verdict.time(
          `p99 of a normal client ${during.p99.toFixed(1)} ms, ${before.p99.toFixed(1)} ms without them; at most ${bound.toFixed(1)}`,
          during.p99 <= bound,
        );
        if (!short) await checkCut({ slow, configured, verdict });
        verdict.bar(
          'the server is alive and ready',
          server.alive() && (await send({ path: '/readyz' })).status === 200,
        );
      } finally {
        slow.close();
        client.close();
        await server.stop();
      }
    },
  );
}

/** What clients that behave get, and how much of a processor the server had for it. */
async function measureNormal({ pid, send, next, milliseconds }) {
  const usedBefore = processSeconds(pid);
  const { times, perSecond } = await closedLoop({ send, next, connections, milliseconds });
  const used = ((processSeconds(pid) - usedBefore) * 100_000) / milliseconds;
  return {
    p99: quantile(times, 0.99),
    toString: () => `${perSecond.toFixed(0)} requests/s with ${used.toFixed(0)} % of a processor`,
  };
}

async function largeAnswer(send, { application }) {
  const token = jsonOf(await send(clientCredentials(application, allScopes))).access_token;
  const { data } = jsonOf(await send(sendJson('POST', '/v1/reports', token, { title: 'Everybody' })));
  return { table: `/v1/reports/${data.id}/results.csv`, token };
}

/** Waits until the server has little to do, and says whether it has. */
async function untilCalm(pid, patienceMs) {
  const deadline = Date.now() + patienceMs;
  while (Date.now() < deadline) {
    const before = processSeconds(pid);
    await wait(500);
    if (processSeconds(pid) - before < 0.15) return true;
  }
  return false;
}

function checkConfigured(configured, verdict) {
  for (const [name, mostMs] of Object.entries(limits)) {
    const value = configured[name];
    verdict.bar(
      `${name} is ${value / 1000} s; above 0 and at most ${mostMs / 1000}`,
      value > 0 && value <= mostMs,
    );
  }
}

/** Waits until the server has cut those who never finish a request. */
async function checkCut({ slow, configured, verdict }) {
  const { headersTimeout, requestTimeout } = configured;
  for (const [kind, limitMs] of Object.entries({ headers: headersTimeout, body: requestTimeout })) {
    const seconds = (limitMs + lateMs) / 1000;
    const deadline = Math.min(...slow.all.map(({ openedAt }) => openedAt)) + seconds * 1000;
    while (slow.count(kind).open > 0 && Date.now() < deadline) await wait(500);
    const { open, all } = slow.count(kind);
    const those = slow.all.filter((one) => one.kind === kind && one.closedAt !== undefined);
    const lasted = those.map(({ openedAt, closedAt }) => (closedAt - openedAt) / 1000);
    const longest = lasted.length === 0 ? 'none' : `the last after ${Math.max(...lasted).toFixed(0)} s`;
    verdict.bar(
      `${all - open} of ${all} with slow ${kind} were cut, ${longest}; all within ${seconds} s`,
      open === 0,
    );
  }
  const { open, all } = slow.count('reader');
  verdict.say(`${all - open} of ${all} that read nothing were cut meanwhile`);
}

function mebibytes(bytes) {
  return (bytes / 2 ** 20).toFixed(0);
}
