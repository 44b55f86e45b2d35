import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';

const weights = { terminate: 4, cut: 4, pause: 3, slow: 3, refuse: 2, kill: 1 };

/** Milliseconds between two kills at least: a server that is always starting is not under trial. */
const killEveryMs = 6_000;

/** Makes one fault after the other until it is told to stop. The first process of the fleet is never killed. */
export class Faults {
  #fleet;
  #random;
  #control;
  #databaseName;
  #lastKill = 0;
  counts = {};

  static async open({ fleet, random, databaseUrl }) {
    const faults = new Faults();
    faults.#fleet = fleet;
    faults.#random = random;
    faults.#databaseName = new URL(databaseUrl).pathname.slice(1);
    faults.#control = new pg.Client({ connectionString: databaseUrl, application_name: 'trials' });
    await faults.#control.connect();
    return faults;
  }

  /** @param {() => boolean} stopped */
  async run(stopped) {
    let killing = Promise.resolve();
    while (!stopped()) {
      const kind = this.#random.weighted(weights);
      if (kind === 'kill') {
        if (Date.now() - this.#lastKill < killEveryMs) continue;
        this.#lastKill = Date.now();
        await killing;
        killing = this.#fleet.killAndRestart(1 + this.#random.upTo(this.#fleet.size - 1));
      } else await this.#make(kind);
      this.counts[kind] = (this.counts[kind] ?? 0) + 1;
      await wait(100 + this.#random.upTo(900));
    }
    await killing;
  }

  async close() {
    await this.#control.end();
  }

  async #make(kind) {
    const proxy = this.#random.pick(this.#fleet.proxies);
    const durationMs = 200 + this.#random.upTo(1300);
    this.#fleet.faultFor(durationMs);
    if (kind === 'cut') return proxy.cut(this.#random, 0.1 + this.#random.next());
    if (kind === 'terminate') return this.#terminate();
    if (kind === 'pause') proxy.pause();
    if (kind === 'slow') proxy.slow(2 + this.#random.upTo(30));
    if (kind === 'refuse') proxy.refuse();
    await wait(durationMs);
    proxy.flow();
  }

  async #terminate() {
    await this.#control.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = $1 AND application_name = 'people-api' AND random() < $2`,
      [this.#databaseName, 0.1 + this.#random.next()],
    );
  }
}
