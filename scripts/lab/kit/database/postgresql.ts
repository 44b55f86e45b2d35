import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { describeProcess } from '../measure/processes.js';
import { packageRoot } from '../paths.js';
import { runCommand } from '../server/command.js';

export interface Database {
  readonly name: string;
  readonly url: string;
}

/** Creates the rows of a new database. */
export type Fill = (client: pg.Client) => Promise<unknown>;

const prefix = 'people_api_lab';
const keptPrefix = `${prefix}_kept`;

/** A PostgreSQL server on which databases are created. */
export class PostgresqlServer {
  readonly version: string;
  /** Process id of the first process of PostgreSQL; `undefined` if it runs on another machine. */
  readonly postmaster: number | undefined;
  readonly #url: string;
  readonly #control: pg.Client;
  readonly #keep: boolean;
  readonly #created: string[] = [];

  private constructor(
    url: string,
    control: pg.Client,
    keep: boolean,
    facts: { version: string; postmaster: number | undefined },
  ) {
    this.#url = url;
    this.#control = control;
    this.#keep = keep;
    this.version = facts.version;
    this.postmaster = facts.postmaster;
  }

  /**
   * @param url of a database in which others may be created
   * @param options keep: databases are kept after the run, and reused by the next run
   */
  static async open(url: string, { keep = false } = {}): Promise<PostgresqlServer> {
    const control = new pg.Client({ connectionString: url });
    await control.connect();
    const { rows } = await control.query(
      "SELECT current_setting('server_version') AS version, pg_backend_pid() AS pid",
    );
    const session = describeProcess(rows[0].pid);
    const postmaster = session?.name === 'postgres' ? session.parent : undefined;
    return new PostgresqlServer(url, control, keep, { version: rows[0].version, postmaster });
  }

  /** Creates a database with the tables of the service and fills it. @param root of the checkout that has the migrations */
  async database(kind: string, fill: Fill, root = packageRoot): Promise<Database> {
    const name = this.#keep
      ? `${keptPrefix}_${kind}_${fingerprint(root)}`
      : `${prefix}_${kind}_${randomBytes(4).toString('hex')}`;
    const database = { name, url: this.#urlOf(name) };
    const existing = await this.#control.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (existing.rowCount === 1) return database;
    if (this.#keep) await this.#dropOutdated(kind);
    else this.#created.push(name);
    const unfinished = `${name}_unfinished`;
    this.#created.push(unfinished);
    await this.#drop(unfinished);
    await this.#control.query(`CREATE DATABASE ${unfinished}`);
    runCommand(['migrate'], this.#urlOf(unfinished), root);
    await withClient(this.#urlOf(unfinished), fill);
    await this.#control.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
    return database;
  }

  async close(): Promise<void> {
    for (const name of this.#created) await this.#drop(name);
    await this.#control.end();
  }

  async #dropOutdated(kind: string): Promise<void> {
    const { rows } = await this.#control.query(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [`${keptPrefix}_${kind}_`],
    );
    for (const { datname } of rows) await this.#drop(datname);
  }

  async #drop(name: string): Promise<void> {
    await this.#control.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }

  #urlOf(name: string): string {
    return Object.assign(new URL(this.#url), { pathname: `/${name}` }).toString();
  }
}

/** Calls `use` with a connection and closes the connection afterwards. */
export async function withClient<Result>(
  url: string,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Queries the database directly and returns the rows. */
export function query(url: string, text: string, values: unknown[] = []) {
  return withClient(url, async (client) => (await client.query(text, values)).rows);
}

/** Key that changes with the schema and with the code that fills a database. */
function fingerprint(root: string): string {
  return hashOf(
    path.join(root, 'prisma', 'migrations'),
    path.join(root, 'scripts', 'lab', 'kit', 'database'),
  );
}

/** Whether a checkout has the migrations of this one. */
export function hasSameSchema(root: string): boolean {
  const [ours, others] = [packageRoot, root].map((each) => hashOf(path.join(each, 'prisma', 'migrations')));
  return ours === others;
}

/** Hash of the SQL and TypeScript files below directories. */
function hashOf(...directories: string[]): string {
  const hash = createHash('sha256');
  for (const directory of directories) {
    for (const name of readdirSync(directory, { recursive: true }).map(String).sort()) {
      if (/\.(sql|ts)$/.test(name)) hash.update(name).update(readFileSync(path.join(directory, name)));
    }
  }
  return hash.digest('hex').slice(0, 8);
}
