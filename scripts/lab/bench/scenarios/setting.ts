import type { Database } from '../../kit/database/postgresql.js';
import { packageRoot } from '../../kit/paths.js';
import { type OurServerOptions, startOurs } from '../../kit/server/ours.js';
import type { ServerProcess } from '../../kit/server/process.js';
import type { Context } from '../context.js';
import type { DatabaseKind } from '../databases.js';

/** Databases, and servers that are stopped at the end of a scenario. */
export interface Setting {
  /** The database of the server. */
  readonly database: Database;
  /** A database with the schema of this checkout and the same data. */
  readonly reference: Database;
  /** Another database of this checkout. */
  readonly other: (kind: DatabaseKind) => Promise<Database>;
  /** Checkout that has the schema of `database`. */
  readonly schemaRoot: string;
  start(starting: Promise<ServerProcess>): Promise<ServerProcess>;
  /** Starts our server, by default on the database of the setting. */
  startOurs(options?: Partial<OurServerOptions>): Promise<ServerProcess>;
}

export async function withSetting<Result>(
  context: Context,
  kind: DatabaseKind,
  use: (setting: Setting) => Promise<Result>,
): Promise<Result> {
  const database = await context.database(kind);
  const running: ServerProcess[] = [];
  const start = async (starting: Promise<ServerProcess>) => {
    const server = await starting;
    running.push(server);
    return server;
  };
  try {
    return await use({
      database,
      reference: database,
      other: (kind) => context.database(kind),
      schemaRoot: packageRoot,
      start,
      startOurs: (options) => start(startOurs({ databaseUrl: database.url, ...options })),
    });
  } finally {
    for (const server of running) await server.stop();
  }
}
