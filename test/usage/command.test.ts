import { UsageRecorder } from '../../src/features/usage/usage-recorder.js';
import { createTestDatabase } from '../support/database/database.js';
import { openForCommands, runCommandHere } from '../support/processes/cli.js';
import { createTenant } from '../support/records/tenant.js';
import { stopSystemClock } from '../support/server/clock.js';
import t from '../support/tap.js';

const options = await createTestDatabase(t);
const run = (...args: readonly string[]) => runCommandHere(options, ['applications', 'usage', ...args]);

// The day must not end during a test.
stopSystemClock(t);
const day = 86_400_000;
const today = new Date(Math.floor(Date.now() / day) * day);
const daysAgo = (days: number) => new Date(today.getTime() - days * day);
const dateOf = (date: Date) => date.toISOString().slice(0, 10);

const { tenant, other } = await fill();

/** Calls of today, of yesterday and of 40 days ago. */
async function fill() {
  const database = await openForCommands(options);
  try {
    const tenant = await createTenant(database, { name: 'Used' });
    const other = await createTenant(database, { name: 'Other' });
    const { accountId, application } = tenant;
    for (const at of [today, daysAgo(1), daysAgo(40)]) {
      const usage = new UsageRecorder({ database, clock: () => at });
      const call = { accountId, applicationId: application.id, userId: null, code: null, requestId: 'r1' };
      for (const operation of ['listEmployees', 'getEmployee']) {
        usage.record({ ...call, operation, status: 200, records: 5 });
      }
      usage.record({ ...call, operation: 'getEmployee', status: 404, records: 0, code: 'not_found' });
      usage.record({ ...call, operation: 'getEmployee', status: 429, records: 0 });
      for (const requestId of ['f1', 'f2']) {
        usage.recordFailure({
          ...call,
          operation: 'createToken',
          status: 401,
          records: 0,
          code: 'invalid_client',
          requestId,
        });
      }
      await usage.flush();
    }
    return { tenant, other };
  } finally {
    await database.close();
  }
}

t.test('prints the usage of an application by day and operation, and its rejected requests', async (t) => {
  const { code, stdout, stderr } = await run(tenant.application.clientId, '--account', 'Used');
  t.match({ code, stderr }, { code: 0, stderr: '' });
  const [usage = '', rejections = '', failures = '', byHour = ''] = stdout.split('\n\n');
  const cells = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
  t.same(cells(usage), [
    ['day', 'operation', 'calls', 'errors', 'rate_limited', 'records'],
    [dateOf(daysAgo(1)), 'getEmployee', '3', '1', '1', '5'],
    [dateOf(daysAgo(1)), 'listEmployees', '1', '0', '0', '5'],
    [dateOf(today), 'getEmployee', '3', '1', '1', '5'],
    [dateOf(today), 'listEmployees', '1', '0', '0', '5'],
  ]);
  const [header, newest] = cells(rejections);
  t.same(header, ['at', 'status', 'code', 'operation', 'user_id', 'request_id']);
  t.match(newest, [today.toISOString(), /404|429/, /not_found|-/, 'getEmployee', '-', 'r1']);
  const [title, columns, lastFailure] = cells(failures);
  t.same([title, columns], [['Failed client authentications'], header]);
  t.match(lastFailure, [today.toISOString(), '401', 'invalid_client', 'createToken', '-', /^f[12]$/]);
  t.same(cells(byHour).slice(0, 2), [
    ['hour', 'failures'],
    [today.toISOString(), '2'],
  ]);
});

t.test('prints JSON for the given number of days', async (t) => {
  const asJson = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(
      tenant.application.clientId,
      '--account',
      'Used',
      '--json',
      ...args,
    );
    t.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const one = await asJson('--days', '1');
  t.same(one.usage, [
    { day: dateOf(today), operation: 'getEmployee', calls: 3, errors: 1, rate_limited: 1, records: 5 },
    { day: dateOf(today), operation: 'listEmployees', calls: 1, errors: 0, rate_limited: 0, records: 5 },
  ]);
  t.equal(one.rejected_requests.length, 6);
  t.match(one.rejected_requests[0], { at: today.toISOString(), operation: 'getEmployee', request_id: 'r1' });
  t.equal((await asJson('--days', '41')).usage.length, 6);
});

t.test('prints no usage for an application without calls', async (t) => {
  const { code, stdout } = await run(other.application.clientId, '--account', 'Other', '--json');
  t.equal(code, 0);
  t.same(JSON.parse(stdout), {
    usage: [],
    rejected_requests: [],
    failed_authentications: [],
    failed_authentications_by_hour: [],
  });
});

t.test('reports an application of another account as unknown', async (t) => {
  for (const clientId of [tenant.application.clientId, 'unknown']) {
    const { code, stdout, stderr } = await run(clientId, '--account', 'Other');
    t.match({ code, stdout }, { code: 1, stdout: '' });
    t.equal(stderr, `Unknown application ${clientId} in this account; see: applications list\n`);
  }
});

t.test('rejects invalid arguments with exit code 2', async (t) => {
  for (const args of [
    [],
    ['x'],
    ['x', '--account', 'Used', '--days', '0'],
    ['x', '--account', 'Used', '--days', '401'],
    ['x', '--account', 'Used', '--days', 'all'],
  ]) {
    t.equal((await run(...args)).code, 2, args.join(' '));
  }
});
