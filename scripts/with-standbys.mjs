// Runs a command against a PostgreSQL server with two standbys: node scripts/with-standbys.mjs COMMAND...
// The servers are started from the installed programs of PostgreSQL, and stopped afterwards; PG_CONFIG is the `pg_config` of
// the installation, default: the one in PATH. The command receives the URL of the primary in TEST_DATABASE_URL, and those of
// the standbys in TEST_REPLICA_DATABASE_URLS. Tests then read from the standbys.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildTests, compiled } from './build-tests.mjs';
import { root } from './modified.mjs';

const settings = {
  // Test processes run side by side, and keep the databases of their tests open.
  max_connections: '1000',
  // Without a lag, a read may see a write whose position was not recorded.
  recovery_min_apply_delay: '20ms',
};

const [command, ...args] = process.argv.slice(2);
if (command === undefined) {
  process.stderr.write('node scripts/with-standbys.mjs COMMAND...\n');
  process.exit(1);
}

// Ctrl-C interrupts the command as well. This process continues, to clean up.
process.on('SIGINT', () => {});
await import('./build.mjs');
buildTests();
const file = path.join(root, compiled('test/support/cluster/cluster.ts'));
const { startCluster } = await import(pathToFileURL(file));
const cluster = await startCluster({ standbys: 2, settings });
try {
  const env = {
    ...process.env,
    TEST_DATABASE_URL: cluster.primary.url,
    TEST_REPLICA_DATABASE_URLS: cluster.standbys.map(({ url }) => url).join(','),
  };
  const child = spawn(command, args, { env, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  await cluster.close();
}
