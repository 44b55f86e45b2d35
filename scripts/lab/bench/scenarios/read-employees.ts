import { tenants } from '../../kit/database/tenants.js';
import { packageRoot } from '../../kit/paths.js';
import { startExpress, startLimit } from '../baselines/start.js';
import type { Scenario } from '../context.js';
import { sizes } from '../databases.js';
import type { Target } from '../rounds.js';
import { comparison } from './comparison.js';
import { dpopReadTarget } from './dpop-reads.js';
import { assertSameBytes, getReads, listReads, type ReadTarget, readTarget } from './reads.js';
import type { Setting } from './setting.js';
import { signTokens } from './tokens.js';

const size = sizes.tenants;

const limitName = 'limit (Fastify + pg)';
const expressName = 'Express';
const bearerName = 'bearer tokens';
const withoutCustomName = 'without custom attributes';
const list = { database: 'tenants', ours: ours(listReads) } as const;
const get = { database: 'tenants', ours: ours(getReads) } as const;

/** Reads of employees, compared with the limit and with a common stack. */
export const readScenarios: readonly Scenario[] = [
  comparison({
    ...list,
    name: 'list',
    title: 'List 50 employees (32 connections)',
    connections: 32,
    baselines: [limit, express],
    bars: { [limitName]: 1.6, [expressName]: 10 },
  }),
  comparison({
    ...get,
    name: 'get',
    title: 'Get one employee (32 connections)',
    connections: 32,
    baselines: [limit, express],
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

/** The same reads of employees with ten custom attributes, compared with those of employees without. */
export const customScenarios: readonly Scenario[] = [
  comparison({
    name: 'list-custom',
    title: 'List 50 employees with ten custom attributes (32 connections)',
    connections: 32,
    database: 'custom',
    ours: ours(listReads),
    baselines: [withoutCustom(listReads)],
    bars: { [withoutCustomName]: 0.8 },
  }),
  comparison({
    name: 'get-custom',
    title: 'Get one employee with ten custom attributes (32 connections)',
    connections: 32,
    database: 'custom',
    ours: ours(getReads),
    baselines: [withoutCustom(getReads)],
    bars: { [withoutCustomName]: 0.8 },
  }),
];

/** The same reads with DPoP, compared with bearer tokens. */
export const dpopScenarios: readonly Scenario[] = [
  comparison({
    name: 'list-dpop',
    title: 'List 50 employees with DPoP (32 connections)',
    connections: 32,
    database: 'tenants',
    ours: oursWithDpop(listReads),
    baselines: [bearer(listReads)],
    bars: { [bearerName]: 0.6 },
  }),
  comparison({
    name: 'get-dpop',
    title: 'Get one employee with DPoP (32 connections)',
    connections: 32,
    database: 'tenants',
    ours: oursWithDpop(getReads),
    baselines: [bearer(getReads)],
    bars: { [bearerName]: 0.6 },
  }),
];

function oursWithDpop(createReads: typeof listReads) {
  return async (setting: Setting): Promise<Target> => {
    const server = await setting.startOurs();
    return dpopReadTarget({ name: 'our server', role: 'ours' }, server, await readsOf(setting, createReads));
  };
}

function withoutCustom(createReads: typeof listReads) {
  return async (setting: Setting): Promise<Target> => {
    const database = await setting.other('tenants');
    const server = await setting.startOurs({ databaseUrl: database.url });
    const reads = await createReads(database, size);
    return { ...(await readTarget({ name: withoutCustomName }, server, reads)), database: database.name };
  };
}

function bearer(createReads: typeof listReads) {
  return async (setting: Setting): Promise<Target> =>
    readTarget({ name: bearerName }, await setting.startOurs(), await readsOf(setting, createReads));
}

function ours(createReads: typeof listReads) {
  return async (setting: Setting): Promise<ReadTarget> => {
    const server = await setting.startOurs();
    return readTarget({ name: 'our server', role: 'ours' }, server, await readsOf(setting, createReads));
  };
}

/** The requests and checks. A build with another schema has other attributes, so only the status of its responses is checked. */
async function readsOf({ reference, schemaRoot }: Setting, createReads: typeof listReads) {
  const reads = await createReads(reference, size);
  return schemaRoot === packageRoot ? reads : reads.map((read) => ({ ...read, isCorrect: () => true }));
}

async function limit({ database, start }: Setting, { reads, requests }: ReadTarget): Promise<Target> {
  const label = { name: limitName, role: 'limit' } as const;
  const target = await readTarget(label, await start(startLimit(database)), reads, new Map());
  assertSameBytes(requests, target.requests);
  return target;
}

async function express({ database, start }: Setting, { reads }: ReadTarget): Promise<Target> {
  const { keys, tokens } = await signTokens(tenants(size.tenants));
  const server = await start(startExpress(database, keys));
  return readTarget({ name: expressName, role: 'express' }, server, reads, tokens);
}
