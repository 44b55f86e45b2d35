import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { patienceMs } from '../patience.js';
import { programOptions, programPath } from './programs.js';

/** Settings of PostgreSQL by name. */
export type Settings = Readonly<Record<string, string>>;

/** A PostgreSQL server on 127.0.0.1 that a test or a trial starts and stops. Its superuser is `postgres`, without a password. */
export class ClusterServer {
  readonly name: string;
  readonly port: number;
  /** Directory of the data. */
  readonly directory: string;
  readonly #settings: Settings;
  #child: ChildProcess | undefined;

  constructor(options: { name: string; port: number; directory: string; settings: Settings }) {
    this.name = options.name;
    this.port = options.port;
    this.directory = options.directory;
    this.#settings = options.settings;
  }

  /** URL of the database `postgres`. */
  get url(): string {
    return this.urlOf('postgres');
  }

  urlOf(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  /** Id of the first process; undefined when the server does not run. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts the server and waits until it accepts connections. Its data directory exists. */
  async start(): Promise<void> {
    const log = `${this.directory}.log`;
    const output = openSync(log, 'a');
    const args = Object.entries(this.#settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(programPath('postgres'), ['-D', this.directory, ...args], {
      ...programOptions,
      stdio: ['ignore', output, output],
    });
    await once(child, 'spawn');
    this.#child = child;
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await wait(20)) {
      if (child.exitCode !== null) break;
      const accepts = await this.query('SELECT').then(
        () => true,
        () => false,
      );
      if (accepts) return;
    }
    throw new Error(`PostgreSQL does not accept connections:\n${readFileSync(log, 'utf8').slice(-2000)}`);
  }

  /** Disconnects all clients and stops the server. */
  stop(): Promise<void> {
    return this.#end('SIGINT');
  }

  /** Kills all processes of the server. */
  async kill(): Promise<void> {
    const sessions = this.#sessions();
    await this.#end('SIGKILL');
    for (const pid of sessions) signalProcess(pid, 'SIGKILL');
  }

  /** Freezes all processes of the server: connections stay open and get no response. */
  freeze(): void {
    this.#signalAll('SIGSTOP');
  }

  /** Continues after {@link ClusterServer.freeze}. */
  unfreeze(): void {
    this.#signalAll('SIGCONT');
  }

  /** Kills the first process; the others exit when they detect it. For exit handlers, which must be synchronous. */
  abandon(): void {
    this.#child?.kill('SIGKILL');
  }

  /** Rows of one statement. */
  async query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: patienceMs });
    // A server that is stopped disconnects its clients.
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** Changes settings that need no restart. They outlive a restart. */
  async configure(settings: Settings): Promise<void> {
    for (const [name, value] of Object.entries(settings)) {
      await this.query(`ALTER SYSTEM SET ${name} = ${pg.escapeLiteral(value)}`);
    }
    await this.query('SELECT pg_reload_conf()');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  #signalAll(signal: NodeJS.Signals): void {
    const first = this.#child?.pid;
    for (const pid of [...(first === undefined ? [] : [first]), ...this.#sessions()])
      signalProcess(pid, signal);
  }

  /** Ids of the processes that the first one started, on Linux. On other systems they exit shortly after it. */
  #sessions(): number[] {
    const pid = this.#child?.pid;
    try {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
      return children.split(' ').filter(Boolean).map(Number);
    } catch {
      return [];
    }
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
