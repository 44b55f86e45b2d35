import type { Database } from '../../../src/platform/database/client.js';
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

/** Part of the text of a statement that is not delayed. */
export const quickly = `(SELECT set_config('test.quick', 'on', true)) AS quickly`;

/**
 * Delays some changes of rows, after the row is locked and before its foreign keys are checked, so that statements with
 * different lock orders usually deadlock. Few deletions are delayed, because they cascade to many rows.
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
    // Triggers run in the order of their names, so it runs before those of foreign keys.
    await asOwner(
      database,
      `CREATE TRIGGER "A_linger" AFTER INSERT OR UPDATE OR DELETE ON ${table}
       FOR EACH ROW EXECUTE FUNCTION linger()`,
    );
  }
}
