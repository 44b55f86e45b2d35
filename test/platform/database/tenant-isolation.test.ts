import { type Database, Prisma } from '../../../src/platform/database/client.js';
import { randomId } from '../../../src/platform/database/ids.js';
import { recordWriteOf } from '../../../src/platform/database/replicas/write-positions.js';
import {
  accountScope,
  allAccounts,
  noAccount,
  type TenantScope,
  withScope,
} from '../../../src/platform/database/scope.js';
import { cancelEndless, endless } from '../../support/database/cancel.js';
import { openTestDatabase, testServer } from '../../support/database/database.js';
import { asOwner } from '../../support/database/owner.js';
import { query } from '../../support/database/query.js';
import { createUser } from '../../support/oauth/users.js';
import { defineAttributes } from '../../support/records/custom-attributes.js';
import { createTenant, makeEmployees, type Tenant } from '../../support/records/tenant.js';
import t from '../../support/tap.js';

/** Tables without rows of accounts. Their rows are looked up by a secret or by a client id, or shared. */
const unbound = [
  '_prisma_migrations',
  'client_assertions',
  'failure_counts',
  'issuer',
  'request_counts',
  'shared_applications',
  'signing_keys',
  'submitted_forms',
  'used_proofs',
];

/** Events without an account: only the scope of the operator reads them. */
const operators = ['system_events'];

if (testServer === undefined) {
  t.pass('the embedded database runs as its superuser, whom policies do not bind');
} else {
  // Statements without a scope get no rows, as in the server. Few connections, so that each is reused soon.
  const database = await openTestDatabase(t, {
    defaultScope: noAccount,
    poolSize: 2,
  });
  const [own, foreign] = await withScope(allAccounts, async () => [
    await fill(database),
    await fill(database),
  ]);
  const ownScope = accountScope(own.accountId);
  const tables = await bound(database);

  t.test('every table with rows of accounts has policies, which apply to its owner too', async (t) => {
    const rows = await asOwner<{ name: string; bound: boolean }>(
      database,
      `SELECT relname::text AS name, relrowsecurity AND relforcerowsecurity
         AND EXISTS (SELECT FROM pg_policy WHERE polrelid = pg_class.oid) AS bound
       FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace ORDER BY 1`,
    );
    for (const { name, bound } of rows) t.equal(bound, !unbound.includes(name), name);
  });

  t.test(
    'events of no account are recorded in every scope, and read in the scope of the operator',
    async (t) => {
      const record = (scope: TenantScope) =>
        withScope(scope, () =>
          query(database, 'INSERT INTO system_events (id, type) VALUES ($1, $2)', [randomId(), 't']),
        );
      for (const scope of [noAccount, ownScope, allAccounts]) await record(scope);
      t.equal((await rowsOf(database, allAccounts, 'system_events')).length, 3);
      for (const scope of [noAccount, ownScope]) {
        t.same(await rowsOf(database, scope, 'system_events'), []);
        t.same(await withScope(scope, () => query(database, 'DELETE FROM system_events RETURNING id')), []);
      }
    },
  );

  t.test('sessions have a role that is subject to policies', async (t) => {
    const [me] = await query(
      database,
      'SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user',
    );
    t.same(me, { rolsuper: false, rolbypassrls: false });
    const [owned] = await query<{ count: string }>(
      database,
      'SELECT count(*)::text AS count FROM pg_class WHERE relowner = current_user::regrole',
    );
    t.equal(owned?.count, '0', 'the role owns no tables');
  });

  t.test('a statement without a condition reads only the rows of its scope', async (t) => {
    for (const table of tables) {
      const seen = async (scope: TenantScope) => (await rowsOf(database, scope, table)).sort();
      const [ours, theirs] = [await seen(ownScope), await seen(accountScope(foreign.accountId))];
      t.ok(ours.length > 0 && theirs.length > 0, `${table}: each account has rows`);
      t.notOk(
        ours.some((row) => theirs.includes(row)),
        `${table}: no account sees rows of the other`,
      );
      t.same(await seen(allAccounts), [...ours, ...theirs].sort(), `${table}: all accounts have all rows`);
      t.same(await seen(accountScope(own.accountId, foreign.accountId)), await seen(allAccounts), table);
      t.same(await seen(noAccount), [], `${table}: no rows without a scope`);
    }
  });

  t.test('the function that runs as the owner of the tables checks the scope itself', async (t) => {
    const positionIn = async (scope: TenantScope) => {
      const statement = { name: 'position', text: 'SELECT employee_position_at($1, 0)::text AS position' };
      const values = [foreign.accountId];
      const [row] = await database.runPrepared<{ position: string | null }>(statement, values, scope);
      return row?.position;
    };
    const position = await positionIn(allAccounts);
    t.match(position, /^\d+$/);
    t.equal(await positionIn(accountScope(foreign.accountId)), position);
    t.equal(await positionIn(accountScope(own.accountId, foreign.accountId)), position);
    t.equal(await positionIn(ownScope), null, 'of another account: NULL');
    t.equal(await positionIn(noAccount), null, 'without a scope: NULL');
    const asAnother = await asOwner<{ position: string | null }>(
      database,
      `SELECT set_config('role', 'pg_monitor', true), set_config('app.accounts', '${own.accountId}', true),
         employee_position_at('${foreign.accountId}', 0)::text AS position`,
    );
    t.equal(asAnother[0]?.position, null, 'of another account with another role: NULL');
    const definers = await asOwner<{ name: string; path: string | null }>(
      database,
      `SELECT proname::text AS name,
         (SELECT setting FROM unnest(proconfig) AS setting WHERE setting LIKE 'search_path=%') AS path
       FROM pg_proc WHERE prosecdef AND pronamespace = current_schema()::regnamespace`,
    );
    t.same(
      definers.map(({ name }) => name),
      ['employee_position_at'],
      'it is the only such function',
    );
    for (const { path } of definers) t.match(path, /^search_path=\w+, pg_temp$/, 'its search_path is fixed');
  });

  t.test('every way to query the database applies the scope', async (t) => {
    const text = 'SELECT account_id FROM employees ORDER BY 1';
    const expected = own.employeeIds.map(() => own.accountId);
    const { prisma } = database;
    const ways: Record<string, () => Promise<string[]>> = {
      models: async () => (await prisma.employee.findMany()).map(({ accountId }) => accountId),
      raw: async () =>
        (await prisma.$queryRawUnsafe<{ account_id: string }[]>(text)).map((row) => row.account_id),
      transaction: () =>
        prisma.$transaction(async (tx) => (await tx.employee.findMany()).map(({ accountId }) => accountId)),
      query: async () => (await query<{ account_id: string }>(database, text)).map((row) => row.account_id),
      stream: async () => {
        const pieces: Buffer[] = [];
        const chunks = database.streamCsv({ query: Prisma.raw(text), signal: new AbortController().signal });
        for await (const chunk of chunks) pieces.push(chunk);
        return Buffer.concat(pieces).toString().split('\n').slice(1).filter(Boolean);
      },
    };
    for (const [name, way] of Object.entries(ways)) {
      t.same(await withScope(ownScope, way), expected, name);
      t.same(await way(), [], `${name}, without a scope`);
    }
    const statement = { name: 'accounts_of_employees', text };
    const read = await database.runPrepared(statement, [], ownScope);
    t.same(
      read,
      own.employeeIds.map(() => ({ account_id: own.accountId })),
      'its own scope',
    );
    t.same(
      await withScope(allAccounts, () => database.runPrepared(statement, [], ownScope)),
      read,
      'its own scope has precedence over that of `withScope`',
    );
    const { signal } = new AbortController();
    const reported = (scope: TenantScope) =>
      database.queryReport<{ account_id: string }>(text, [], { scope, signal });
    t.same(
      (await reported(ownScope)).map((row) => row.account_id),
      expected,
      'report',
    );
    t.same(await reported(noAccount), [], 'the connection does not keep the scope');
    await t.rejects(
      database.queryReport('DELETE FROM employees', [], { scope: ownScope, signal }),
      /read-only transaction/,
      'and changes nothing',
    );
  });

  t.test('a statement without a condition changes nothing of another account', async (t) => {
    const before = await Promise.all(tables.map((table) => rowsOf(database, allAccounts, table)));
    for (const table of tables) {
      const column = updatable[table] ?? 'created_at';
      const account = table === 'accounts' ? 'id' : 'account_id';
      const changed = await withScope(ownScope, () =>
        query<{ account: string }>(
          database,
          `UPDATE ${table} SET ${column} = ${column} RETURNING ${account} AS account`,
        ),
      );
      t.ok(changed.length > 0 && changed.every((row) => row.account === own.accountId), `${table}: UPDATE`);
    }
    await t.rejects(
      withScope(ownScope, () =>
        database.prisma.$transaction(async (tx) => {
          await tx.$executeRawUnsafe('DELETE FROM reports');
          throw new Error('undone');
        }),
      ),
      { message: 'undone' },
    );
    for (const [index, table] of tables.entries()) {
      t.same((await rowsOf(database, allAccounts, table)).sort(), before[index]?.sort(), table);
    }
    const gone = await withScope(ownScope, () => query(database, 'DELETE FROM sessions RETURNING 1'));
    t.equal(gone.length, 1, 'DELETE');
    t.equal((await rowsOf(database, accountScope(foreign.accountId), 'sessions')).length, 1);
  });

  t.test('a scope can neither insert a row of another account nor move one of its own there', async (t) => {
    for (const table of tables.filter((name) => name !== 'accounts')) {
      const [copy] = await rowsOf(database, accountScope(foreign.accountId), table);
      const columns = await insertable(database, table);
      const adding = `INSERT INTO ${table} (${columns})
        SELECT ${columns} FROM jsonb_populate_record(NULL::${table}, $1::jsonb)`;
      for (const scope of [ownScope, noAccount]) {
        await t.rejects(
          withScope(scope, () => query(database, adding, [copy])),
          /row-level security/,
          table,
        );
      }
    }
    await t.rejects(
      withScope(ownScope, () => query(database, 'UPDATE grants SET account_id = $1', [foreign.accountId])),
      /row-level security/,
    );
  });

  t.test('a scope ends with its statement or transaction', async (t) => {
    const { prisma } = database;
    const left = async (after: string) => {
      // As many concurrent queries as there are connections, so that each connection is checked.
      const looks = await Promise.all(
        [0, 1].map(() =>
          query<{ scope: string | null; count: number }>(
            database,
            `SELECT current_setting('app.accounts', true) AS scope,
               (SELECT count(*)::int FROM employees) AS count, pg_sleep(0.02)::text`,
          ),
        ),
      );
      for (const [row] of looks) t.match(row, { scope: /^$/, count: 0 }, after);
    };
    const cancelled = async (work: Promise<unknown>) => {
      work.catch(() => {});
      await cancelEndless((text) => asOwner(database, text));
      return work;
    };
    const failing: Record<string, () => Promise<unknown>> = {
      'a rejected statement': () => query(database, 'SELECT 1 / (SELECT count(*) * 0 FROM employees)'),
      'an invalid statement': () => query(database, 'SELECT FROM'),
      'an invalid prepared statement': () =>
        database.runPrepared({ name: 'no_statement', text: 'SELECT FROM FROM' }, [], ownScope),
      'a prepared statement that is rejected': () =>
        database.runPrepared(
          { name: 'division', text: 'SELECT (1 / (count(*) * 0))::text FROM employees' },
          [],
          ownScope,
        ),
      'an aborted transaction': () =>
        prisma.$transaction(async (tx) => {
          await tx.$queryRaw`SELECT 1 / (SELECT count(*) * 0 FROM employees)`.catch(() => {});
          await tx.employee.count();
        }),
      'a transaction that is abandoned': () =>
        prisma.$transaction(async (tx) => {
          t.equal(await tx.employee.count(), own.employeeIds.length);
          throw new Error('abandoned');
        }),
      'a cancelled statement': () => cancelled(query(database, `SELECT ${endless}::text FROM employees`)),
      'a cancelled transaction': () =>
        cancelled(prisma.$transaction((tx) => tx.$queryRawUnsafe(`SELECT ${endless}::text FROM employees`))),
      'a lost connection': () => asOwner(database, 'SELECT pg_terminate_backend(pg_backend_pid())::text'),
    };
    await withScope(ownScope, () => prisma.employee.count());
    await left('a statement');
    await withScope(ownScope, () => prisma.$transaction((tx) => tx.employee.count()));
    await left('a transaction');
    for (const [name, fail] of Object.entries(failing)) {
      await t.rejects(withScope(ownScope, fail), name);
      await left(name);
    }
  });

  t.test('queued work keeps its own scope', async (t) => {
    const tenants = [own, foreign];
    const counts = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const { accountId } = tenants[index % 2] as Tenant;
        return withScope(accountScope(accountId), async () => [
          ...(await database.prisma.employee.findMany()).map((row) => row.accountId === accountId),
          ...(await query<{ account_id: string }>(database, 'SELECT account_id FROM employees')).map(
            (row) => row.account_id === accountId,
          ),
        ]);
      }),
    );
    for (const rows of counts)
      t.same(
        rows,
        Array.from({ length: 6 }, () => true),
      );
  });
}

/** A column that may be set to its own value. Default: `created_at`. */
const updatable: Readonly<Record<string, string>> = {
  api_usage: 'calls',
  account_totals: 'reports',
  employee_counts: 'count',
  employee_facets: 'count',
  employee_import_changes: 'version',
  employee_import_chunks: 'content',
  employee_import_errors: 'message',
  failed_authentications: 'failures',
  employee_location_facets: 'count',
  account_domains: 'confirmed_at',
  events: 'occurred_at',
  idempotency_key_counts: 'keys',
  recovery_codes: 'used_at',
  revoked_access_tokens: 'expires_at',
  webhook_attempts: 'status',
  webhook_wakeups: 'id',
  write_positions: 'position',
};

/** Names of the tables with policies. */
async function bound(database: Database): Promise<string[]> {
  const rows = await asOwner<{ name: string }>(
    database,
    `SELECT relname::text AS name FROM pg_class
     WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace ORDER BY 1`,
  );
  return rows.map(({ name }) => name).filter((name) => !unbound.includes(name) && !operators.includes(name));
}

/** All rows that a statement without a condition reads, as JSON. */
async function rowsOf(database: Database, scope: TenantScope, table: string): Promise<string[]> {
  const text = `SELECT to_jsonb(${table})::text AS row FROM ${table}`;
  const rows = await withScope(scope, () => query<{ row: string }>(database, text));
  return rows.map(({ row }) => row);
}

async function insertable(database: Database, table: string): Promise<string> {
  const [row] = await query<{ columns: string }>(
    database,
    `SELECT string_agg(quote_ident(attname), ', ') AS columns FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
    [table],
  );
  return row?.columns ?? '';
}

/** A tenant with a row in every table. */
async function fill(database: Database): Promise<Tenant> {
  const { prisma } = database;
  const tenant = await createTenant(database, { employees: makeEmployees(3) });
  const { accountId, application } = tenant;
  const { id: userId } = await createUser(database, accountId);
  const common = { accountId, applicationId: application.id, userId };
  const expiresAt = new Date(Date.now() + 3_600_000);
  const secret = () => Buffer.from(randomId());
  const grant = await prisma.grant.create({ data: { id: randomId(), ...common } });
  await prisma.refreshToken.create({
    data: { tokenHash: secret(), accountId, grantId: grant.id, expiresAt },
  });
  await prisma.authorizationCode.create({
    data: { ...common, codeHash: secret(), redirectUri: '', codeChallenge: '', expiresAt },
  });
  await prisma.pushedRequest.create({
    data: {
      requestUriHash: secret(),
      accountId,
      applicationId: common.applicationId,
      parameters: {},
      expiresAt,
    },
  });
  await prisma.session.create({ data: { idHash: secret(), accountId, userId, expiresAt } });
  await prisma.logoutNotice.create({ data: { ...common, sid: randomId(), dueAt: expiresAt } });
  const factor = { accountId, userId };
  await prisma.totpFactor.create({ data: { ...factor, sealedSecret: 'sealed', lastStep: 0 } });
  await prisma.passkey.create({
    data: {
      ...factor,
      id: randomId(),
      credentialId: secret(),
      publicKey: secret(),
      signCount: 0,
      name: 'Key',
    },
  });
  await prisma.recoveryCode.create({ data: { ...factor, codeHash: secret() } });
  const issuer = 'https://login.example';
  await prisma.identityProvider.create({
    data: { accountId, issuer, clientId: 'people', sealedSecret: 'sealed' },
  });
  await prisma.userIdentity.create({ data: { ...factor, issuer, subject: 'ada' } });
  await prisma.accountDomain.create({ data: { domain: `${accountId.toLowerCase()}.example`, accountId } });
  await prisma.signInRequest.create({
    data: {
      ...{ accountId, issuer, expiresAt, stateHash: secret(), browserHash: secret(), clientId: 'people' },
      ...{ returnTo: '/people', createdAt: expiresAt },
    },
  });
  await prisma.oneTimeLink.create({
    data: {
      id: randomId(),
      accountId,
      tokenHash: secret(),
      purpose: 'password',
      userId,
      email: 'ada@users.example',
      mailed: true,
      expiresAt,
    },
  });
  await prisma.report.create({ data: { id: randomId(), accountId, title: 'Everybody' } });
  const endpointId = randomId();
  const at = { createdAt: expiresAt, updatedAt: expiresAt };
  await prisma.webhookEndpoint.create({
    data: {
      ...{ accountId, id: endpointId, applicationId: application.id, url: 'https://x.example/', ...at },
      ...{ sealedSecret: 'sealed', position: 0 },
    },
  });
  await prisma.webhookAttempt.create({
    data: {
      ...{ accountId, endpointId, slot: 1, number: 1, deliveryId: 'm', events: 1 },
      ...{ attemptedAt: expiresAt, durationMs: 1 },
    },
  });
  await prisma.webhookWakeup.create({ data: { accountId } });
  await defineAttributes(database, accountId, [{ key: 'cost_center' }]);
  const importId = randomId();
  await prisma.employeeImport.create({
    data: {
      ...{ accountId, id: importId, userId, address: '127.0.0.1', requestId: 'r', eventId: 'e', expiresAt },
      ...{ fileName: 'staff.csv', format: 'csv', state: 'uploaded', createdAt: expiresAt },
    },
  });
  await prisma.employeeImportChunk.create({ data: { accountId, importId, number: 0, content: secret() } });
  await prisma.employeeImportChange.create({
    data: { accountId, importId, position: 1, version: 'v', expiresAt },
  });
  await prisma.employeeImportError.create({ data: { accountId, importId, line: 2, message: 'm' } });
  await prisma.auditEvent.create({ data: { id: randomId(), accountId, type: 'account.created' } });
  const call = { accountId, applicationId: application.id, operation: 'listEmployees' };
  await prisma.apiUsage.create({
    data: { ...call, hour: expiresAt, userId, calls: 1, errors: 0, rateLimited: 0, records: 1 },
  });
  await recordWriteOf(database, accountScope(accountId));
  await prisma.failedAuthentications.create({
    data: { accountId, applicationId: application.id, hour: expiresAt, failures: 1 },
  });
  await prisma.rejectedRequest.create({
    data: { ...call, createdAt: expiresAt, id: randomId(), requestId: 'r', status: 400 },
  });
  await prisma.idempotencyKey.create({
    data: {
      accountId,
      applicationId: application.id,
      key: 'k',
      operation: 'createReport',
      fingerprint: secret(),
      expiresAt,
    },
  });
  await prisma.revokedAccessToken.create({ data: { jti: randomId(), accountId, expiresAt } });
  const installedClientId = randomId();
  await prisma.sharedApplication.create({
    data: { clientId: installedClientId, document: {}, freshUntil: expiresAt, usableUntil: expiresAt },
  });
  await prisma.approvalRequest.create({
    data: { accountId, userId, clientId: installedClientId, scopes: [] },
  });
  await prisma.idempotencyCount.create({ data: { accountId, applicationId: application.id, keys: 1 } });
  return tenant;
}
