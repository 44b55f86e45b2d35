import { setTimeout as wait } from 'node:timers/promises';
import { Client, ConnectionFailure, jsonOf } from '../client/client.mjs';
import { startServer } from '../world/server.mjs';
import { DatabaseProxy } from './database-proxy.mjs';

/** Nobody knows whether the request was carried out: the connection broke, or the answer was 503. */
export class Uncertain extends Error {
  name = 'Uncertain';
}

/** Milliseconds after a fault in which its consequences may still be felt. */
const graceMs = 10_000;

/** Attempts to start a server, as a supervisor makes them: one that loses its database while it starts says so and ends. */
const startAttempts = 20;

async function startSupervised(databaseUrl, attempts = startAttempts) {
  try {
    return await startServer(databaseUrl, { REPLAY_LEEWAY: '120' });
  } catch (error) {
    if (attempts === 1) throw error;
    await wait(200);
    return startSupervised(databaseUrl, attempts - 1);
  }
}

/** Several server processes on one database, each behind a proxy of its own, and a client that judges their answers. */
export class Fleet {
  #members;
  #verdict;
  #random;
  #faultsUntil = 0;
  #next = 0;
  #intervalMs = 0;
  answered = 0;
  uncertain = 0;
  restarts = 0;

  static async start({ databaseUrl, size, verdict, random }) {
    const members = await Promise.all(
      Array.from({ length: size }, async () => {
        const proxy = await DatabaseProxy.open(databaseUrl);
        const server = await startSupervised(proxy.url);
        return { proxy, server, client: new Client(server.port), killed: 0 };
      }),
    );
    return new Fleet(members, { verdict, random });
  }

  constructor(members, { verdict, random }) {
    this.#members = members;
    this.#verdict = verdict;
    this.#random = random;
  }

  get size() {
    return this.#members.length;
  }

  get proxies() {
    return this.#members.map(({ proxy }) => proxy);
  }

  get servers() {
    return this.#members.map(({ server }) => server);
  }

  /** Lets no more than so many requests begin in a second; 0 is no limit. */
  pace(perSecond) {
    this.#intervalMs = perSecond === 0 ? 0 : 1000 / perSecond;
    this.#next = performance.now();
  }

  /** A fault has begun that ends in so many milliseconds; its consequences may last a little longer. */
  faultFor(milliseconds) {
    this.#faultsUntil = Math.max(this.#faultsUntil, Date.now() + milliseconds + graceMs);
  }

  /**
   * @param {object} request
   * @param {number} [index] of the process; any of them otherwise
   * @returns {Promise<import('../client/answer-reader.mjs').HttpAnswer>} never a 5xx
   * @throws {Uncertain}
   */
  async send(request, index = this.#anyAlive()) {
    await this.#turn();
    const member = this.#members[index];
    const { client, killed } = member;
    const what = `${request.method ?? 'GET'} ${request.path.slice(0, 120)}`;
    try {
      const answer = await client.send(request);
      this.answered += 1;
      if (answer.status < 500) return answer;
      this.#judge5xx(what, answer);
    } catch (error) {
      if (!(error instanceof ConnectionFailure)) throw error;
      const mayBreak = request.path.endsWith('/results.csv') && this.#faulty();
      if (member.killed === killed && !member.down && !mayBreak) {
        this.#verdict.fault('a connection to a living server failed', `${what}: ${error.message}`);
      }
    }
    this.uncertain += 1;
    throw new Uncertain(what);
  }

  /** Kills a process in the middle of whatever it does, and starts another in its place. */
  async killAndRestart(index) {
    const member = this.#members[index];
    member.down = true;
    member.killed += 1;
    this.faultFor(60_000);
    await member.server.kill();
    member.client.close();
    member.server = await startSupervised(member.proxy.url);
    member.client = new Client(member.server.port);
    member.down = false;
    this.restarts += 1;
    this.#faultsUntil = 0;
    this.faultFor(0);
  }

  async stop() {
    for (const { client } of this.#members) client.close();
    await Promise.all(this.#members.map(({ server }) => server.stop()));
    for (const { proxy } of this.#members) proxy.close();
  }

  /** A process that is not being started, as a balancer would choose it. */
  #anyAlive() {
    const alive = this.#members.flatMap(({ down }, index) => (down ? [] : [index]));
    return this.#random.pick(alive);
  }

  #faulty() {
    return Date.now() < this.#faultsUntil;
  }

  #judge5xx(what, answer) {
    const text = answer.body.toString('utf8').slice(0, 300);
    if (answer.status !== 503)
      return this.#verdict.fault(`an answer with ${answer.status}`, `${what}: ${text}`);
    if (!this.#faulty()) this.#verdict.fault('503 where there was no fault', `${what}: ${text}`);
    const isPage = answer.headers['content-type']?.startsWith('text/html');
    const good = /^[1-9]\d*$/.test(answer.headers['retry-after'] ?? '');
    if (!good || (!isPage && jsonOf(answer).code !== 'service_unavailable')) {
      this.#verdict.fault('503 that is no problem with Retry-After', `${what}: ${text}`);
    }
  }

  async #turn() {
    if (this.#intervalMs === 0) return;
    const now = performance.now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#intervalMs;
    if (at - now > 1) await new Promise((resolve) => setTimeout(resolve, at - now));
  }
}
