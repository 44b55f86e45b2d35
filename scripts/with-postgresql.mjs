// Runs a command with a temporary PostgreSQL server: node scripts/with-postgresql.mjs COMMAND...
// The server is started from the installed programs of PostgreSQL, and stopped afterwards; PG_CONFIG is the `pg_config` of
// the installation, default: the one in PATH. It does not wait for the disk. The command receives its URL in
// TEST_DATABASE_URL. `TEST_DATABASE_URL=temporary npm test` starts the same server for one run of tests.
import { runWithServers } from './with-servers.mjs';

await runWithServers(
  'with-postgresql.mjs',
  'test/support/cluster/temporary-postgresql.ts',
  async ({ startTemporaryPostgresql }) => {
    const { url, close } = await startTemporaryPostgresql();
    return { env: { TEST_DATABASE_URL: url }, close };
  },
);
