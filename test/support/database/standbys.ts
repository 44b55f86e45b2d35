import type {
  Database,
  DatabaseOptions,
  PreparedStatement,
  PrismaClient,
  ReadDatabase,
} from '../../../src/platform/database/client.js';
import { openReplicas, type Replicas } from '../../../src/platform/database/replicas/open-replicas.js';
import { accountScope, allAccounts, noAccount, withScope } from '../../../src/platform/database/scope.js';
import { until } from '../until.js';

/** URLs of standbys of the test server, from which applications then read. */
const standbyServers = (process.env.TEST_REPLICA_DATABASE_URLS ?? '').split(',').filter(Boolean);

/** Whether applications read from standbys, and writes must be recorded. */
export const readsFromStandbys = standbyServers.length > 0;

/** How an application uses a database of a test. */
export interface ApplicationDatabase {
  readonly database: Database;
  readonly reads?: ReadDatabase;
}

const applications = new WeakMap<Database, () => Promise<ApplicationDatabase>>();

/** Whether a test has written to a database since the position was recorded, by the URL of the database. */
const unrecorded = new Map<string, boolean>();

/**
 * Returns a database for a test. Statements of the test itself have the scope of all accounts, for which the service records
 * no position. Their position is recorded here, for every account, before an application reads the next time.
 *
 * @param options with which it was opened
 */
export function watchWrites(opened: Database, options: DatabaseOptions): Database {
  const { databaseUrl } = options;
  if (!readsFromStandbys || databaseUrl === undefined) return opened;
  const written = () => unrecorded.set(databaseUrl, true);
  let replicas: Promise<Replicas> | undefined;
  const database: Database = {
    ...opened,
    prisma: watchPrisma(opened.prisma, written),
    runPrepared: <Row extends object>(...statement: Parameters<Database['runPrepared']>) =>
      opened.runPrepared<Row>(...statement).finally(written),
    async close() {
      await (await replicas?.catch(() => undefined))?.close();
      await opened.close();
    },
  };
  applications.set(database, async () => {
    replicas ??= openStandbys(opened, { ...options, databaseUrl });
    return { database: opened, reads: (await replicas).reads };
  });
  return database;
}

/** Returns how an application uses a database: with reads from standbys, if the database was opened by a helper for tests. */
export async function applicationDatabase(database: Database): Promise<ApplicationDatabase> {
  return (await applications.get(database)?.()) ?? { database };
}

function watchPrisma(prisma: PrismaClient, written: () => void): PrismaClient {
  const extended = prisma.$extends({
    query: { $allOperations: ({ args, query }) => query(args).finally(written) },
  }) as unknown as PrismaClient;
  // The operations of a transaction end before its commit.
  const transaction = (...given: unknown[]) =>
    (extended.$transaction as (...given: unknown[]) => Promise<unknown>)(...given).finally(written);
  return new Proxy(extended, {
    get: (target, name) => (name === '$transaction' ? transaction : Reflect.get(target, name)),
  });
}

/** Connects to the standbys, and waits until one is used. */
async function openStandbys(
  primary: Database,
  options: DatabaseOptions & { databaseUrl: string },
): Promise<Replicas> {
  const urls = standbyServers.map((url) =>
    Object.assign(new URL(url), { pathname: new URL(options.databaseUrl).pathname }).toString(),
  );
  let recording: Promise<unknown> = Promise.resolve();
  // The position of an account is looked up here, before each read.
  const runPrepared = async <Row extends object>(
    ...statement: Parameters<Database['runPrepared']>
  ): Promise<Row[]> => {
    if (unrecorded.get(options.databaseUrl)) {
      unrecorded.set(options.databaseUrl, false);
      recording = primary.runPrepared(recordWrites, [], allAccounts).catch((error: unknown) => {
        unrecorded.set(options.databaseUrl, true);
        throw error;
      });
    }
    await recording;
    return primary.runPrepared(...statement);
  };
  const replicas = await openReplicas({ ...primary, runPrepared }, urls, {
    ...options,
    poolSize: 4,
    defaultScope: noAccount,
  });
  const isOnStandby = () =>
    replicas.reads.prisma.$queryRaw<[{ found: boolean }]>`SELECT pg_is_in_recovery() AS found`;
  await until(async () => (await withScope(accountScope('anyone'), isOnStandby))[0].found);
  return replicas;
}

const recordWrites: PreparedStatement = {
  name: 'record_writes_of_test',
  text: `
    INSERT INTO write_positions (account_id, position)
    SELECT id, pg_current_wal_insert_lsn() FROM accounts ORDER BY id
    ON CONFLICT (account_id) DO UPDATE SET position = greatest(write_positions.position, excluded.position)`,
};
