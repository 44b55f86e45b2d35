import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile, compiled } from './compile.mjs';
import { root } from './modified.mjs';
import { temporaryDirectory } from './temporary-directory.mjs';

/** The exports of a file of test/, which has been compiled. */
export function importTestFile(file) {
  return import(pathToFileURL(path.join(root, compiled(file))));
}

/**
 * Runs the command of the arguments with servers of test/support/cluster, which are stopped afterwards.
 *
 * @param {string} script name of the calling script
 * @param {string} starter file that exports the function that starts the servers
 * @param {(started: Record<string, Function>) => Promise<{ env: object, close: () => Promise<void> }>} start starts the servers
 *   with the exports of that file, and returns environment variables of the command
 */
export async function runWithServers(script, starter, start) {
  const [command, ...args] = process.argv.slice(2);
  if (command === undefined) {
    process.stderr.write(`node scripts/${script} COMMAND...\n`);
    process.exit(1);
  }
  // Ctrl-C interrupts the command as well. This process continues, to clean up.
  process.on('SIGINT', () => {});
  await import('./build.mjs');
  await compile('test');
  process.env.TMPDIR = temporaryDirectory();
  let servers;
  try {
    servers = await start(await importTestFile(starter));
    const child = spawn(command, args, { env: { ...process.env, ...servers.env }, stdio: 'inherit' });
    process.once('SIGTERM', () => child.kill());
    const [code] = await once(child, 'exit');
    process.exitCode = code ?? 1;
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  } finally {
    await servers?.close();
  }
}
