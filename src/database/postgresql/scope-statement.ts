import type { ClientBase } from 'pg';
import { serialize } from 'pg-protocol';
import type { Scope } from '../scope.js';

/** Says whose rows the rest of the transaction may touch, and gives no row: nobody has to read the answer. */
const statement = {
  name: 'scope',
  text: `SELECT WHERE set_config('app.accounts', $1, true) IS NULL`,
};

/**
 * A superuser, or a user with BYPASSRLS, takes the role that policies bind, where there are policies and the role is
 * one of this database and not only of its neighbours.
 */
const role = `
  SELECT me.unbound AND EXISTS (SELECT FROM pg_policy) AS unbound,
    CASE WHEN me.unbound AND pg_has_role(tenant.oid, 'MEMBER')
        AND has_table_privilege(tenant.oid, to_regclass('accounts')::oid, 'SELECT')
      THEN set_config('role', tenant.rolname, false) END IS NOT NULL AS taken
  FROM (SELECT rolsuper OR rolbypassrls AS unbound FROM pg_roles WHERE rolname = current_user) me
    LEFT JOIN pg_roles tenant
      ON tenant.rolname = 'people_api_tenant' AND NOT tenant.rolsuper AND NOT tenant.rolbypassrls`;

/**
 * Makes a new connection one whose statements can be given a scope, and are bound by it.
 *
 * @returns whether policies bind it
 */
export async function prepareSession(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ unbound: boolean; taken: boolean }>(role);
  await client.query({ ...statement, values: [''] });
  return rows[0]?.unbound !== true || rows[0].taken;
}

/**
 * What says the scope to a connection that is prepared for it. Together with what is sent before the next `sync` it is
 * one transaction, at the end of which the scope ends as well, whatever happens.
 */
export function scopeMessages(scope: Scope): [Buffer, Buffer] {
  return [serialize.bind({ statement: statement.name, values: [scope] }), serialize.execute()];
}
