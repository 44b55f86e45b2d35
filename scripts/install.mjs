// Installs the packages of folders that have a package.json of their own, such as test/all, if they are missing or older than
// the lock file. What only one task needs is not in the package.json of the project.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isFresh, root } from './modified.mjs';

/** @param {string} folder relative to the directory of the project */
export function installPackages(folder) {
  const lock = path.join(folder, 'package-lock.json');
  if (isFresh(path.join(folder, 'node_modules', '.package-lock.json'), [lock])) return;
  process.stderr.write(`Installing the packages of ${folder}\n`);
  const args = ['ci', '--prefix', path.join(root, folder), '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stdout}${stderr}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const folder of process.argv.slice(2)) installPackages(folder);
}
