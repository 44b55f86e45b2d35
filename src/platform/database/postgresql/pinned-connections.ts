import pg, { type PoolClient, type PoolConfig, type Submittable } from 'pg';

/** A query that reports its result to a callback. */
interface PooledQuery<Rows> extends Submittable {
  callback: (error: Error | null, rows?: Rows) => void;
}

type ConnectCallback = Parameters<pg.Pool['connect']>[0];

/**
 * A pool that keeps up to half of its connections checked out, ready for the next statement. To check a connection out and
 * in, the driver needs two timers, a promise and an iteration of the event loop. Without ready connections the benchmark
 * `get-1` fails (0.5 times the limit, where 0.6 is required).
 */
export class PinnedConnections extends pg.Pool {
  readonly #maximum: number;
  readonly #ready: PoolClient[] = [];

  constructor(config: PoolConfig & { readonly max: number }) {
    super(config);
    this.#maximum = Math.floor(config.max / 2);
    this.on('connect', (client) => client.on('error', (error) => this.#discard(client, error)));
  }

  /** Connections without a statement: ready ones and idle ones of the driver's pool. */
  get availableCount(): number {
    return this.idleCount + this.#ready.length;
  }

  /** Runs one statement on a connection of the pool. */
  run<Rows>(query: PooledQuery<Rows>): Promise<Rows> {
    const client = this.#ready.pop();
    if (client !== undefined) return this.#runOn(client, query);
    return this.connect().then((client) => this.#runOn(client, query));
  }

  /**
   * The callback releases what it references. V8 allocates a function that is assigned to a property where it is written, like
   * the one that the driver adds for its time limit, in the old generation. It stays there until the next full collection, and
   * so does all that it references: without this, a list takes up to twice the processor time.
   */
  #runOn<Rows>(client: PoolClient, query: PooledQuery<Rows>): Promise<Rows> {
    return new Promise((resolve, reject) => {
      let waiting: { resolve: typeof resolve; reject: typeof reject } | undefined = { resolve, reject };
      const settle = (error: Error | null, rows?: Rows) => {
        // The driver calls it twice when a value cannot be sent, because it closes the connection.
        if (waiting === undefined) return;
        const caller = waiting;
        waiting = undefined;
        this.#return(client, error);
        if (error === null) caller.resolve(rows as Rows);
        else caller.reject(error);
      };
      query.callback = settle;
      try {
        client.query(query);
      } catch (error) {
        settle(error as Error);
      }
    });
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: NonNullable<ConnectCallback>): void;
  override connect(callback?: ConnectCallback): Promise<PoolClient> | undefined {
    const available = this.idleCount + this.options.max - this.totalCount;
    if (this.waitingCount >= available) this.#ready.pop()?.release();
    if (callback === undefined) return super.connect();
    super.connect(callback);
    return undefined;
  }

  override end(): Promise<void>;
  override end(callback: () => void): void;
  override end(callback?: () => void): Promise<void> | undefined {
    for (const client of this.#ready.splice(0)) client.release();
    if (callback === undefined) return super.end();
    super.end(callback);
    return undefined;
  }

  #return(client: PoolClient, error: Error | null): void {
    const keep =
      error === null && !this.ending && this.waitingCount === 0 && this.#ready.length < this.#maximum;
    if (keep) this.#ready.push(client);
    else client.release(error ?? undefined);
  }

  /** Removes a ready connection that was lost. */
  #discard(client: PoolClient, error: Error): void {
    const index = this.#ready.indexOf(client);
    if (index === -1) return;
    this.#ready.splice(index, 1);
    client.release(error);
    this.emit('error', error, client);
  }
}
