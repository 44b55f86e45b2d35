import pg, { type PoolClient, type PoolConfig, type Submittable } from 'pg';

/** A query that somebody else has written, and who hears of its end. */
export interface Answered<Rows> extends Submittable {
  callback: (error: Error | null, rows?: Rows) => void;
}

type ConnectCallback = (error: Error | undefined, client?: PoolClient, release?: () => void) => void;

/**
 * A pool that keeps some connections at hand, for queries of one round trip: to get a connection and to give it back
 * costs more than such a query does. Whoever finds the pool used up gets one of these.
 */
export class ReadyPool extends pg.Pool {
  readonly #most: number;
  readonly #ready: PoolClient[] = [];

  constructor(config: PoolConfig) {
    super(config);
    this.#most = Math.floor((config.max ?? 10) / 2);
    this.on('connect', (client) => {
      // Also for the moment between the pool and whoever has waited for the connection, in which it is nobody's and its
      // loss must not end the process. Whoever gets it finds out by the next statement.
      client.on('error', (error) => this.#drop(client, error));
    });
  }

  /** Connections that wait at hand; the pool takes them for used. */
  get readyCount(): number {
    return this.#ready.length;
  }

  /** Runs a query on a connection that is at hand, or on another one. */
  run<Rows>(query: Answered<Rows>): Promise<Rows> {
    const client = this.#ready.pop();
    return client === undefined
      ? this.connect().then((other) => this.#runOn(other, query))
      : this.#runOn(client, query);
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<PoolClient> | undefined {
    const toBeHad = this.idleCount + this.options.max - this.totalCount;
    if (this.waitingCount >= toBeHad) this.#ready.pop()?.release();
    if (callback === undefined) return super.connect();
    super.connect(callback);
    return undefined;
  }

  /** Gives the pool the connections that are at hand. */
  releaseReady(): void {
    for (const client of this.#ready.splice(0)) client.release();
  }

  override end(): Promise<void>;
  override end(callback: () => void): void;
  override end(callback?: () => void): Promise<void> | undefined {
    this.releaseReady();
    if (callback === undefined) return super.end();
    super.end(callback);
    return undefined;
  }

  #runOn<Rows>(client: PoolClient, query: Answered<Rows>): Promise<Rows> {
    return new Promise((resolve, reject) => {
      query.callback = (error, rows) => {
        this.#giveBack(client, error);
        if (error === null) resolve(rows as Rows);
        else reject(error);
      };
      client.query(query);
    });
  }

  /** As the pool does with its own: one that has failed is not used again. */
  #giveBack(client: PoolClient, error: Error | null): void {
    const isWanted = this.#ready.length < this.#most && this.waitingCount === 0 && !this.ending;
    if (error === null && isWanted) this.#ready.push(client);
    else client.release(error ?? undefined);
  }

  #drop(client: PoolClient, error: Error): void {
    const index = this.#ready.indexOf(client);
    if (index === -1) return;
    this.#ready.splice(index, 1);
    client.release(error);
    this.emit('error', error, client);
  }
}
