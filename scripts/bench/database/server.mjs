import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { describeProcess } from '../measure/processor-time.mjs';
import { benchRoot, packageRoot } from '../root.mjs';
import { appSecret } from '../subjects/ours.mjs';

const prefix = 'people_api_bench';
const keptPrefix = `${prefix}_kept`;

/**
 * The PostgreSQL server that databases are made on.
 *
 * @param {string} url of a database in which others may be created
 * @param {{ keep: boolean }} options keep: databases outlive the run, and the next run finds them filled
 */
export async function openServer(url, { keep }) {
  const control = new pg.Client({ connectionString: url });
  await control.connect();
  const made = [];
  const urlOf = (name) => Object.assign(new URL(url), { pathname: `/${name}` }).toString();
  const version = (await control.query('SHOW server_version')).rows[0].server_version;

  return {
    version,
    postmaster: await findPostmaster(control),
    /**
     * Makes a database with the product's tables, and fills it.
     *
     * @param {string} kind
     * @param {(client: pg.Client) => Promise<void>} fill
     */
    async database(kind, fill) {
      const name = keep
        ? `${keptPrefix}_${kind}_${fingerprint()}`
        : `${prefix}_${kind}_${randomBytes(4).toString('hex')}`;
      const { rowCount } = await control.query('SELECT FROM pg_database WHERE datname = $1', [name]);
      const database = { name, url: urlOf(name) };
      if (!keep) made.push(name);
      if (rowCount > 0) return database;
      if (keep) await dropAll(control, `${keptPrefix}_${kind}_`);
      const unfinished = `${name}_unfinished`;
      await control.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
      await control.query(`CREATE DATABASE ${unfinished}`);
      made.push(unfinished);
      migrate(urlOf(unfinished));
      await withClient(urlOf(unfinished), fill);
      await control.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
      return database;
    },
    async close() {
      for (const name of made) await control.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await control.end();
    },
  };
}

/** Drops what was kept and is of no use any more. */
async function dropAll(control, beginning) {
  const { rows } = await control.query('SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [
    beginning,
  ]);
  for (const { datname } of rows) await control.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
}

/** Lends a connection. */
export async function withClient(url, use) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Process id of PostgreSQL's first process; undefined where it runs on another machine. */
async function findPostmaster(control) {
  const { rows } = await control.query('SELECT pg_backend_pid() AS pid');
  const session = describeProcess(rows[0].pid);
  return session?.name === 'postgres' ? session.parent : undefined;
}

function migrate(databaseUrl) {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [path.join(packageRoot, 'dist', 'src', 'cli', 'main.js'), 'migrate'],
    {
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        DATABASE_URL: databaseUrl,
        APP_SECRET: appSecret,
      },
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`The tables could not be made: ${stdout}${stderr}`);
}

/** Changes with everything that decides what a filled database holds. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const directory of [
    path.join(packageRoot, 'prisma', 'migrations'),
    path.join(benchRoot, 'database'),
  ]) {
    for (const name of readdirSync(directory, { recursive: true }).sort()) {
      if (/\.(sql|mjs)$/.test(name)) hash.update(name).update(readFileSync(path.join(directory, name)));
    }
  }
  return hash.digest('hex').slice(0, 8);
}
