import type { Database } from '../../src/platform/database/client.js';
import { createTestDatabase, testServer } from '../support/database/database.js';
import { openForCommands, runCommandHere, startCommand } from '../support/processes/cli.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import t from '../support/tap.js';
import { until } from '../support/until.js';

const options = await createTestDatabase(t);
const run = (...args: readonly string[]) => runCommandHere(options, args);

const { tenant, other } = await fill();
const cursor = (position: number) => `evt_${tenant.accountId}_${position.toString(36).padStart(8, '0')}`;

async function withDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  const database = await openForCommands(options);
  return work(database).finally(() => database.close());
}

/** Two accounts with employees, and endpoints that deliver, fail and are paused. */
function fill() {
  return withDatabase(async (database) => {
    const tenant = await createTenant(database, { name: 'Eventful', employees: makeEmployees(3) });
    const other = await createTenant(database, { name: 'Other', employees: makeEmployees(1) });
    const { accountId, application } = tenant;
    const endpoint = { accountId, applicationId: application.id, sealedSecret: 'x', createdAt: new Date() };
    const paused = { pausedAt: new Date('2026-11-02T00:00:00Z'), pauseReason: 'failing', failures: 9 };
    const retrying = { failingSince: new Date('2026-11-01T00:00:00Z'), failures: 2 };
    await database.prisma.webhookEndpoint.createMany({
      data: [
        { ...endpoint, id: 'delivering', url: 'https://a.example/x?key=secret', position: 3n },
        { ...endpoint, ...paused, id: 'paused', url: 'https://c.example/', position: 1n },
        { ...endpoint, ...retrying, id: 'retrying', url: 'https://b.example/', position: 0n },
      ],
    });
    return { tenant, other };
  });
}

/** The stored endpoint, and the last audit event. */
function stored(id: string) {
  const { accountId } = tenant;
  return withDatabase(async ({ prisma }) => ({
    endpoint: await prisma.webhookEndpoint.findFirst({ where: { accountId, id } }),
    audit: await prisma.auditEvent.findFirst({
      where: { accountId, type: 'webhook_endpoint.resumed' },
      orderBy: { createdAt: 'desc' },
    }),
  }));
}

t.test('lists endpoints with their states, and omits the queries of URLs', async (t) => {
  const { code, stdout } = await run('webhooks', 'list', '--account', 'Eventful', '--json');
  t.equal(code, 0);
  t.notMatch(stdout, 'secret');
  t.match(JSON.parse(stdout), [
    {
      id: 'delivering',
      state: 'delivering',
      url: 'https://a.example/x',
      since: null,
      last_event_id: cursor(3),
    },
    { id: 'paused', state: 'paused', since: '2026-11-02T00:00:00.000Z', reason: 'failing' },
    { id: 'retrying', state: 'retrying', since: '2026-11-01T00:00:00.000Z', reason: null },
  ]);
  t.match((await run('webhooks', 'list', '--account', 'Other', '--json')).stdout, /^\[\]/);
});

t.test('resumes an endpoint where it stopped, after a given event, or after the last event', async (t) => {
  const resume = ['webhooks', 'resume', 'paused', '--account', 'Eventful'];
  const { code, stdout } = await run(...resume);
  t.equal(code, 0);
  t.match(stdout, cursor(1));
  const { endpoint, audit } = await stored('paused');
  t.match(endpoint, { pausedAt: null, pauseReason: null, failures: 0, position: 1n });
  t.ok(endpoint?.dueAt);
  t.match(audit, { userId: null, address: null, details: { endpoint: 'paused', after: cursor(1) } });
  t.equal((await run(...resume, '--from-end')).code, 0);
  t.equal((await stored('paused')).endpoint?.position, 3n);
  t.equal((await run(...resume, '--after', cursor(0))).code, 0);
  t.equal((await stored('paused')).endpoint?.position, 0n);
});

t.test('rejects unknown endpoints, endpoints of other accounts and invalid cursors', async (t) => {
  const own = ['webhooks', 'resume', 'delivering', '--account', 'Eventful'];
  for (const [args, status, message] of [
    [
      ['webhooks', 'resume', 'nothing', '--account', 'Eventful'],
      1,
      /no webhook endpoint with the id nothing/,
    ],
    [['webhooks', 'resume', 'delivering', '--account', 'Other'], 1, /Other has no webhook endpoint/],
    [[...own, '--after', 'x'], 1, /must be the id of an event of this account/],
    [[...own, '--after', cursor(4)], 1, /must be the id of an event/],
    [[...own, '--after', `evt_${other.accountId}_00000001`], 1, /must be the id of an event/],
    [[...own, '--after', cursor(1), '--from-end'], 2, /cannot be used with/],
    [['webhooks', 'resume', 'delivering'], 2, /--account/],
    [['webhooks', 'list'], 2, /--account/],
  ] as const) {
    const { code, stderr } = await run(...args);
    t.equal(code, status, stderr);
    t.match(stderr, message);
  }
  t.equal((await stored('delivering')).endpoint?.position, 3n);
});

t.test('prints the events of an account as JSON Lines', async (t) => {
  const tail = ['events', 'tail', '--account', 'Eventful', '--no-follow'];
  const all = await run(...tail, '--since', '2020-01-01T00:00:00Z');
  t.equal(all.code, 0);
  const events = all.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.same(
    events.map(({ id, type }) => [id, type]),
    [1, 2, 3].map((position) => [cursor(position), 'employee.created']),
  );
  t.equal((await run(...tail, '--after', cursor(2))).stdout.trim().split('\n').length, 1);
  t.equal((await run(...tail)).stdout, '', 'the default start is now');
  t.equal((await run(...tail, '--since', '2020-01-01', '--type', 'employee.deleted')).stdout, '');
  for (const [args, status] of [
    [['--since', 'yesterday'], 2],
    [['--after', 'x'], 1],
    [['--after', cursor(9)], 1],
    [['--after', cursor(1), '--since', '2020-01-01'], 2],
  ] as const) {
    t.equal((await run(...tail, ...args)).code, status, args.join(' '));
  }
});

t.test(
  'follows new events until it is interrupted',
  { skip: testServer === undefined && 'another process cannot open the embedded database' },
  async (t) => {
    const args = ['events', 'tail', '--account', 'Eventful', '--after', cursor(3)];
    const command = startCommand(t, options, args);
    const printed: string[] = [];
    command.child.stdout.on('data', (chunk: Buffer) => printed.push(String(chunk)));
    const database = await openForCommands(options);
    t.teardown(() => database.close());
    await insertEmployees(database.prisma, tenant.accountId, makeEmployees(4).slice(3));
    await until(() => printed.length > 0);
    command.child.kill('SIGINT');
    const { code, stdout, stderr } = await command.result;
    t.match({ code, stderr }, { code: 130, stderr: '' });
    t.equal(JSON.parse(stdout).id, cursor(4));
  },
);
