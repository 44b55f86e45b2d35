import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { Random } from '../../kit/random.js';
import type { Fleet } from './fleet.js';

const weights = { terminate: 4, cut: 4, pause: 3, slow: 3, refuse: 2, kill: 1 };

type Kind = keyof typeof weights;

/** Minimum milliseconds between two kills, so that the server is not always starting. */
const killEveryMs = 6_000;

/** Injects faults sequentially. The first process of the fleet is never killed. */
export class Faults {
  readonly counts = new Map<Kind, number>();
  readonly #fleet: Fleet;
  readonly #random: Random;
  readonly #control: pg.Client;
  readonly #databaseName: string;
  #lastKill = 0;

  constructor({ fleet, random, databaseUrl }: { fleet: Fleet; random: Random; databaseUrl: string }) {
    this.#fleet = fleet;
    this.#random = random;
    this.#databaseName = new URL(databaseUrl).pathname.slice(1);
    this.#control = new pg.Client({ connectionString: databaseUrl, application_name: 'trials' });
  }

  async open(): Promise<void> {
    await this.#control.connect();
  }

  /** Injects faults until `stopped` returns true. */
  async run(stopped: () => boolean): Promise<void> {
    let killing = Promise.resolve();
    while (!stopped()) {
      const kind = this.#random.weighted(weights);
      if (kind === 'kill') {
        if (Date.now() - this.#lastKill < killEveryMs) continue;
        this.#lastKill = Date.now();
        await killing;
        killing = this.#fleet.killAndRestart(1 + this.#random.upTo(this.#fleet.size - 1));
      } else await this.#inject(kind);
      this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
      await wait(100 + this.#random.upTo(900));
    }
    await killing;
  }

  async close(): Promise<void> {
    await this.#control.end();
  }

  async #inject(kind: Exclude<Kind, 'kill'>): Promise<void> {
    const proxy = this.#random.pick(this.#fleet.proxies);
    const durationMs = 200 + this.#random.upTo(1300);
    this.#fleet.excuse(durationMs);
    switch (kind) {
      case 'cut':
        return proxy.cut(this.#random, 0.1 + this.#random.next());
      case 'terminate':
        return this.#terminateSessions();
      case 'pause':
        proxy.pause();
        break;
      case 'slow':
        proxy.slow(2 + this.#random.upTo(30));
        break;
      case 'refuse':
        proxy.refuse();
        break;
    }
    await wait(durationMs);
    proxy.restore();
  }

  async #terminateSessions(): Promise<void> {
    await this.#control.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = $1 AND application_name = 'people-api' AND random() < $2`,
      [this.#databaseName, 0.1 + this.#random.next()],
    );
  }
}
