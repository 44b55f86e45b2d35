import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Database } from '../../kit/database/postgresql.js';
import { type TenantSize, tenants } from '../../kit/database/tenants.js';
import type { ServerProcess } from '../../kit/server/process.js';
import { compare } from '../bars.js';
import type { Scenario } from '../context.js';
import { type DatabaseKind, sizes } from '../databases.js';
import { sampleTable } from '../report/tables.js';
import { measureRounds, type Target } from '../rounds.js';
import { getReads, listReads, readTarget } from './reads.js';
import { withSetting } from './setting.js';

const connections = 32;
const few = `${sizes.tenants.tenants} tenants`;
const many = `${sizes.wide.tenants} tenants`;

const accountKinds = ['accounts_10', 'accounts_1000', 'accounts_100000'] as const;

/** Maximum number of accounts whose applications send requests. They are spread over all accounts. */
const maxCallers = 10_000;

/** Open connections without a request. */
const idleConnections = 10_000;

/** The cost of more tenants and of idle connections, and the gain of more processes. */
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
    name: 'accounts',
    title: `Get one employee with ${accountKinds.map((kind) => sizes[kind].tenants).join(', ')} accounts (32 connections)`,
    run: (context) =>
      withSetting(context, accountKinds[0], async ({ startOurs }) => {
        const targets: Target[] = [];
        for (const kind of accountKinds) {
          const database = await context.database(kind);
          targets.push(await accountsTarget(kind, await startOurs({ databaseUrl: database.url }), database));
        }
        const samples = await measureRounds(context, { targets, connections });
        const [fewest, ...more] = targets.map(({ name }) => name);
        return {
          table: sampleTable(samples),
          bars: more.flatMap((name) =>
            (['perServerSecond', 'perTotalSecond'] as const).map((metric) =>
              compare(samples, { of: name, against: fewest as string, bound: {}, metric }),
            ),
          ),
        };
      }),
  },
  {
    name: 'idle-connections',
    title: `List 50 employees with and without ${idleConnections} idle connections (32 connections)`,
    run: (context) =>
      withSetting(context, 'tenants', async ({ database, startOurs }) => {
        const environment = { MAX_CONNECTIONS: String(2 * idleConnections) };
        const [server, crowded] = [await startOurs({ environment }), await startOurs({ environment })];
        const of = { database, size: sizes.tenants };
        const alone = await listTarget('no idle connections', server, of);
        const idle = await listTarget(`${idleConnections} idle connections`, crowded, of);
        const sockets: Socket[] = [];
        try {
          await openConnections(crowded, sockets);
          const samples = await measureRounds(context, { targets: [alone, idle], connections });
          const closed = sockets.filter(({ readyState }) => readyState !== 'open').length;
          if (closed > 0)
            throw new Error(`The server has closed ${closed} idle connections: use fewer rounds`);
          return {
            table: sampleTable(samples),
            bars: [compare(samples, { of: idle.name, against: alone.name, bound: {} })],
          };
        } finally {
          for (const socket of sockets) socket.destroy();
        }
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

async function accountsTarget(
  kind: DatabaseKind,
  server: ServerProcess,
  database: Database,
): Promise<Target> {
  const size = sizes[kind];
  const every = Math.ceil(size.tenants / maxCallers);
  const callers = tenants(size.tenants).filter((_, index) => index % every === 0);
  const reads = await getReads(database, size, { callers, perCaller: 1 });
  const target = await readTarget({ name: `${size.tenants} accounts` }, server, reads);
  return { ...target, database: database.name };
}

/** Opens connections that have sent one request each and are then idle. The server closes them after 75 seconds. */
async function openConnections({ port }: ServerProcess, sockets: Socket[]): Promise<void> {
  for (let count = 0; count < idleConnections; count += 1) {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await once(socket, 'data');
  }
}
