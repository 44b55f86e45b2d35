import { existsSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { commonSettings, createServer } from './cluster.js';
import { ClusterServer, type Settings } from './cluster-server.js';
import { hasPostgresqlPrograms, libraryPath } from './programs.js';
import { TemporaryServers } from './temporary-servers.js';

/** Whether the extension is installed with the programs of PostgreSQL. */
export const hasCitus: boolean = hasPostgresqlPrograms && existsSync(path.join(libraryPath(), 'citus.so'));

/** A Citus coordinator and its workers. */
export interface CitusCluster {
  readonly coordinator: ClusterServer;
  readonly workers: readonly ClusterServer[];
  /** Kills the servers and removes their data. */
  close(): Promise<void>;
}

const citusSettings: Settings = {
  ...commonSettings,
  shared_preload_libraries: 'citus',
  // For two-phase commits; prepared transactions are kept when a server is killed.
  max_prepared_transactions: '400',
  max_connections: '400',
  // The settings of the planner that the service chooses for its connections do not reach the workers.
  jit: 'off',
  enable_bitmapscan: 'off',
  // As in the connections of the service to a server on the same machine.
  'citus.node_conninfo': 'sslmode=disable',
  // Few shards, so that tables are created quickly.
  'citus.shard_count': '4',
};

/** Starts a coordinator and two workers in a temporary directory, with the installed programs. */
export async function startCitus(settings: Settings = {}): Promise<CitusCluster> {
  const servers = new TemporaryServers();
  const close = () => servers.close();
  try {
    for (const name of ['coordinator', 'worker1', 'worker2']) {
      const server = await servers.add(ClusterServer, { name, settings: { ...citusSettings, ...settings } });
      await createServer(server);
      // The service takes this role when its user is a superuser. Citus connects to the workers as this role.
      await server.query('CREATE ROLE people_api_tenant LOGIN');
    }
    const [coordinator, ...workers] = servers.all as [ClusterServer, ...ClusterServer[]];
    return { coordinator, workers, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Creates a database without tables on a coordinator and its workers. */
export async function createCitusDatabase(
  coordinatorUrl: string,
  workerUrls: readonly string[],
  name: string,
): Promise<void> {
  await run(coordinatorUrl, `CREATE DATABASE ${name}`);
  await addWorkers(coordinatorUrl, workerUrls, name);
}

/** Makes a database of a coordinator one that can be distributed: creates it on the workers, and adds them. */
export async function addWorkers(
  coordinatorUrl: string,
  workerUrls: readonly string[],
  name: string,
): Promise<void> {
  for (const url of workerUrls) await run(url, `CREATE DATABASE ${name}`);
  for (const url of [coordinatorUrl, ...workerUrls]) await run(urlOf(url, name), 'CREATE EXTENSION citus');
  const coordinator = urlOf(coordinatorUrl, name);
  await run(coordinator, `SELECT citus_set_coordinator_host(${addressOf(coordinatorUrl)})`);
  for (const url of workerUrls) await run(coordinator, `SELECT citus_add_node(${addressOf(url)})`);
}

/** Drops a database on a coordinator and its workers, and closes its connections. */
export async function dropCitusDatabase(urls: readonly string[], name: string): Promise<void> {
  for (const url of urls) await run(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

function addressOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${pg.escapeLiteral(hostname)}, ${Number(port)}`;
}

function urlOf(url: string, database: string): string {
  return Object.assign(new URL(url), { pathname: `/${database}` }).toString();
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
