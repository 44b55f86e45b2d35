import pg from 'pg';
import { distribute } from '../../../src/platform/database/distribute.js';
import { randomId } from '../../../src/platform/database/ids.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { createCitusDatabase, dropCitusDatabase } from '../cluster/citus.js';
import { patienceMs } from '../patience.js';
import { administrativeUrlOf } from './direct-url.js';
import { templateKey } from './template-key.js';

/** URLs of the workers if the test server is a Citus coordinator; then tests use distributed databases. */
export const citusWorkers = (process.env.TEST_CITUS_WORKERS ?? '').split(',').filter(Boolean);

/** Creates an empty database on a server and returns its URL. */
export async function createPostgresqlDatabase(serverUrl: string): Promise<string> {
  const name = `people_api_test_${randomId(12)}`;
  await run(serverUrl, (client) => client.query(`CREATE DATABASE ${name}`));
  return urlOf(serverUrl, name);
}

/** Creates a copy of a migrated database and returns its URL. */
export async function createFromTemplate(serverUrl: string): Promise<string> {
  if (citusWorkers.length > 0) return createDistributed(serverUrl);
  const template = `people_api_template_${await templateKey()}`;
  const name = `people_api_test_${randomId(12)}`;
  await run(serverUrl, async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [template]);
    if (rowCount === 0) await createTemplate(client, serverUrl, template);
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  });
  return urlOf(serverUrl, name);
}

/** Drops a database and closes its connections. */
export async function dropPostgresqlDatabase(serverUrl: string, databaseUrl: string): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1);
  if (citusWorkers.length > 0) return dropCitusDatabase([serverUrl, ...citusWorkers], name);
  await run(serverUrl, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
}

/** A template would have to be copied on every server, so the tables are created and distributed. */
async function createDistributed(serverUrl: string): Promise<string> {
  const name = `people_api_test_${randomId(12)}`;
  await createCitusDatabase(serverUrl, citusWorkers, name);
  const databaseUrl = urlOf(serverUrl, name);
  const database = await openDatabase({ databaseUrl, dataDir: '', connectionTimeoutMs: patienceMs });
  await migrate(database);
  for (const { table, reason } of await distribute(database))
    if (reason !== undefined) throw new Error(`${table}: ${reason}`);
  await database.close();
  return databaseUrl;
}

async function createTemplate(client: pg.Client, serverUrl: string, template: string): Promise<void> {
  const databaseUrl = await createPostgresqlDatabase(serverUrl);
  const database = await openDatabase({
    databaseUrl: administrativeUrlOf(databaseUrl),
    dataDir: '',
    connectionTimeoutMs: patienceMs,
  });
  await migrate(database);
  await database.close();
  const made = new URL(databaseUrl).pathname.slice(1);
  // Concurrent test processes may both create it. The first one stays; the others are equal.
  await client
    .query(`ALTER DATABASE ${made} RENAME TO ${template}`)
    .catch(() => dropPostgresqlDatabase(serverUrl, databaseUrl));
}

async function run<Result>(serverUrl: string, use: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: administrativeUrlOf(serverUrl) });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

function urlOf(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.toString();
}
