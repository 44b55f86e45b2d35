import { once } from 'node:events';
import net from 'node:net';

/** Stands between a server and its database, and spoils what passes on request. */
export class DatabaseProxy {
  #pairs = new Set();
  #listener;
  #refusing = false;
  #delayMs = 0;
  #held = null;

  /** @param {string} databaseUrl @returns {Promise<DatabaseProxy>} */
  static async open(databaseUrl) {
    const proxy = new DatabaseProxy(databaseUrl);
    proxy.#listener.listen(0, '127.0.0.1');
    await once(proxy.#listener, 'listening');
    return proxy;
  }

  constructor(databaseUrl) {
    this.target = new URL(databaseUrl);
    this.#listener = net.createServer((client) => this.#serve(client));
  }

  /** Where the database is, for whoever goes through the proxy. */
  get url() {
    return Object.assign(new URL(this.target), { hostname: '127.0.0.1', port: this.#listener.address().port })
      .href;
  }

  /** Ends connections without a word; each with this probability. */
  cut(random, part) {
    for (const pair of [...this.#pairs]) if (random.chance(part)) pair.end();
  }

  /** Holds back everything until {@link flow}. */
  pause() {
    if (this.#held !== null) return;
    let release;
    this.#held = new Promise((resolve) => {
      release = resolve;
    });
    this.#held.release = release;
  }

  /** Everything passes again, at once. */
  flow() {
    this.#refusing = false;
    this.#delayMs = 0;
    this.#held?.release();
    this.#held = null;
  }

  slow(delayMs) {
    this.#delayMs = delayMs;
  }

  /** Ends every connection and takes no new one. */
  refuse() {
    this.#refusing = true;
    for (const pair of [...this.#pairs]) pair.end();
  }

  close() {
    this.flow();
    this.#listener.close();
    for (const pair of [...this.#pairs]) pair.end();
  }

  #serve(client) {
    if (this.#refusing) return client.destroy();
    const database = net.connect({ host: this.target.hostname, port: Number(this.target.port || 5432) });
    const pair = {
      end: () => {
        this.#pairs.delete(pair);
        client.destroy();
        database.destroy();
      },
    };
    this.#pairs.add(pair);
    for (const [from, to] of [
      [client, database],
      [database, client],
    ]) {
      from.setNoDelay(true);
      from.on('error', pair.end);
      // What is held back when one side ends never reaches the other.
      from.on('close', pair.end);
      this.#forward(from, to);
    }
  }

  #forward(from, to) {
    let last = Promise.resolve();
    from.on('data', (chunk) => {
      if (this.#held === null && this.#delayMs === 0 && last === null) return to.write(chunk);
      const before = last;
      const mine = (async () => {
        await before;
        if (this.#delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.#delayMs));
        while (this.#held !== null) await this.#held;
        if (!to.destroyed) to.write(chunk);
      })();
      last = mine;
      mine.then(() => {
        if (last === mine) last = null;
      });
    });
  }
}
