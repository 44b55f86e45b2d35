import { tenants } from '../../kit/database/tenants.js';
import type { FixedRequest } from '../../kit/load/fixed-requests.js';
import type { ServerProcess } from '../../kit/server/process.js';
import { startConstant, startExpress, startLimit } from '../baselines/start.js';
import type { Scenario } from '../context.js';
import { sizes } from '../databases.js';
import type { Target } from '../rounds.js';
import { comparison } from './comparison.js';
import { assertSameBytes, getReads, listReads, type Read, verifyReads } from './reads.js';
import type { Setting } from './setting.js';
import { requestTokens, signTokens } from './tokens.js';

/** A target whose responses were verified. */
interface ReadTarget extends Target {
  readonly reads: readonly Read[];
  readonly requests: readonly Required<Omit<FixedRequest, 'shape'>>[];
}

const size = sizes.tenants;
const clients = tenants(size.tenants);

const limitName = 'limit (Fastify + pg)';
const expressName = 'Express';
const list = { database: 'tenants', ours: ours(listReads) } as const;
const get = { database: 'tenants', ours: ours(getReads) } as const;

/** Reads of employees, compared with the limit and with a common stack. */
export const readScenarios: readonly Scenario[] = [
  comparison({
    ...list,
    name: 'list',
    title: 'List 50 employees (32 connections)',
    connections: 32,
    baselines: [limit, constant, express],
    bars: { [limitName]: 1.6, [expressName]: 10 },
  }),
  comparison({
    ...get,
    name: 'get',
    title: 'Get one employee (32 connections)',
    connections: 32,
    baselines: [limit, constant, express],
    bars: { [limitName]: 1.2, [expressName]: 10 },
  }),
  comparison({
    ...list,
    name: 'list-1',
    title: 'List 50 employees (1 connection)',
    connections: 1,
    baselines: [limit],
    bars: { [limitName]: 0.8 },
  }),
  comparison({
    ...get,
    name: 'get-1',
    title: 'Get one employee (1 connection)',
    connections: 1,
    baselines: [limit],
    bars: { [limitName]: 0.6 },
  }),
];

type Label = Pick<Target, 'name' | 'role'>;

function ours(createReads: typeof listReads) {
  return async ({ startOurs, database }: Setting): Promise<ReadTarget> => {
    const server = await startOurs();
    const tokens = await requestTokens(server, clients);
    return readTarget({ name: 'our server', role: 'ours' }, server, {
      tokens,
      reads: await createReads(database, size),
    });
  };
}

async function limit({ database, start }: Setting, { reads, requests }: ReadTarget): Promise<Target> {
  const server = await start(startLimit(database));
  const label = { name: limitName, role: 'limit' } as const;
  const target = await readTarget(label, server, { tokens: new Map(), reads });
  assertSameBytes(requests, target.requests);
  return target;
}

async function express({ database, start }: Setting, { reads }: ReadTarget): Promise<Target> {
  const { keys, tokens } = await signTokens(clients);
  const server = await start(startExpress(database, keys));
  return readTarget({ name: expressName, role: 'express' }, server, { tokens, reads });
}

/** The same requests; every response must equal the first one. */
async function constant({ start }: Setting, { requests }: ReadTarget): Promise<Target> {
  const [{ expected }] = requests;
  const server = await start(startConstant(expected));
  const same = requests.map(({ request }) => ({ request, expected }));
  return targetOf({ name: 'bare node:http, constant body' }, server, same);
}

async function readTarget(
  label: Label,
  server: ServerProcess,
  { tokens, reads }: { tokens: ReadonlyMap<string, string>; reads: readonly Read[] },
): Promise<ReadTarget> {
  const requests = await verifyReads({ name: label.name, server, tokens }, reads);
  return { ...targetOf(label, server, requests), reads, requests };
}

function targetOf(label: Label, service: ServerProcess, requests: readonly FixedRequest[]): Target {
  return { ...label, service, job: async () => ({ load: 'fixedRequests', input: { requests } }) };
}
