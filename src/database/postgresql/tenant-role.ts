import type { Pool } from 'pg';

/**
 * A superuser, or a user with BYPASSRLS, takes the role that policies bind, where there are policies and the role is
 * one of this database and not only of its neighbours.
 */
const query = `
  SELECT me.unbound AND EXISTS (SELECT FROM pg_policy WHERE polrelid = to_regclass('accounts')) AS unbound,
    CASE WHEN me.unbound AND pg_has_role(session_user, tenant.oid,
        CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END)
        AND has_table_privilege(tenant.oid, to_regclass('accounts')::oid, 'SELECT')
      THEN tenant.rolname END AS role
  FROM (SELECT rolsuper OR rolbypassrls AS unbound FROM pg_roles WHERE rolname = session_user) me
    LEFT JOIN pg_roles tenant
      ON tenant.rolname = 'people_api_tenant' AND NOT tenant.rolsuper AND NOT tenant.rolbypassrls`;

export interface TenantRole {
  /** Role that transactions take; `none` is the user of the connection. */
  readonly role: string;
  /** Whether row-level security protects the accounts from each other. */
  readonly isIsolated: boolean;
}

/** Finds the role that row-level security binds. It is another one after the migrations have created it. */
export async function findTenantRole(pool: Pool): Promise<TenantRole> {
  const { rows } = await pool.query<{ unbound: boolean; role: string | null }>(query);
  const [{ unbound, role } = { unbound: true, role: null }] = rows;
  return { role: role ?? 'none', isIsolated: !unbound || role !== null };
}
