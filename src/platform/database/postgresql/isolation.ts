import type { Pool } from 'pg';

/**
 * A superuser, or a user with BYPASSRLS, sets a role to which row-level security applies, when there are policies. Roles
 * belong to the server, so the query checks that the role has privileges in this database.
 */
const tenantRole = `
  SELECT me.bypasses AND EXISTS (SELECT FROM pg_policy WHERE polrelid = to_regclass('accounts')) AS bypasses,
    CASE WHEN me.bypasses AND pg_has_role(session_user, tenant.oid,
        CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END)
        AND has_table_privilege(tenant.oid, to_regclass('accounts')::oid, 'SELECT')
      THEN tenant.rolname END AS role
  FROM (SELECT rolsuper OR rolbypassrls AS bypasses FROM pg_roles WHERE rolname = session_user) me
    LEFT JOIN pg_roles tenant
      ON tenant.rolname = 'people_api_tenant' AND NOT tenant.rolsuper AND NOT tenant.rolbypassrls`;

interface Isolation {
  /** Role that transactions set; `none` is the user of the connection. */
  readonly role: string;
  /** Whether row-level security isolates the accounts. */
  readonly isIsolated: boolean;
  /** Whether account data is distributed over the workers of Citus. */
  readonly isDistributed: boolean;
}

/** Reads how transactions are isolated. Migrations create the role, so it may differ afterwards. */
export async function readIsolation(pool: Pool): Promise<Isolation> {
  const { rows } = await pool.query<{ bypasses: boolean; role: string | null }>(tenantRole);
  const [{ bypasses, role } = { bypasses: true, role: null }] = rows;
  const isDistributed = await hasDistributedTables(pool);
  return { role: role ?? 'none', isIsolated: !bypasses || role !== null, isDistributed };
}

async function hasDistributedTables(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ exists: boolean }>(
    `SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS exists`,
  );
  if (rows[0]?.exists !== true) return false;
  const { rowCount } = await pool.query(
    `SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('employees')`,
  );
  return rowCount === 1;
}
