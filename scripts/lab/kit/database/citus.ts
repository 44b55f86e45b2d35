import { type CitusCluster, createCitusDatabase } from '../../../../test/support/cluster/citus.js';
import { runCommand } from '../server/command.js';
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
    await client.query(
      'VACUUM (ANALYZE) account_totals, employees, employee_counts, employee_facets, employee_location_facets',
    );
  });
  return { name, url };
}
