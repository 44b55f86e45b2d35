// Runs tests, compiled and with one process for each folder: without arguments those of test/ except test/all, with `--all`
// those too, otherwise those in the given files and folders. `npx tap FILE` runs a file without this script. Other options are
// passed to tap and need `=` before their value. After a complete suite it lists the parts of the contract that no test
// covers, and fails if there are any. At the end it prints the time and processor time of each folder, and what was skipped.
// TEST_DATABASE_URL is a PostgreSQL server to use instead of the embedded database; `temporary` starts one from the installed
// programs for this run. Several runs can run side by side if the build was complete before.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { compile } from './compile.mjs';
import { installPackages } from './install.mjs';
import { filesBelow, root } from './modified.mjs';
import { temporaryDirectory } from './temporary-directory.mjs';
import { removeProcesses, writeProcesses } from './test-processes.mjs';
import { printTimes } from './test-times.mjs';
import { importTestFile } from './with-servers.mjs';

const named = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const all = process.argv.includes('--all');
const options = process.argv.slice(2).filter((argument) => argument.startsWith('-') && argument !== '--all');
const complete = named.length === 0 && options.every((option) => option.startsWith('--reporter'));

const files = filesBelow('test').filter((file) => /\.test\.tsx?$/.test(file));
const chosen = files.filter((file) =>
  named.length === 0 ? all || !isWithin(file, 'test/all') : named.some((name) => isWithin(file, name)),
);
if (chosen.length === 0) {
  process.stderr.write(`No tests found in ${named.join(', ')}\n`);
  process.exit(1);
}

if (!run([path.join('scripts', 'build.mjs')])) process.exit(1);
await compile('test');
installTestPackages();
const directory = mkdtempSync(path.join(temporaryDirectory(), 'people-api-tests-'));
// PostgreSQL does not run as root. Tests that start it as another user have directories in this one.
chmodSync(directory, 0o711);
process.env.TMPDIR = directory;
// The cache of compiled code of a dependency of tap is not written atomically. A process that starts while another one writes it
// can crash.
process.env.DISABLE_V8_COMPILE_CACHE = '1';
const runName = path.basename(directory);
const exchanges = path.join(directory, 'exchanges');
const times = path.join(directory, 'times');
// Ctrl-C also interrupts tap. This process continues, to stop the server and remove the directory.
process.on('SIGINT', () => {});
try {
  const { passed, covered } = await withServer(async () => {
    const tap = path.join('node_modules', 'tap', 'dist', 'esm', 'run.mjs');
    const programs = writeProcesses(chosen, runName);
    const passed = await runAndListFailures([tap, ...ownFiles(), ...options, ...programs], {
      CONTRACT_EXCHANGES: exchanges,
      TEST_TIMES: times,
    });
    const covered = !passed || !complete || run([path.join('scripts', 'contract-coverage.mjs'), exchanges]);
    return { passed, covered };
  });
  printTimes(times);
  process.exitCode = passed && covered ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  removeProcesses(runName);
  rmSync(directory, { recursive: true, force: true });
}

/**
 * Options that keep this run independent of others. When tap starts, it deletes the directory where each process of a run, also
 * the build of .taprc, stores a file when it exits. Here that directory is in the temporary directory of the run, and the build
 * is done.
 */
function ownFiles() {
  return ['--before=', `--test-env=_TAPJS_PROCESSINFO_CWD_=${directory}`];
}

/** Runs tests on the server of TEST_DATABASE_URL, which is started and stopped here if it is temporary. */
async function withServer(runTests) {
  if (process.env.TEST_DATABASE_URL !== 'temporary') return runTests();
  const { startTemporaryPostgresql } = await importTestFile('test/support/cluster/temporary-postgresql.ts');
  const server = await startTemporaryPostgresql();
  process.env.TEST_DATABASE_URL = server.url;
  try {
    return await runTests();
  } finally {
    // Before the times are printed, because processor time includes only processes that have ended.
    await server.close();
  }
}

/** Installs the packages of the folders that the chosen files are in, and links them where the compiled files look for them. */
function installTestPackages() {
  const manifests = filesBelow('test').filter((file) => path.basename(file) === 'package.json');
  for (const folder of manifests.map((file) => path.dirname(file))) {
    if (!chosen.some((file) => isWithin(file, folder))) continue;
    installPackages(folder);
    const link = path.join(root, 'dist', folder, 'node_modules');
    try {
      symlinkSync(path.relative(path.dirname(link), path.join(root, folder, 'node_modules')), link);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
}

/** Runs tap, and lists failures and the reasons of skipped tests again at the end of the output. */
async function runAndListFailures(args, environment) {
  const env = { ...process.env, ...environment };
  // On a terminal, tap shows both itself.
  const stdout = process.stdout.isTTY ? 'inherit' : 'pipe';
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['inherit', stdout, 'inherit'] });
  process.once('SIGTERM', () => child.kill());
  const closed = once(child, 'close');
  const failures = [];
  const skipped = new Map();
  // The reader of the output may close the pipe, as in `npm test | head`. The tests stop, and their files are deleted.
  process.stdout.on('error', () => {});
  for await (const line of child.stdout === null ? [] : createInterface({ input: child.stdout })) {
    process.stdout.write(`${line}\n`);
    if (/^ *not ok /.test(line)) failures.push(line);
    const [, reason] = /^ *ok .* # SKIP ?(.*)$/.exec(line) ?? [];
    if (reason !== undefined) skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  }
  const [status] = await closed;
  const reasons = [...skipped].map(([reason, count]) => `${reason || 'no reason'} (${count})`);
  if (reasons.length > 0) process.stdout.write(`\nSkipped: ${reasons.join('; ')}\n`);
  if (failures.length > 0) process.stdout.write(`\nFailed:\n${failures.join('\n')}\n`);
  return status === 0;
}

function isWithin(file, name) {
  const relative = path.relative(path.resolve(root, name), path.join(root, file));
  return relative === '' || !relative.startsWith('..');
}

function run(args) {
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status === 0;
}
