import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { jsonOf, type Send } from '../../kit/http/client.js';
import { sendJson } from '../../kit/http/requests.js';
import { processSeconds, residentBytes } from '../../kit/measure/processes.js';
import { createRandom } from '../../kit/random.js';
import { type Account, requestToken, withServer } from '../accounts.js';
import { closedLoop, type LoopSettings } from '../loops.js';
import { createMix } from '../request-mix.js';
import type { Trial, Verdict } from '../verdict.js';
import { SlowClients } from './slow-clients.js';

/** Time limits of the server in milliseconds. */
type Timeouts = Readonly<Record<'headersTimeout' | 'requestTimeout', number>>;

const slowCount = 1_000;
const connections = 8;

/** Maximum slowdown of a normal client. */
const bounds = { factor: 3, extraMs: 100 };

/** Maximum time for the headers of a client, and for its whole request. */
const mostTimeouts: Timeouts = { headersTimeout: 60_000, requestTimeout: 300_000 };

/** Node.js checks connections every thirty seconds; the rest is for a busy machine. */
const lateMs = 35_000;

const probe = fileURLToPath(new URL('report-timeouts.mjs', import.meta.url));

/** A thousand connections with single bytes at intervals, beside normal clients. */
export const trial: Trial = ({ short, seed, verdict }) => {
  const size = { name: 'slow', accounts: 3, employees: short ? 2_000 : 20_000 };
  const nodeOptions = ['--import', probe];
  return withServer(size, { verdict, nodeOptions }, async ({ url, accounts, server, client, send }) => {
    const [first, ...others] = accounts;
    const timeouts = await server.message<Timeouts>({});
    checkTimeouts(timeouts, verdict);
    const milliseconds = short ? 1_000 : 20_000;
    const next = await createMix({ url, accounts: others, send, random: createRandom(seed) });
    const loop = { client, next, connections, milliseconds, verdict };
    await closedLoop({ ...loop, milliseconds: milliseconds / 2 });
    const before = await measureNormal(server.pid, loop);
    const memory = residentBytes([server.pid]);
    const slow = new SlowClients();
    try {
      const large = await largeResponse(send, first);
      slow.open(server.port, slowCount, { ...large, pages: short ? 2 : 40 });
      // The requests of slow readers are regular work; wait until the server has processed them.
      const idle = await untilIdle(server.pid, short ? 6_000 : 120_000);
      if (!idle) verdict.note('the server still worked on the requests of the slow clients');
      const during = await measureNormal(server.pid, loop);
      verdict.note(
        `${slowCount} slow connections, ${connections} others: ${during.text}; before ${before.text}`,
      );
      const withThem = mebibytes(residentBytes([server.pid]));
      verdict.note(`memory ${mebibytes(memory)} MiB before, ${withThem} MiB with them`);
      const bound = before.p99 * bounds.factor + bounds.extraMs;
      verdict.checkTime(
        `p99 of a normal client ${during.p99.toFixed(1)} ms, ${before.p99.toFixed(1)} ms without them; at most ${bound.toFixed(1)}`,
        during.p99 <= bound,
      );
      if (!short) await checkDisconnected(slow, timeouts, verdict);
    } finally {
      slow.close();
    }
  });
};

/** The throughput of normal clients, whose requests must all succeed, and the processor time of the server. */
async function measureNormal(pid: number, loop: LoopSettings): Promise<{ p99: number; text: string }> {
  const usedBefore = processSeconds(pid) ?? 0;
  const { p99, perSecond, rejected, failed } = await closedLoop(loop);
  const used = (((processSeconds(pid) ?? 0) - usedBefore) * 100_000) / loop.milliseconds;
  if (rejected + failed > 0)
    loop.verdict.violation('a normal client was rejected', `${rejected} rejected, ${failed} failed`);
  return { p99, text: `${perSecond.toFixed(0)} requests/s with ${used.toFixed(0)} % of a processor` };
}

async function largeResponse(
  send: Send,
  { application }: Account,
): Promise<{ table: string; token: string }> {
  const token = await requestToken(send, application);
  const { data } = jsonOf(await send(sendJson('POST', '/v1/reports', token, { title: 'All employees' })));
  return { table: `/v1/reports/${data.id}/results.csv`, token };
}

/** Waits until the server is nearly idle. @returns whether it is */
async function untilIdle(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    const before = processSeconds(pid) ?? 0;
    await wait(500);
    if ((processSeconds(pid) ?? 0) - before < 0.15) return true;
  }
  return false;
}

function checkTimeouts(timeouts: Timeouts, verdict: Verdict): void {
  for (const name of ['headersTimeout', 'requestTimeout'] as const) {
    const most = mostTimeouts[name];
    verdict.check(
      `${name} is ${timeouts[name] / 1000} s; above 0 and at most ${most / 1000}`,
      timeouts[name] > 0 && timeouts[name] <= most,
    );
  }
}

/** Waits until the server has disconnected the clients that never finish a request. */
async function checkDisconnected(slow: SlowClients, timeouts: Timeouts, verdict: Verdict): Promise<void> {
  const { headersTimeout, requestTimeout } = timeouts;
  for (const [kind, limitMs] of [
    ['headers', headersTimeout],
    ['body', requestTimeout],
  ] as const) {
    const deadline = slow.openedAt + limitMs + lateMs;
    while (slow.count(kind).open > 0 && Date.now() < deadline) await wait(500);
    const { all, open, longestSeconds } = slow.count(kind);
    verdict.check(
      `${all - open} of ${all} with slow ${kind} were disconnected, the last after ${longestSeconds.toFixed(0)} s; ` +
        `all within ${(limitMs + lateMs) / 1000} s`,
      open === 0,
    );
  }
  const { all, open } = slow.count('reader');
  verdict.note(`${all - open} of ${all} that read nothing were disconnected`);
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
