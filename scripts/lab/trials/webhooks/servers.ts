import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../../kit/random.js';
import type { ServerProcess } from '../../kit/server/process.js';
import { startServer } from '../accounts.js';

/** Maximum milliseconds until a process is killed. */
const maximumPauseMs = 3_000;

/** Processes that share a database, and are killed and restarted. */
export class Servers {
  readonly #databaseUrl: string;
  readonly #random: Random;
  readonly #servers: ServerProcess[];
  readonly #kills: { readonly from: number; readonly to: number }[] = [];
  readonly #stopped = new AbortController();
  #killing: Promise<unknown> = Promise.resolve();

  static async start({
    databaseUrl,
    count,
    random,
  }: {
    databaseUrl: string;
    count: number;
    random: Random;
  }): Promise<Servers> {
    const servers = await Promise.all(Array.from({ length: count }, () => startProcess(databaseUrl)));
    return new Servers(databaseUrl, random, servers);
  }

  private constructor(databaseUrl: string, random: Random, servers: ServerProcess[]) {
    this.#databaseUrl = databaseUrl;
    this.#random = random;
    this.#servers = servers;
  }

  get ports(): number[] {
    return this.#servers.map(({ port }) => port);
  }

  /** Number of processes that were killed. */
  get kills(): number {
    return this.#kills.length;
  }

  /** Starts to kill and restart processes. All of them can be down at the same time. */
  killAtRandom(): void {
    this.#killing = Promise.all(this.#servers.map((_, index) => this.#killAtRandom(index)));
    // Reported when the faults are stopped.
    this.#killing.catch(() => {});
  }

  async stopKilling(): Promise<void> {
    this.#stopped.abort();
    await this.#killing;
  }

  /** Whether a process that was alive at the first time was killed before the second one. */
  wasKilledBetween(first: number, second: number): boolean {
    return this.#kills.some(({ from, to }) => to >= first && from <= second);
  }

  async stop(): Promise<void> {
    await this.stopKilling().catch(() => {});
    await Promise.all(this.#servers.map((server) => server.stop()));
  }

  async #killAtRandom(index: number): Promise<void> {
    const { signal } = this.#stopped;
    for (;;) {
      await wait(this.#random.upTo(maximumPauseMs), undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      const from = Date.now();
      await this.#servers[index].kill();
      this.#kills.push({ from, to: Date.now() });
      this.#servers[index] = await startProcess(this.#databaseUrl);
    }
  }
}

/** Production does not send to `http://localhost`. */
function startProcess(databaseUrl: string): Promise<ServerProcess> {
  return startServer({ databaseUrl, environment: { NODE_ENV: 'development' } });
}
