import { setTimeout as wait } from 'node:timers/promises';
import { DatabaseProxy } from '../../kit/database/proxy.js';
import {
  ConnectionFailure,
  HttpClient,
  type HttpRequest,
  type HttpResponse,
  jsonOf,
} from '../../kit/http/client.js';
import type { Random } from '../../kit/random.js';
import type { ServerProcess } from '../../kit/server/process.js';
import { describeExchange, startServer } from '../accounts.js';
import type { Verdict } from '../verdict.js';

/** The outcome of the request is unknown: the connection failed, or the response was 503. */
export class Uncertain extends Error {
  override name = 'Uncertain';
}

interface Member {
  readonly proxy: DatabaseProxy;
  server: ServerProcess;
  client: HttpClient;
  /** Number of times that the process was killed. */
  killed: number;
  /** Whether it is being restarted. */
  isDown: boolean;
}

/** Milliseconds after a fault during which failures are permitted. */
const graceMs = 10_000;

/** Maximum number of restarts of a server that exits because it has no database. */
const startAttempts = 20;

/** Server processes on one database, each behind its own proxy, and a client that checks their responses. */
export class Fleet {
  readonly #members: readonly Member[];
  readonly #verdict: Verdict;
  readonly #random: Random;
  #faultsUntil = 0;
  #nextAt = 0;
  #intervalMs = 0;
  responses = 0;
  uncertain = 0;
  restarts = 0;

  static async start({
    databaseUrl,
    size,
    verdict,
    random,
  }: {
    databaseUrl: string;
    size: number;
    verdict: Verdict;
    random: Random;
  }): Promise<Fleet> {
    const members = await Promise.all(
      Array.from({ length: size }, async () => {
        const proxy = await DatabaseProxy.open(databaseUrl);
        const server = await startSupervised(proxy.url);
        return { proxy, server, client: new HttpClient(server.port), killed: 0, isDown: false };
      }),
    );
    return new Fleet(members, verdict, random);
  }

  private constructor(members: readonly Member[], verdict: Verdict, random: Random) {
    this.#members = members;
    this.#verdict = verdict;
    this.#random = random;
  }

  get size(): number {
    return this.#members.length;
  }

  get proxies(): DatabaseProxy[] {
    return this.#members.map(({ proxy }) => proxy);
  }

  get servers(): ServerProcess[] {
    return this.#members.map(({ server }) => server);
  }

  /** Limits the requests per second; 0 is no limit. */
  limitRate(perSecond: number): void {
    this.#intervalMs = perSecond === 0 ? 0 : 1000 / perSecond;
    this.#nextAt = performance.now();
  }

  /** Permits failures during a fault of this many milliseconds, and shortly after it. */
  excuse(milliseconds: number): void {
    this.#faultsUntil = Math.max(this.#faultsUntil, Date.now() + milliseconds + graceMs);
  }

  /**
   * @param index of the process; a random one by default
   * @returns a response that is not a 5xx
   * @throws {Uncertain}
   */
  async send(request: HttpRequest, index = this.#anyRunning()): Promise<HttpResponse> {
    await this.#untilAllowed();
    const member = this.#members[index];
    const { client, killed } = member;
    try {
      const response = await client.send(request);
      this.responses += 1;
      if (response.status < 500) return response;
      this.#check5xx(request, response);
    } catch (error) {
      if (!(error instanceof ConnectionFailure)) throw error;
      const isExcused = request.path.endsWith('/results.csv') && this.#isFaulty();
      if (member.killed === killed && !member.isDown && !isExcused) {
        const what = `${request.method ?? 'GET'} ${request.path.slice(0, 120)}`;
        this.#verdict.violation('a connection to a running server failed', `${what}: ${error.message}`);
      }
    }
    this.uncertain += 1;
    throw new Uncertain(request.path);
  }

  /** Kills a process under load and starts another in its place. */
  async killAndRestart(index: number): Promise<void> {
    const member = this.#members[index];
    member.isDown = true;
    member.killed += 1;
    this.excuse(60_000);
    await member.server.kill();
    member.client.close();
    member.server = await startSupervised(member.proxy.url);
    member.client = new HttpClient(member.server.port);
    member.isDown = false;
    this.restarts += 1;
    this.#faultsUntil = 0;
    this.excuse(0);
  }

  async stop(): Promise<void> {
    for (const { client } of this.#members) client.close();
    await Promise.all(this.servers.map((server) => server.stop()));
    for (const proxy of this.proxies) proxy.close();
  }

  /** A process that is not being restarted, as a load balancer selects it. */
  #anyRunning(): number {
    return this.#random.pick(this.#members.flatMap(({ isDown }, index) => (isDown ? [] : [index])));
  }

  #isFaulty(): boolean {
    return Date.now() < this.#faultsUntil;
  }

  #check5xx(request: HttpRequest, response: HttpResponse): void {
    const text = describeExchange(request, response);
    if (response.status !== 503) {
      this.#verdict.violation(`a response with ${response.status}`, text);
      return;
    }
    if (!this.#isFaulty()) this.#verdict.violation('a 503 without a fault', text);
    const isPage = response.headers['content-type']?.startsWith('text/html');
    const hasRetryAfter = /^[1-9]\d*$/.test(response.headers['retry-after'] ?? '');
    if (!hasRetryAfter || (!isPage && jsonOf(response).code !== 'service_unavailable')) {
      this.#verdict.violation('a 503 that is not a problem document with Retry-After', text);
    }
  }

  async #untilAllowed(): Promise<void> {
    if (this.#intervalMs === 0) return;
    const now = performance.now();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + this.#intervalMs;
    if (at - now > 1) await wait(at - now);
  }
}

async function startSupervised(databaseUrl: string, attempts = startAttempts): Promise<ServerProcess> {
  try {
    return await startServer({ databaseUrl, environment: { REPLAY_LEEWAY: '120' } });
  } catch (error) {
    if (attempts === 1) throw error;
    await wait(200);
    return startSupervised(databaseUrl, attempts - 1);
  }
}
