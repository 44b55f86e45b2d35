import { commonSettings, createServer } from './cluster.js';
import { ClusterServer, type Settings } from './cluster-server.js';
import { hasPostgresqlPrograms } from './programs.js';
import { TemporaryServers } from './temporary-servers.js';

/** Nothing needs to survive a crash of the machine, so a commit does not wait for the disk. */
const settings: Settings = {
  ...commonSettings,
  full_page_writes: 'off',
  synchronous_commit: 'off',
  shared_buffers: '128MB',
  // Test processes run side by side, and keep the databases of their tests open.
  max_connections: '1000',
};

/** A server that tests share. */
export interface TemporaryPostgresql {
  /** URL of the database `postgres`, whose user is a superuser. */
  readonly url: string;
  /** Stops the server and removes its data. */
  close(): Promise<void>;
}

/** Starts a server in a temporary directory, with the installed programs. */
export async function startTemporaryPostgresql(): Promise<TemporaryPostgresql> {
  if (!hasPostgresqlPrograms) {
    throw new Error(
      'A temporary PostgreSQL server needs the programs of PostgreSQL 14 or later: install them (Debian: apt-get install postgresql), or set PG_CONFIG to the path of their pg_config.',
    );
  }
  const servers = new TemporaryServers();
  try {
    const server = await servers.add(ClusterServer, { name: 'temporary', settings });
    await createServer(server);
    return {
      url: server.url,
      async close() {
        // Unlike a killed server, a stopped one frees its shared memory.
        await server.stop();
        await servers.close();
      },
    };
  } catch (error) {
    await servers.close();
    throw error;
  }
}
