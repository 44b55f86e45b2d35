import type { Pool } from 'pg';
import { DatabaseOpenError } from '../database-errors.js';

const utcNames: readonly string[] = [
  'utc',
  'uct',
  'gmt',
  'zulu',
  'universal',
  'etc/utc',
  'etc/uct',
  'etc/gmt',
  'etc/zulu',
  'etc/universal',
];

/**
 * Checks that the time zone of sessions is UTC, because Prisma's adapter assumes it.
 *
 * @throws {DatabaseOpenError} when the server, the database or the user has another time zone
 */
export async function checkTimeZone(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string; user: string }>(
    `SELECT current_setting('TimeZone') AS name, session_user AS user`,
  );
  const [{ name, user } = { name: '', user: '' }] = rows;
  if (utcNames.includes(name.toLowerCase())) return;
  throw new DatabaseOpenError(
    `DATABASE_URL: the TimeZone of its sessions is ${name}, and must be UTC: ALTER ROLE ${user} SET TimeZone = 'UTC'`,
  );
}
