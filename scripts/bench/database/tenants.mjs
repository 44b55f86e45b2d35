import { createHash } from 'node:crypto';
import { assertEmployees, insertEmployees } from './employee-rows.mjs';

const scopes = ['reports:read', 'reports:write', 'user:read', 'user:write'];

/** Rows that one statement adds. */
const batchRows = 50_000;

/**
 * @typedef {object} Tenant An account with an application that may do everything, and a user who allowed it that.
 * @property {string} accountId
 * @property {string} clientId
 * @property {string} clientSecret
 */

/** @returns {Tenant} the tenant with this number, counted from 1 */
export function tenant(number) {
  const padded = String(number).padStart(8, '0');
  return {
    accountId: `bench${padded}`,
    clientId: `client${padded}`,
    clientSecret: secretOf(`client${padded}`),
  };
}

/** @returns {Tenant[]} */
export function tenants(count) {
  return Array.from({ length: count }, (_, index) => tenant(index + 1));
}

/**
 * Fills an empty database.
 *
 * @param {{ tenants: number, employees: number }} size employees: of each tenant
 */
export function fillTenants(size) {
  return async (client) => {
    assertEmployees(size.employees);
    await client.query("SET synchronous_commit = off; SET maintenance_work_mem = '256MB'");
    await addAccounts(client, size);
    const restoreIndexes = await dropIndexes(client);
    const accountsAtOnce = Math.max(1, Math.floor(batchRows / size.employees));
    for (let account = 1; account <= size.tenants; account += accountsAtOnce) {
      const lastAccount = Math.min(size.tenants, account + accountsAtOnce - 1);
      for (let position = 0; position < size.employees; position += batchRows) {
        const lastPosition = Math.min(size.employees, position + batchRows) - 1;
        await client.query(insertEmployees, [account, lastAccount, position, lastPosition]);
      }
    }
    await restoreIndexes();
    await client.query('VACUUM (ANALYZE)');
    await client.query('CHECKPOINT');
  };
}

/** Indexes are made faster than they are kept while rows come in; the triggers stay, they keep the counts. */
async function dropIndexes(client) {
  const { rows } = await client.query(
    `SELECT indexrelid::regclass AS name, pg_get_indexdef(indexrelid) AS definition
     FROM pg_index WHERE indrelid = 'employees'::regclass AND NOT indisunique`,
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  return async () => {
    for (const { definition } of rows) await client.query(definition);
  };
}

async function addAccounts(client, { tenants: count, employees }) {
  const numbered = `(SELECT t, lpad(t::text, 8, '0') AS n FROM generate_series(1, ${count}) AS t) AS made`;
  await client.query(
    `INSERT INTO accounts (id, name, employee_prefix, employee_sequence)
     SELECT 'bench' || n, 'Bench ' || t, 'b' || right(n, 7), $1 FROM ${numbered}`,
    [employees],
  );
  await client.query(
    `INSERT INTO users (id, account_id, email, password_hash, role, given_name, family_name)
     SELECT 'user' || n, 'bench' || n, 'owner.' || n || '@bench.example', 'none', 'owner', 'Bench', 'Owner'
     FROM ${numbered}`,
  );
  await client.query(
    `INSERT INTO applications (id, account_id, client_id, name, client_type, scopes)
     SELECT 'application' || n, 'bench' || n, 'client' || n, 'Bench ' || t, 'confidential', $1 FROM ${numbered}`,
    [scopes],
  );
  const secrets = tenants(count).map(({ clientSecret }) => clientSecret);
  await client.query(
    `INSERT INTO application_secrets (id, account_id, application_id, secret_hash)
     SELECT 'secret' || lpad(t::text, 8, '0'), 'bench' || lpad(t::text, 8, '0'), 'application' || lpad(t::text, 8, '0'), sha256(secret::bytea)
     FROM unnest($1::text[]) WITH ORDINALITY AS given (secret, t)`,
    [secrets],
  );
}

/**
 * Gives users' permission to applications: grants with a refresh token each, shared out among the tenants.
 *
 * @param {{ client: import('pg').Client, tenantCount: number, refreshTokens: string[] }} what
 * @returns {Promise<Tenant[]>} whose application each token is for
 */
export async function addGrants({ client, tenantCount, refreshTokens }) {
  const owners = refreshTokens.map((_, index) => (index % tenantCount) + 1);
  await client.query(
    `WITH given AS (
       SELECT sha256(token::bytea) AS hash, encode(sha256(token::bytea), 'hex') AS id, lpad(t::text, 8, '0') AS n
       FROM unnest($1::text[], $2::int[]) AS given (token, t)
     ), granted AS (
       INSERT INTO grants (id, account_id, application_id, user_id, scopes)
       SELECT id, 'bench' || n, 'application' || n, 'user' || n, $3 FROM given
     )
     INSERT INTO refresh_tokens (token_hash, account_id, grant_id, scopes, expires_at)
     SELECT hash, 'bench' || n, id, $3, now() + interval '30 days' FROM given`,
    [refreshTokens, owners, scopes],
  );
  return owners.map((owner) => tenant(owner));
}

function secretOf(clientId) {
  return createHash('sha256').update(`secret of ${clientId}`).digest('hex');
}
