import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { type CitusCluster, createCitusDatabase } from '../../../../test/support/cluster/citus.js';
import { packageRoot } from '../paths.js';
import { type Database, type Fill, withClient } from './postgresql.js';

/** Creates a database on a coordinator and its workers, distributes its tables and fills it. */
export async function createDistributedDatabase(
  { coordinator, workers }: CitusCluster,
  name: string,
  fill: Fill,
): Promise<Database> {
  const workerUrls = workers.map((worker) => worker.url);
  await createCitusDatabase(coordinator.url, workerUrls, name);
  const url = coordinator.urlOf(name);
  runCommand(['distribute'], url);
  await withClient(url, async (client) => {
    await fill(client);
    // Without names of tables, only the coordinator is analyzed.
    await client.query('VACUUM (ANALYZE) account_totals, employees, employee_counts, employee_facets');
  });
  return { name, url };
}

/** Runs a command of the built service. */
export function runCommand(args: readonly string[], databaseUrl: string): void {
  const command = path.join(packageRoot, 'dist', 'src', 'cli', 'main.js');
  const env = { PATH: process.env.PATH, NODE_ENV: 'production', DATABASE_URL: databaseUrl };
  const { status, stderr, stdout } = spawnSync(process.execPath, [command, ...args], {
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stdout}${stderr}`);
}
