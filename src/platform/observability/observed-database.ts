import type { Database, PrismaClient } from '../database/client.js';

/** A statement, or an operation of the Prisma client. */
export interface Statement {
  /** Short name, such as `SELECT` or `Report.findMany`. */
  readonly name: string;
  /** SQL with placeholders for all values. */
  readonly text?: string;
}

interface StatementObserver {
  around?<Result>(statement: Statement, execute: () => Promise<Result>): Promise<Result>;
  failed?(error: unknown): void;
}

/** Wraps a database so that every statement is observed. */
export function observeDatabase(database: Database, { around, failed }: StatementObserver): Database {
  const run = async <Result>(
    statement: Statement,
    execute: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> => {
    try {
      return await (around === undefined ? execute() : around(statement, execute));
    } catch (error) {
      if (signal?.aborted !== true) failed?.(error);
      throw error;
    }
  };
  const prisma = database.prisma.$extends({
    query: {
      $allOperations({ model, operation, args, query }) {
        const name = model === undefined ? operation : `${model}.${operation}`;
        return run({ name }, () => query(args));
      },
    },
  });
  return {
    ...database,
    // An extended client lacks only `$on`, which is not used.
    prisma: prisma as unknown as PrismaClient,
    runPrepared: (statement, values, scope) =>
      run({ name: statement.name, text: statement.text }, () =>
        database.runPrepared(statement, values, scope),
      ),
    queryReport: (text, values, options) => {
      const statement = { name: firstWord(text), text };
      return run(statement, () => database.queryReport(text, values, options), options.signal);
    },
    async *streamCsv(query) {
      try {
        yield* database.streamCsv(query);
      } catch (error) {
        if (!query.signal.aborted) failed?.(error);
        throw error;
      }
    },
  };
}

function firstWord(text: string): string {
  return /[a-z]+/i.exec(text)?.[0].toUpperCase() ?? 'statement';
}
