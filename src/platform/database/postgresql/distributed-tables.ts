import type { Pool } from 'pg';

/** Whether account data is distributed over the workers of Citus. */
export async function hasDistributedTables(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ exists: boolean }>(
    `SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS exists`,
  );
  if (rows[0]?.exists !== true) return false;
  const { rowCount } = await pool.query(
    `SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('employees')`,
  );
  return rowCount === 1;
}
