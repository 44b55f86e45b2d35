import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { Database, MigrationSession } from './client.js';
import { describeError } from './database-errors.js';

/**
 * Tables of account data that Citus distributes by `account_id`. The rows of an account are on one worker. The tables of the
 * identity group stay on the coordinator, because their keys are global.
 */
export const distributedTables = [
  'account_totals',
  'custom_attributes',
  'employees',
  'employee_counts',
  'employee_facets',
  'employee_location_facets',
  'reports',
  'events',
  'webhook_wakeups',
  'audit_events',
  'api_usage',
  'rejected_requests',
] as const;

interface DistributedTable {
  readonly table: string;
  /** `failed`: it stays on the coordinator. */
  readonly outcome: 'distributed' | 'already_distributed' | 'failed';
  /** Message of Citus, in one line. */
  readonly reason?: string;
}

/** The database cannot be distributed. */
export class DistributionError extends Error {
  override readonly name = 'DistributionError';
}

/**
 * Distributes account data over the workers of Citus. Each table is a transaction of its own, so the command can be repeated
 * after a failure. No other process may use the database meanwhile.
 *
 * @throws {DistributionError} when the database is not a Citus coordinator with workers
 */
export async function distribute(database: Database): Promise<DistributedTable[]> {
  if (database.kind === 'embedded')
    throw new DistributionError('The embedded database cannot be distributed');
  const session = await database.openMigrationSession();
  try {
    const connection = await session.adapterFactory.connect();
    await checkCoordinator(connection);
    await connection.executeScript(functionsToWorkers);
    const results: DistributedTable[] = [];
    for (const table of distributedTables) results.push(await distributeTable(connection, table));
    for (const statement of functionSettings) await connection.executeScript(statement);
    await database.checkIsolation();
    return results;
  } finally {
    await session.close();
  }
}

type Connection = Awaited<ReturnType<MigrationSession['adapterFactory']['connect']>>;

async function checkCoordinator(connection: Connection): Promise<void> {
  if (!(await exists(connection, "SELECT 1 FROM pg_extension WHERE extname = 'citus'")))
    throw new DistributionError('The extension citus is not installed in this database');
  const workers = "SELECT 1 FROM pg_dist_node WHERE groupid <> 0 AND noderole = 'primary' AND isactive";
  if (!(await exists(connection, workers)))
    throw new DistributionError('This Citus coordinator has no workers; see citus_add_node');
  if (!(await exists(connection, 'SELECT 1 FROM pg_dist_local_group WHERE groupid = 0')))
    throw new DistributionError('This server is a Citus worker; connect to the coordinator');
}

async function distributeTable(connection: Connection, table: string): Promise<DistributedTable> {
  if (await exists(connection, `SELECT 1 FROM pg_dist_partition WHERE logicalrelid = '${table}'::regclass`))
    return { table, outcome: 'already_distributed' };
  try {
    const triggers = await readTriggers(connection, table);
    // One statement after the other: Citus sends the text of a script to workers as if it was one statement.
    for (const statement of distribution(table, triggers)) await connection.executeScript(statement);
    return { table, outcome: 'distributed' };
  } catch (error) {
    await connection.executeScript('ROLLBACK');
    return { table, outcome: 'failed', reason: describeError(error) };
  }
}

interface Trigger {
  readonly name: string;
  readonly definition: string;
}

async function readTriggers(connection: Connection, table: string): Promise<Trigger[]> {
  const sql = `
    SELECT quote_ident(tgname), pg_get_triggerdef(oid) FROM pg_trigger
    WHERE tgrelid = '${table}'::regclass AND NOT tgisinternal`;
  const { rows } = await connection.queryRaw({ sql, args: [], argTypes: [] });
  return rows.map(([name, definition]) => ({ name: String(name), definition: String(definition) }));
}

/**
 * The statements that distribute a table.
 *
 * - Citus does not support foreign keys to local tables.
 * - It copies the rows with COPY, which it rejects while row-level security applies to the owner.
 * - It does not support subqueries in policies, like that of `employees`.
 * - Triggers are created after the copy, because they would count the rows again. Citus rejects triggers that it does not
 *   know to be safe. These change rows of the same account only, which are on the same worker.
 */
function distribution(table: string, triggers: readonly Trigger[]): string[] {
  const colocation = table === distributedTables[0] ? 'none' : distributedTables[0];
  return [
    'BEGIN',
    `DO $$
     DECLARE name text;
     BEGIN
       FOR name IN SELECT conname FROM pg_constraint WHERE conrelid = '${table}'::regclass AND contype = 'f'
       LOOP EXECUTE format('ALTER TABLE ${table} DROP CONSTRAINT %I', name); END LOOP;
     END $$`,
    ...triggers.map(({ name }) => `DROP TRIGGER ${name} ON ${table}`),
    `ALTER POLICY tenant ON ${table} USING (
       CASE current_setting('app.accounts', true)
         WHEN account_id THEN true
         WHEN '*' THEN true
         ELSE account_id = ANY (string_to_array(current_setting('app.accounts', true), ','))
       END)`,
    `ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`,
    `SELECT create_distributed_table('${table}', 'account_id', colocate_with => '${colocation}')`,
    `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`,
    'SET LOCAL citus.enable_unsafe_triggers = on',
    ...triggers.map(({ definition }) => definition),
    'COMMIT',
  ];
}

/**
 * Creates the functions that triggers call on the workers. Citus does so itself for functions that are created after the
 * extension, which an existing database has not.
 */
const functionsToWorkers = `
  DO $$
  BEGIN
    PERFORM create_distributed_function(oid::regprocedure) FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace
      AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')
      AND NOT EXISTS (SELECT FROM pg_dist_object WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid);
  END $$`;

/** The function reads rows of one account, on the worker that runs it. Citus cannot make generic plans of its statements. */
const functionSettings = [
  'ALTER FUNCTION employee_position_at(text, bigint) RESET plan_cache_mode',
  'ALTER FUNCTION employee_position_at(text, bigint) SET citus.allow_nested_distributed_execution = on',
];

async function exists(connection: SqlDriverAdapter, sql: string): Promise<boolean> {
  const { rows } = await connection.queryRaw({ sql, args: [], argTypes: [] });
  return rows.length > 0;
}
