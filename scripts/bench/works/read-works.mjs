import { tenants } from '../database/tenants.mjs';
import { startConstant, startExpress, startLimit } from '../subjects/peers.mjs';
import { makeTokens, requestTokens } from '../subjects/tokens.mjs';
import { comparison } from './comparison.mjs';
import { assertSameBytes, getReads, listReads, proveReads } from './reads.mjs';
import { sizes } from './sizes.mjs';

const size = sizes.tenants;
const clients = tenants(size.tenants);

const limitName = 'limit (Fastify + pg)';
const countAll = 'Express, COUNT(*)';
const countKept = 'Express, cheap count';
const plainExpress = 'Express';

const pooled = limit(limitName, { pipeline: false });
const pipelined = limit('limit, pipelined', { pipeline: true });

const list = { database: 'tenants', ours: ours(listReads) };
const get = { database: 'tenants', ours: ours(getReads) };

/** Reads of employees, against what is written by hand and what is often built. */
export const readWorks = [
  {
    ...list,
    name: 'list',
    title: 'List 50 employees (32 connections)',
    connections: 32,
    peers: [
      pooled,
      pipelined,
      constant,
      express(countAll, { count: 'all' }),
      express(countKept, { count: 'kept' }),
      express('Express, COUNT(*), answers checked', { count: 'all', validateResponses: true }),
    ],
    bars: { [limitName]: 1.6, [countAll]: 10 },
  },
  {
    ...get,
    name: 'get',
    title: 'Get one employee (32 connections)',
    connections: 32,
    peers: [pooled, pipelined, constant, express(plainExpress, { count: 'all' })],
    bars: { [limitName]: 1.2, [plainExpress]: 10 },
  },
  {
    ...list,
    name: 'list-1',
    title: 'List 50 employees (1 connection)',
    connections: 1,
    peers: [pooled],
    bars: { [limitName]: 0.8 },
  },
  {
    ...get,
    name: 'get-1',
    title: 'Get one employee (1 connection)',
    connections: 1,
    peers: [pooled],
    bars: { [limitName]: 0.6 },
  },
].map(comparison);

function ours(makeReads) {
  return async (scene) => {
    const subject = await scene.startOurs();
    const tokens = await requestTokens(subject, clients);
    const reads = await makeReads(scene.database, size);
    return { ...(await contestant({ name: 'our server', subject, tokens }, reads)), reads };
  };
}

function limit(name, settings) {
  return async ({ database, start }, { reads, requests }) => {
    const subject = await start(startLimit(database, settings));
    const proven = await contestant({ name, subject, tokens: new Map() }, reads);
    assertSameBytes(requests, proven.requests);
    return proven;
  };
}

function express(name, settings) {
  return async ({ database, start }, { reads }) => {
    const { keys, tokens } = await makeTokens(clients);
    const subject = await start(startExpress(database, { keys, ...settings }));
    return contestant({ name, subject, tokens }, reads);
  };
}

/** The same requests, each answered with the bytes of the first. */
async function constant({ start }, { requests }) {
  const [{ expected }] = requests;
  const subject = await start(startConstant(expected));
  return withRequests(
    { name: 'bare node:http, constant body', subject },
    requests.map(({ bytes }) => ({ bytes, expected })),
  );
}

async function contestant(who, reads) {
  return withRequests(who, await proveReads(who, reads));
}

function withRequests({ name, subject }, requests) {
  return { name, subject, requests, job: async () => ({ driver: 'fixedRequests', input: { requests } }) };
}
