import { distributedTables } from '../../../src/platform/database/distribute.js';
import { openTestDatabase } from '../../support/database/database.js';
import { asOwner } from '../../support/database/owner.js';
import t from '../../support/tap.js';

const database = await openTestDatabase(t);

/** Keys that are looked up before the account is known. They are global, as prisma/schema.prisma states. */
const identityKeys = [
  'account_domains_pkey',
  'applications_client_id_key',
  'authorization_codes_pkey',
  'one_time_links_token_hash_key',
  'passkeys_credential_id_key',
  'pushed_requests_pkey',
  'refresh_tokens_pkey',
  'revoked_access_tokens_pkey',
  'sessions_pkey',
  'sign_in_requests_pkey',
  'users_email_key',
];

/** Tables that belong to no account. `shared_applications` are looked up by client id in every account. */
const shared = [
  '_prisma_migrations',
  'accounts',
  'client_assertions',
  'failure_counts',
  'issuer',
  'request_counts',
  'shared_applications',
  'signing_keys',
  'submitted_forms',
  'system_events',
  'used_proofs',
];

const ofThisSchema = 'relnamespace = current_schema()::regnamespace';

t.test('every other table has a column for the account', async (t) => {
  const tables = await asOwner<{ name: string }>(
    database,
    `SELECT relname::text AS name FROM pg_class
     WHERE relkind IN ('r', 'p') AND ${ofThisSchema} AND NOT EXISTS (
       SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'account_id' AND attnotnull)
     ORDER BY 1`,
  );
  t.same(
    tables.map(({ name }) => name),
    shared,
  );
});

t.test(
  'the account is the first column of every primary key and unique key, except identity keys',
  async (t) => {
    const keys = await asOwner<{ name: string }>(
      database,
      `SELECT indexrelid::regclass::text AS name
     FROM pg_index
       JOIN pg_class ON pg_class.oid = indrelid AND ${ofThisSchema}
       JOIN pg_attribute account ON account.attrelid = indrelid AND account.attname = 'account_id'
     WHERE indisunique AND indkey[0] <> account.attnum ORDER BY 1`,
    );
    t.same(
      keys.map(({ name }) => name),
      identityKeys,
    );
  },
);

/** Foreign keys from or to the applications that other accounts can use, which are the same in every account. */
const keysAcrossAccounts: Readonly<Record<string, readonly [string, string]>> = {
  applications_installed_client_id_fkey: ['installed_client_id', 'client_id'],
  approval_requests_client_id_fkey: ['client_id', 'client_id'],
  shared_applications_application_fkey: ['publisher_account_id', 'account_id'],
};

t.test('the account is the first column of every foreign key, on both sides', async (t) => {
  const keys = await asOwner<{ name: string; columns: string; referenced: string; target: string }>(
    database,
    `SELECT conname::text AS name, confrelid::regclass::text AS target,
       (SELECT attname FROM pg_attribute WHERE attrelid = conrelid AND attnum = conkey[1])::text AS columns,
       (SELECT attname FROM pg_attribute WHERE attrelid = confrelid AND attnum = confkey[1])::text AS referenced
     FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid AND ${ofThisSchema}
     WHERE contype = 'f' ORDER BY 1`,
  );
  t.ok(keys.length > 0);
  const across = keys.filter(({ name }) => Object.hasOwn(keysAcrossAccounts, name));
  t.same(
    Object.fromEntries(across.map(({ name, columns, referenced }) => [name, [columns, referenced]])),
    keysAcrossAccounts,
  );
  for (const { name, columns, referenced, target } of keys.filter((key) => !across.includes(key))) {
    t.equal(columns, 'account_id', name);
    t.equal(referenced, target === 'accounts' ? 'id' : 'account_id', name);
  }
});

t.test(
  'no table that can be distributed has a foreign key to an application of another account',
  async (t) => {
    const referring = await asOwner<{ name: string }>(
      database,
      `SELECT DISTINCT conrelid::regclass::text AS name FROM pg_constraint
     WHERE conname = ANY ('{${Object.keys(keysAcrossAccounts)}}') ORDER BY 1`,
    );
    t.same(
      referring.map(({ name }) => name),
      ['applications', 'approval_requests', 'shared_applications'],
    );
    for (const { name } of referring) t.notOk((distributedTables as readonly string[]).includes(name), name);
  },
);

t.test('a foreign key deletes with the row or does nothing, and never changes a key', async (t) => {
  const others = await asOwner(
    database,
    `SELECT conname::text FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid AND ${ofThisSchema}
     WHERE contype = 'f' AND (confdeltype NOT IN ('a', 'c') OR confupdtype <> 'a')`,
  );
  t.same(others, []);
});

t.test('only the policy of employees has a subquery, which Citus does not support', async (t) => {
  // A subquery is a SUBLINK node of the stored expression.
  const withSubquery = `SELECT polrelid::regclass::text AS name FROM pg_policy
     WHERE polqual::text LIKE '%SUBLINK%' OR polwithcheck::text LIKE '%SUBLINK%' ORDER BY 1`;
  t.same(await asOwner(database, withSubquery), [{ name: 'employees' }]);
  await asOwner(database, 'CREATE POLICY other ON accounts USING ((SELECT true))');
  t.same(
    await asOwner(database, withSubquery),
    [{ name: 'accounts' }, { name: 'employees' }],
    'the test detects a change',
  );
});
