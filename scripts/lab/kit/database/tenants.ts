import { createHash } from 'node:crypto';
import type pg from 'pg';
import { assertEmployees, completeEmployees, insertEmployees } from './employee-rows.js';
import type { Fill } from './postgresql.js';

/** An account with a confidential application that has every scope and may read every attribute, and a user who granted it access. */
export interface Tenant {
  readonly accountId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** employees: number for each tenant */
export interface TenantSize {
  readonly tenants: number;
  readonly employees: number;
  /** Whether employees have a location, a job title, dates and a manager. */
  readonly complete?: boolean;
  /** Custom attributes of each account. Employees have values of all, which the application may read. Default: none. */
  readonly customAttributes?: number;
}

export const scopes = ['reports:read', 'reports:write', 'user:read', 'user:write'];

/** The attributes of employees that an application can be without. */
export const readableAttributes = ['job_title', 'location', 'hire_date', 'termination_date', 'manager_id'];

/** Number of rows of one statement. */
const batchRows = 50_000;

/** The tenant with this number, counted from 1. */
export function tenant(number: number): Tenant {
  const padded = String(number).padStart(8, '0');
  const clientId = `client${padded}`;
  const clientSecret = createHash('sha256').update(`secret of ${clientId}`).digest('hex');
  return { accountId: `bench${padded}`, clientId, clientSecret };
}

export function tenants(count: number): Tenant[] {
  return Array.from({ length: count }, (_, index) => tenant(index + 1));
}

/** Fills an empty database. */
export function fillTenants(size: TenantSize): Fill {
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
    if (size.complete === true) for (const text of completeEmployees) await client.query(text);
    if (size.customAttributes !== undefined) await addCustomValues(client, size.customAttributes);
    await restoreIndexes();
    await client.query('VACUUM (ANALYZE)');
    await client.query('CHECKPOINT');
  };
}

/** Adds custom attributes with texts, numbers and dates to each account, and their values to each employee. */
async function addCustomValues(client: pg.Client, count: number): Promise<void> {
  const types = ['text', 'number', 'date'];
  const attributes = Array.from({ length: count }, (_, index) => ({
    key: `attribute_${index + 1}`,
    type: types[index % types.length],
  }));
  const keys = attributes.map(({ key }) => key);
  await client.query(
    `INSERT INTO custom_attributes (account_id, key, label, type, created_at, updated_at)
     SELECT id, key, key, type, now(), now() FROM accounts CROSS JOIN unnest($1::text[], $2::text[]) AS given (key, type)`,
    [keys, attributes.map(({ type }) => type)],
  );
  const values: Readonly<Record<string, string>> = {
    text: `'Value ' || position`,
    number: 'position + 0.25',
    date: `(date '2020-01-01' + position::integer)::text`,
  };
  const members = attributes.map(({ key, type }) => `'${key}', ${values[type]}`).join(', ');
  // The triggers would store an event of each employee.
  await client.query('ALTER TABLE employees DISABLE TRIGGER USER');
  await client.query(`UPDATE employees SET custom = jsonb_build_object(${members})`);
  await client.query('ALTER TABLE employees ENABLE TRIGGER USER');
  await client.query('UPDATE applications SET readable_attributes = readable_attributes || $1::text[]', [
    keys.map((key) => `custom.${key}`),
  ]);
}

/** Building indexes afterwards takes half the time. The triggers stay, because they maintain the counts. */
async function dropIndexes(client: pg.Client): Promise<() => Promise<void>> {
  const { rows } = await client.query(
    `SELECT indexrelid::regclass AS name, pg_get_indexdef(indexrelid) AS definition
     FROM pg_index WHERE indrelid = 'employees'::regclass AND NOT indisunique`,
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  return async () => {
    for (const { definition } of rows) await client.query(definition);
  };
}

async function addAccounts(client: pg.Client, { tenants: count, employees }: TenantSize): Promise<void> {
  const numbered = `(SELECT t, lpad(t::text, 8, '0') AS n FROM generate_series(1, ${count}) AS t) AS numbered`;
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
    `INSERT INTO applications (id, account_id, client_id, name, client_type, scopes, readable_attributes)
     SELECT 'application' || n, 'bench' || n, 'client' || n, 'Bench ' || t, 'confidential', $1, $2 FROM ${numbered}`,
    [scopes, readableAttributes],
  );
  const secrets = tenants(count).map(({ clientSecret }) => clientSecret);
  await client.query(
    `INSERT INTO application_secrets (id, account_id, application_id, secret_hash)
     SELECT 'secret' || n, 'bench' || n, 'application' || n, sha256(secret::bytea)
     FROM (SELECT secret, lpad(t::text, 8, '0') AS n FROM unnest($1::text[]) WITH ORDINALITY AS given (secret, t))
       AS numbered`,
    [secrets],
  );
}

/**
 * Adds grants with a refresh token each, for the tenants in turn.
 *
 * @returns the tenant that each token belongs to
 */
export async function addGrants(
  client: pg.Client,
  { tenantCount, refreshTokens }: { tenantCount: number; refreshTokens: readonly string[] },
): Promise<Tenant[]> {
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
  return owners.map(tenant);
}
