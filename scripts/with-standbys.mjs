// Runs a command against a PostgreSQL server with two standbys: node scripts/with-standbys.mjs COMMAND...
// The servers are started from the installed programs of PostgreSQL, and stopped afterwards; PG_CONFIG is the `pg_config` of
// the installation, default: the one in PATH. The command receives the URL of the primary in TEST_DATABASE_URL, and those of
// the standbys in TEST_REPLICA_DATABASE_URLS. Tests then read from the standbys.
import { runWithServers } from './with-servers.mjs';

const settings = {
  // Test processes run side by side, and keep the databases of their tests open.
  max_connections: '1000',
  // Without a lag, a read may see a write whose position was not recorded.
  recovery_min_apply_delay: '20ms',
};

await runWithServers('with-standbys.mjs', 'test/support/cluster/cluster.ts', async ({ startCluster }) => {
  const { primary, standbys, close } = await startCluster({ standbys: 2, settings });
  const env = {
    TEST_DATABASE_URL: primary.url,
    TEST_REPLICA_DATABASE_URLS: standbys.map(({ url }) => url).join(','),
  };
  return { env, close };
});
