// Runs a command against a Citus coordinator with two workers: node scripts/with-citus.mjs COMMAND...
// The servers are started from the installed programs of PostgreSQL, with the extension citus, and stopped afterwards.
// PG_CONFIG is the `pg_config` of the installation; default: the one in PATH. The command receives the URL of the coordinator
// in TEST_DATABASE_URL, and those of the workers in TEST_CITUS_WORKERS. Tests then use distributed databases.
import { runWithServers } from './with-servers.mjs';

await runWithServers('with-citus.mjs', 'test/support/cluster/citus.ts', async ({ startCitus }) => {
  const { coordinator, workers, close } = await startCitus();
  const env = {
    TEST_DATABASE_URL: coordinator.url,
    TEST_CITUS_WORKERS: workers.map(({ url }) => url).join(','),
  };
  return { env, close };
});
