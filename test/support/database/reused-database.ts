import type { Test } from 'tap';
import type { Database, DatabaseOptions } from '../../../src/platform/database/client.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { root } from '../tap.js';
import { createTestDatabase } from './create-test-database.js';
import { asOwner } from './owner.js';
import { readsFromStandbys, watchWrites } from './standbys.js';

// Tests of a process use the same database one after the other, and it is emptied in between. Opening a database takes 0.3
// seconds of CPU time, emptying it 0.02 (measured on the embedded database), and the suite needs a thousand.

interface Opened {
  readonly database: Database;
  readonly options: DatabaseOptions;
  readonly catalogue: string;
}

const unused: Opened[] = [];

/**
 * Size of all tables in bytes, without indexes, beyond which a database is not reused, because deleted rows slow down the
 * next test. Most tests stay below it.
 */
const maximumSize = 2 ** 23;

/** An empty database with every table, exclusive to this test until it ends, and the options with which it was opened. */
export async function takeDatabase(t: Test): Promise<Pick<Opened, 'database' | 'options'>> {
  const opened = unused.pop() ?? (await open());
  t.teardown(async () => {
    if (await isEmptied(opened).catch(() => false)) unused.push(opened);
    else await opened.database.close();
  });
  return opened;
}

async function open(): Promise<Opened> {
  const options = { ...(await createTestDatabase(root)), recordWrites: readsFromStandbys };
  const database = watchWrites(await openDatabase(options), options);
  root.teardown(() => database.close());
  return { database, options, catalogue: (await stateOf(database)).catalogue };
}

/** Deletes all rows, unless the test has changed the schema or stored much. */
async function isEmptied({ database, catalogue }: Opened): Promise<boolean> {
  const state = await stateOf(database);
  if (state.catalogue !== catalogue || state.bytes > maximumSize) return false;
  // The coordinator of a distributed database does not know the size of the rows.
  await asOwner(database, emptyTables(database.isDistributed() ? 'true' : 'pg_relation_size(oid) > 0'));
  return true;
}

/** Triggers do not run, because all tables are emptied. */
const emptyTables = (mayHaveRows: string) => `DO $$
  DECLARE tables text;
  BEGIN
    PERFORM set_config('session_replication_role', 'replica', true);
    FOR tables IN SELECT oid::regclass FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> '_prisma_migrations'
        AND ${mayHaveRows}
    LOOP EXECUTE 'DELETE FROM ' || tables; END LOOP;
  END $$`;

interface State {
  /** Changes with tables, columns, indexes, constraints, triggers, functions, policies, rights and migrations. */
  readonly catalogue: string;
  /** Of the tables without their indexes, whose size takes ten times as long to find. */
  readonly bytes: number;
}

async function stateOf(database: Database): Promise<State> {
  const [state] = await asOwner<State>(
    database,
    `SELECT md5(string_agg(entry, ',' ORDER BY entry)) AS catalogue,
       (SELECT sum(pg_relation_size(oid)) FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r')::float8 AS bytes
     FROM (
       SELECT concat_ws(' ', relname, relkind, relowner, relacl, relrowsecurity, relforcerowsecurity, reloptions) AS entry
       FROM pg_class WHERE relnamespace = 'public'::regnamespace
       UNION ALL SELECT concat_ws(' ', tgrelid, tgname, tgenabled) FROM pg_trigger
       UNION ALL SELECT concat_ws(' ', proname, prosrc) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
       UNION ALL SELECT concat_ws(' ', conrelid, conname) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
       UNION ALL SELECT concat_ws(' ', polrelid, polname) FROM pg_policy
       UNION ALL SELECT concat_ws(' ', attrelid, attname, attnotnull, attisdropped) FROM pg_attribute
         JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
       UNION ALL SELECT concat_ws(' ', migration_name, checksum, finished_at, rolled_back_at) FROM _prisma_migrations
     ) entries`,
  );
  return state ?? { catalogue: '', bytes: 0 };
}
