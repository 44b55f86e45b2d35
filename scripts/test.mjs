// Runs tests, compiled and with one process for each folder: without arguments those of test/ except test/all, with `--all`
// those too, otherwise those in the given files and folders. `npx tap FILE` runs a file without this script. Other options are
// passed to tap and need `=` before their value. After a complete suite it lists the parts of the contract that no test
// covers, and fails if there are any. At the end it prints the time and processor time of each folder, and what was skipped.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { compile } from './compile.mjs';
import { installPackages } from './install.mjs';
import { filesBelow, root } from './modified.mjs';
import { writeProcesses } from './test-processes.mjs';
import { printTimes } from './test-times.mjs';

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
const exchanges = path.join(directory, 'exchanges');
const times = path.join(directory, 'times');
// Ctrl-C also interrupts tap. This process continues, to remove the directory.
process.on('SIGINT', () => {});
try {
  const tap = path.join('node_modules', 'tap', 'dist', 'esm', 'run.mjs');
  const passed = await runAndListFailures([tap, ...options, ...writeProcesses(chosen)], {
    TMPDIR: directory,
    CONTRACT_EXCHANGES: exchanges,
    TEST_TIMES: times,
  });
  const covered = !passed || !complete || run([path.join('scripts', 'contract-coverage.mjs'), exchanges]);
  printTimes(times);
  process.exitCode = passed && covered ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** Installs the packages of the folders that the chosen files are in, and links them where the compiled files look for them. */
function installTestPackages() {
  const manifests = filesBelow('test').filter((file) => path.basename(file) === 'package.json');
  for (const folder of manifests.map((file) => path.dirname(file))) {
    if (!chosen.some((file) => isWithin(file, folder))) continue;
    installPackages(folder);
    const link = path.join(root, 'dist', folder, 'node_modules');
    if (!existsSync(link))
      symlinkSync(path.relative(path.dirname(link), path.join(root, folder, 'node_modules')), link);
  }
}

/**
 * The directory for temporary files: in memory if /dev/shm exists and has enough space, because an embedded database
 * consists of hundreds of small files.
 */
function temporaryDirectory() {
  const shared = '/dev/shm';
  if (process.env.TMPDIR || !existsSync(shared)) return tmpdir();
  const { bavail, bsize } = statfsSync(shared);
  return bavail * bsize > 2 ** 31 ? shared : tmpdir();
}

/** Runs tap, and lists failures and the reasons of skipped tests again at the end of the output. */
async function runAndListFailures(args, environment) {
  // On a terminal, tap shows both itself.
  if (process.stdout.isTTY) return run(args, environment);
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['inherit', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const failures = [];
  const skipped = new Map();
  // The reader of the output may close the pipe, as in `npm test | head`. The tests stop, and their files are deleted.
  process.stdout.on('error', () => {});
  for await (const line of createInterface({ input: child.stdout })) {
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

function run(args, environment = {}) {
  const env = { ...process.env, ...environment };
  return spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).status === 0;
}
