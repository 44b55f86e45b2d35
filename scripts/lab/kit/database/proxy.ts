import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../random.js';

/** A proxy between a server and its database that disturbs the traffic on request. */
export class DatabaseProxy {
  readonly #target: URL;
  readonly #listener: net.Server;
  readonly #connections = new Set<() => void>();
  #refusing = false;
  #delayMs = 0;
  #paused: { ended: Promise<void>; end: () => void } | undefined;

  static async open(databaseUrl: string): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(databaseUrl);
    proxy.#listener.listen(0, '127.0.0.1');
    await once(proxy.#listener, 'listening');
    return proxy;
  }

  private constructor(databaseUrl: string) {
    this.#target = new URL(databaseUrl);
    this.#listener = net.createServer((client) => this.#accept(client));
  }

  /** URL of the database through the proxy. */
  get url(): string {
    const { port } = this.#listener.address() as AddressInfo;
    return Object.assign(new URL(this.#target), { hostname: '127.0.0.1', port }).href;
  }

  /** Closes each connection with this probability. */
  cut(random: Random, probability: number): void {
    for (const end of [...this.#connections]) if (random.chance(probability)) end();
  }

  /** Holds back all bytes until {@link restore}. */
  pause(): void {
    if (this.#paused !== undefined) return;
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#paused = { ended, end };
  }

  /** Delays all bytes until {@link restore}. */
  slow(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** Closes every connection and accepts no new one until {@link restore}. */
  refuse(): void {
    this.#refusing = true;
    for (const end of [...this.#connections]) end();
  }

  restore(): void {
    this.#refusing = false;
    this.#delayMs = 0;
    this.#paused?.end();
    this.#paused = undefined;
  }

  close(): void {
    this.restore();
    this.#listener.close();
    for (const end of [...this.#connections]) end();
  }

  #accept(client: Socket): void {
    if (this.#refusing) {
      client.destroy();
      return;
    }
    const database = net.connect({ host: this.#target.hostname, port: Number(this.#target.port || 5432) });
    const end = () => {
      this.#connections.delete(end);
      client.destroy();
      database.destroy();
    };
    this.#connections.add(end);
    for (const [from, to] of [
      [client, database],
      [database, client],
    ]) {
      from.setNoDelay(true);
      from.on('error', end);
      // Bytes that are held back when one side closes never reach the other.
      from.on('close', end);
      this.#forward(from, to);
    }
  }

  #forward(from: Socket, to: Socket): void {
    let last: Promise<void> | undefined;
    from.on('data', (chunk: Buffer) => {
      if (this.#paused === undefined && this.#delayMs === 0 && last === undefined) {
        to.write(chunk);
        return;
      }
      const written = this.#writeLater(to, chunk, last);
      last = written;
      written.then(() => {
        if (last === written) last = undefined;
      });
    });
  }

  async #writeLater(to: Socket, chunk: Buffer, before: Promise<void> | undefined): Promise<void> {
    await before;
    if (this.#delayMs > 0) await wait(this.#delayMs);
    while (this.#paused !== undefined) await this.#paused.ended;
    if (!to.destroyed) to.write(chunk);
  }
}
