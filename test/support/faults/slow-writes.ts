import type { Database } from '../../../src/database/client.js';
import { asOwner } from '../database/owner.js';

/** Tables whose rows the writers change. */
const tables = [
  'accounts',
  'users',
  'applications',
  'application_secrets',
  'grants',
  'authorization_codes',
  'refresh_tokens',
  'reports',
  'idempotency_keys',
  'submitted_forms',
  'audit_events',
];

/** Has one statement write at full speed; part of its text. */
export const quickly = `(SELECT set_config('test.quick', 'on', true)) AS quickly`;

/**
 * Makes some changes of rows take a while, after the row was locked and before its foreign keys are checked. Two
 * statements that lock in different orders mostly meet then. Few deletions take long: they cascade to many rows.
 */
export async function slowWritesDown(database: Database): Promise<void> {
  await asOwner(
    database,
    `CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF current_setting('test.quick', true) = 'on' THEN RETURN NULL; END IF;
       IF random() < (CASE TG_OP WHEN 'UPDATE' THEN 0.25 WHEN 'INSERT' THEN 0.1 ELSE 0.03 END) THEN
         PERFORM pg_sleep(0.05);
       END IF;
       RETURN NULL;
     END $$`,
  );
  for (const table of tables) {
    // By its name it comes before the triggers of foreign keys.
    await asOwner(
      database,
      `CREATE TRIGGER "A_linger" AFTER INSERT OR UPDATE OR DELETE ON ${table}
       FOR EACH ROW EXECUTE FUNCTION linger()`,
    );
  }
}
