import type { Database } from '../../kit/database/postgresql.js';
import type { TenantSize } from '../../kit/database/tenants.js';
import type { ServerProcess } from '../../kit/server/process.js';
import { compare } from '../bars.js';
import type { Scenario } from '../context.js';
import { sizes } from '../databases.js';
import { sampleTable } from '../report/tables.js';
import { measureRounds, type Target } from '../rounds.js';
import { listReads, readTarget } from './reads.js';
import { withSetting } from './setting.js';

const connections = 32;
const few = `${sizes.tenants.tenants} tenants`;
const many = `${sizes.wide.tenants} tenants`;

/** The cost of more tenants, and the gain of more processes. */
export const scaleScenarios: readonly Scenario[] = [
  {
    name: 'tenants',
    title: `List with ${few} and with ${many} of ${sizes.wide.employees} employees each (32 connections)`,
    run: (context) =>
      withSetting(context, 'tenants', async ({ database, startOurs }) => {
        const wide = await context.database('wide');
        const small = await listTarget(few, await startOurs(), { database, size: sizes.tenants });
        const server = await startOurs({ databaseUrl: wide.url });
        const large = await listTarget(many, server, { database: wide, size: sizes.wide });
        const samples = await measureRounds(context, { targets: [small, large], connections });
        const bound = { atMost: 1.1 };
        return {
          table: sampleTable(samples),
          bars: (['perServerSecond', 'perTotalSecond'] as const).map((metric) =>
            compare(samples, { of: few, against: many, bound, metric }),
          ),
        };
      }),
  },
  {
    name: 'processes',
    title: 'List 50 employees from one process and from two (32 connections)',
    run: (context) =>
      withSetting(context, 'tenants', async ({ database, startOurs }) => {
        const [first, second] = [await startOurs(), await startOurs()];
        const one = await listTarget('one process', first, { database, size: sizes.tenants });
        const service = { ports: [first.port, second.port], pids: [first.pid, second.pid] };
        const two = { ...one, name: 'two processes', service };
        const samples = await measureRounds(context, { targets: [one, two], connections });
        return {
          table: sampleTable(samples),
          bars: [compare(samples, { of: two.name, against: one.name, bound: {}, metric: 'perSecond' })],
        };
      }),
  },
];

async function listTarget(
  name: string,
  server: ServerProcess,
  { database, size }: { database: Database; size: TenantSize },
): Promise<Target> {
  const target = await readTarget({ name }, server, await listReads(database, size));
  return { ...target, database: database.name };
}
