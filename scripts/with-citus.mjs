// Runs a command against a Citus coordinator with two workers: node scripts/with-citus.mjs COMMAND...
// The servers are started from the installed programs of PostgreSQL, with the extension citus, and stopped afterwards.
// PG_CONFIG is the `pg_config` of the installation; default: the one in PATH. The command receives the URL of the coordinator
// in TEST_DATABASE_URL, and those of the workers in TEST_CITUS_WORKERS. Tests then use distributed databases.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildTests, compiled } from './build-tests.mjs';
import { root } from './modified.mjs';

const [command, ...args] = process.argv.slice(2);
if (command === undefined) {
  process.stderr.write('node scripts/with-citus.mjs COMMAND...\n');
  process.exit(1);
}

// Ctrl-C interrupts the command as well. This process continues, to clean up.
process.on('SIGINT', () => {});
await import('./build.mjs');
buildTests();
const file = path.join(root, compiled('test/support/cluster/citus.ts'));
const { startCitus } = await import(pathToFileURL(file));
const { coordinator, workers, close } = await startCitus();
try {
  const env = {
    ...process.env,
    TEST_DATABASE_URL: coordinator.url,
    TEST_CITUS_WORKERS: workers.map(({ url }) => url).join(','),
  };
  const child = spawn(command, args, { env, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  await close();
}
