import dgram from 'node:dgram';
import { once } from 'node:events';
import { createResolveTxt, findTxtRecord } from '../../../src/platform/network/txt-records.js';
import { patienceMs } from '../../support/patience.js';
import t from '../../support/tap.js';

const types = { CNAME: 5, TXT: 16 } as const;

interface Answer {
  readonly type: keyof typeof types;
  readonly data: Buffer;
}

interface Query {
  readonly name: string;
  readonly type: number;
}

/** The strings of a TXT record, each with its length. */
const txt = (...parts: readonly string[]): Answer => ({
  type: 'TXT',
  data: Buffer.concat(parts.map((part) => Buffer.concat([Buffer.from([part.length]), Buffer.from(part)]))),
});

const encodeName = (name: string) =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);

/** A response message. @see RFC 1035 section 4.1 */
function respond(
  query: Buffer,
  { code = 0, answers = [] }: { code?: number; answers?: readonly Answer[] },
): Buffer {
  const end = query.indexOf(0, 12) + 5;
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answers.length, 6);
  const records = answers.map(({ type, data }) => {
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(types[type], 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(60, 6);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([header, query.subarray(12, end), ...records]);
}

/** Starts a name server. */
async function startNameServer(handle: (name: string) => Parameters<typeof respond>[1] | null) {
  const queries: Query[] = [];
  const ids = new Set<string>();
  const server = dgram.createSocket('udp4');
  server.on('message', (message, { port, address }) => {
    const end = message.indexOf(0, 12);
    const labels: string[] = [];
    for (let at = 12; at < end; at += (message[at] ?? 0) + 1)
      labels.push(message.subarray(at + 1, at + 1 + (message[at] ?? 0)).toString());
    const name = labels.join('.').toLowerCase();
    const id = `${message.readUInt16BE(0)} ${name}`;
    // On a busy machine the resolver sends a query again before it reads the response, after five seconds at most.
    if (!ids.has(id)) queries.push({ name, type: message.readUInt16BE(end + 1) });
    ids.add(id);
    const response = handle(name);
    if (response !== null) server.send(respond(message, response), port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const limits = { lookupMilliseconds: patienceMs, queryMilliseconds: patienceMs };
  return { resolveTxt: createResolveTxt([`127.0.0.1:${server.address().port}`], limits), queries };
}

const never = new AbortController().signal;
const value = 'v'.repeat(300);

t.test('queries TXT records only, and does not follow the response to another name', async (t) => {
  const alias = { type: 'CNAME', data: encodeName('elsewhere.example') } as const;
  const answers: Record<string, Parameters<typeof respond>[1]> = {
    'found.example': { answers: [txt('other'), txt(value.slice(0, 200), value.slice(200))] },
    'wrong.example': { answers: [txt(value.slice(0, 200)), txt(value.slice(200))] },
    'alias.example': { answers: [alias] },
    'empty.example': {},
    'unknown.example': { code: 3 },
    'elsewhere.example': { answers: [txt(value)] },
  };
  const { resolveTxt, queries } = await startNameServer((name) => answers[name] ?? { code: 3 });
  const find = (name: string) => findTxtRecord(resolveTxt, { name, value }, never);
  t.equal(await find('found.example'), 'found');
  for (const name of ['wrong', 'alias', 'empty', 'unknown'])
    t.equal(await find(`${name}.example`), 'missing', name);
  const names = ['found', 'wrong', 'alias', 'empty', 'unknown'].map((name) => `${name}.example`);
  t.same(
    queries,
    names.map((name) => ({ name, type: types.TXT })),
  );
});

t.test('an error of the name server, and one that does not respond, are no missing record', async (t) => {
  const failing = await startNameServer(() => ({ code: 2 }));
  t.equal(await findTxtRecord(failing.resolveTxt, { name: 'a.example', value }, never), 'unavailable');
  const stopping = new AbortController();
  const silent = await startNameServer(() => {
    stopping.abort();
    return null;
  });
  t.equal(
    await findTxtRecord(silent.resolveTxt, { name: 'a.example', value }, stopping.signal),
    'unavailable',
  );
  t.equal(silent.queries.length, 1, 'an aborted look-up is not repeated');
});
