import type {
  CsvQuery,
  Database,
  DatabaseOptions,
  PrismaClient,
  ReadDatabase,
  ReportQueryOptions,
} from '../client.js';
import { isDatabaseUnavailable, isStatementCanceled, isWriteConflict } from '../database-errors.js';
import { openPostgresql } from '../postgresql/postgresql.js';
import { currentScope, noAccount, type TenantScope } from '../scope.js';
import { readServerPosition, Standby, StandbyLostError } from './standby.js';
import { accountsOf, createPositionReader } from './write-positions.js';

/** Milliseconds that a read waits for a standby to replay the last write of its accounts. */
const maximumWaitMs = 200;

type Work<Result> = (database: Database, lost: AbortSignal | undefined) => Promise<Result>;

/**
 * Chooses where a read runs: on a standby that has every acknowledged write of its accounts, by any process, and otherwise
 * on the primary.
 */
class Standbys {
  readonly #primary: Database;
  readonly #standbys: readonly Standby[];
  readonly #positionOf: ReturnType<typeof createPositionReader>;
  #next = 0;

  constructor(primary: Database, standbys: readonly Standby[]) {
    this.#primary = primary;
    this.#standbys = standbys;
    this.#positionOf = createPositionReader(primary);
  }

  /** Runs a read in a scope, and once more on the primary when its standby fails. */
  async run<Result>(scope: TenantScope, work: Work<Result>): Promise<Result> {
    const standby = await this.#choose(scope);
    if (standby === undefined) return work(this.#primary, undefined);
    try {
      return await standby.run(work);
    } catch (error) {
      if (!isFailureOfStandby(error)) throw error;
      return work(this.#primary, undefined);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#standbys.map((standby) => standby.close()));
  }

  async #choose(scope: TenantScope): Promise<Standby | undefined> {
    if (accountsOf(scope).length === 0 || !this.#standbys.some(({ isUsable }) => isUsable)) return undefined;
    const position = await this.#positionOf(scope);
    // After the lookup, because a standby may have been lost during it.
    const usable = this.#standbys.filter(({ isUsable }) => isUsable);
    const current = usable.filter((standby) => standby.position >= position);
    this.#next += 1;
    if (current.length > 0) return current[this.#next % current.length];
    const [first, ...others] = usable;
    if (first === undefined) return undefined;
    const ahead = others.reduce((best, other) => (other.position > best.position ? other : best), first);
    return (await ahead.reaches(position, maximumWaitMs)) ? ahead : undefined;
  }
}

/**
 * Whether a read can succeed on the primary. A standby also cancels statements that conflict with the replay of the log
 * (40001). A statement that exceeded its own time limit would exceed it there as well.
 */
function isFailureOfStandby(error: unknown): boolean {
  if (error instanceof StandbyLostError || isWriteConflict(error)) return true;
  return isDatabaseUnavailable(error) && !isStatementCanceled(error);
}

export interface Replicas {
  readonly reads: ReadDatabase;
  close(): Promise<void>;
}

/**
 * Reads from standbys of the primary. They are connected to in the background, so that an unavailable standby does not
 * prevent the start. Call it after the migrations.
 *
 * @param urls one URL for each server
 */
export async function openReplicas(
  primary: Database,
  urls: readonly string[],
  options: DatabaseOptions,
): Promise<Replicas> {
  const position = await readServerPosition(primary);
  const standbys = new Standbys(
    primary,
    urls.map(
      (databaseUrl, index) =>
        new Standby({
          number: index + 1,
          open: (onConnectionLost) =>
            openPostgresql({ ...options, databaseUrl, recordWrites: false, onConnectionLost }),
          primary: position,
          logger: options.logger,
        }),
    ),
  );
  return { reads: createReadDatabase(primary, standbys), close: () => standbys.close() };
}

type Operations = Record<string, Record<string, (args: unknown) => Promise<unknown>>>;

/** The operations of models that only read. */
const reads: ReadonlySet<string> = new Set(['findFirst', 'findMany', 'count', 'aggregate', 'groupBy']);

/** A database for reads, each of which runs where {@link Standbys} chooses. Its other operations run on the primary. */
function createReadDatabase(primary: Database, standbys: Standbys): ReadDatabase {
  const prisma = primary.prisma.$extends({
    query: {
      $allOperations({ model, operation, args, query }) {
        const isRead = operation === '$queryRaw' || (model !== undefined && reads.has(operation));
        if (!isRead) return query(args);
        return standbys.run(currentScope(noAccount), (database) => {
          if (database === primary) return query(args);
          const client = database.prisma;
          if (model === undefined) return client.$queryRaw(args as never);
          const delegate = (client as unknown as Operations)[`${model[0]?.toLowerCase()}${model.slice(1)}`];
          return delegate?.[operation]?.(args) as Promise<unknown>;
        });
      },
    },
  });
  return {
    // An extended client lacks only `$on`, which is not used.
    prisma: prisma as unknown as PrismaClient,
    isDistributed: primary.isDistributed,
    runPrepared: <Row extends object>(...[statement, values, scope]: Parameters<Database['runPrepared']>) =>
      standbys.run(scope, (database) => database.runPrepared<Row>(statement, values, scope)),
    queryReport: <Row extends object>(
      text: string,
      values: readonly unknown[],
      options: ReportQueryOptions,
    ) =>
      standbys.run(options.scope, (database, lost) =>
        database.queryReport<Row>(text, values, {
          ...options,
          signal: lost === undefined ? options.signal : AbortSignal.any([options.signal, lost]),
        }),
      ),
    streamCsv: (query) => streamCsv(standbys, query),
  };
}

/** A started stream stays on its server, because rows of another snapshot must not follow. */
async function* streamCsv(standbys: Standbys, query: CsvQuery): AsyncGenerator<Buffer, void, undefined> {
  const scope = query.scope ?? currentScope(noAccount);
  const { chunks, first } = await standbys.run(scope, (database, lost) =>
    begin(database, { ...query, scope }, lost),
  );
  try {
    if (first.done !== true) yield first.value;
    yield* chunks;
  } finally {
    await chunks.return();
  }
}

async function begin(database: Database, query: CsvQuery, lost: AbortSignal | undefined) {
  const stop = new AbortController();
  const onLost = () => stop.abort(lost?.reason);
  lost?.addEventListener('abort', onLost, { once: true });
  const chunks = database.streamCsv({ ...query, signal: AbortSignal.any([query.signal, stop.signal]) });
  try {
    const first = await chunks.next();
    lost?.throwIfAborted();
    return { chunks, first };
  } catch (error) {
    await chunks.return();
    throw error;
  } finally {
    lost?.removeEventListener('abort', onLost);
  }
}
