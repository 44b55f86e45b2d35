import type { Pool } from 'pg';

/**
 * A superuser, or a user with BYPASSRLS, sets a role to which row-level security applies, when there are policies. Roles
 * belong to the server, so the query checks that the role has privileges in this database.
 */
const query = `
  SELECT me.bypasses AND EXISTS (SELECT FROM pg_policy WHERE polrelid = to_regclass('accounts')) AS bypasses,
    CASE WHEN me.bypasses AND pg_has_role(session_user, tenant.oid,
        CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END)
        AND has_table_privilege(tenant.oid, to_regclass('accounts')::oid, 'SELECT')
      THEN tenant.rolname END AS role
  FROM (SELECT rolsuper OR rolbypassrls AS bypasses FROM pg_roles WHERE rolname = session_user) me
    LEFT JOIN pg_roles tenant
      ON tenant.rolname = 'people_api_tenant' AND NOT tenant.rolsuper AND NOT tenant.rolbypassrls`;

interface TenantRole {
  /** Role that transactions set; `none` is the user of the connection. */
  readonly role: string;
  /** Whether row-level security isolates the accounts. */
  readonly isIsolated: boolean;
}

/** Finds the role for transactions. Migrations create the role, so it may differ afterwards. */
export async function findTenantRole(pool: Pool): Promise<TenantRole> {
  const { rows } = await pool.query<{ bypasses: boolean; role: string | null }>(query);
  const [{ bypasses, role } = { bypasses: true, role: null }] = rows;
  return { role: role ?? 'none', isIsolated: !bypasses || role !== null };
}
