// Installs the packages of the lab into this folder and generates the Prisma client of a baseline, if either is missing or
// older than its source.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages } from '../install.mjs';

const labRoot = path.dirname(fileURLToPath(import.meta.url));
const packageRoot = path.dirname(path.dirname(labRoot));

installPackages(path.join('scripts', 'lab'));
if (isOlder('bench/baselines/express/generated/client.ts', 'bench/baselines/express/schema.prisma')) {
  const schema = path.join(labRoot, 'bench/baselines/express/schema.prisma');
  run(path.join(packageRoot, 'node_modules/.bin/prisma'), ['generate', '--schema', schema]);
}

/** @param {string} output @param {string} source */
function isOlder(output, source) {
  const written = statSync(path.join(labRoot, output), { throwIfNoEntry: false });
  return written === undefined || written.mtimeMs < statSync(path.join(labRoot, source)).mtimeMs;
}

/** @param {string} command @param {string[]} args */
function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: packageRoot, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
}
