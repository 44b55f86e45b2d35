import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { benchRoot, packageRoot } from './root.mjs';

/** Installs what our server is measured against, and generates the peers' code, where that was not done yet. */
export function preparePeers() {
  if (isOlder('node_modules/.package-lock.json', 'package-lock.json')) {
    run('npm', ['ci', '--prefix', benchRoot, '--no-audit', '--no-fund']);
  }
  if (isOlder('generated/express/index.js', 'peers/express/schema.prisma')) {
    const prisma = path.join(packageRoot, 'node_modules', '.bin', 'prisma');
    run(prisma, ['generate', '--schema', path.join(benchRoot, 'peers', 'express', 'schema.prisma')]);
  }
}

function isOlder(output, source) {
  const made = statSync(path.join(benchRoot, output), { throwIfNoEntry: false });
  return made === undefined || made.mtimeMs < statSync(path.join(benchRoot, source)).mtimeMs;
}

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: packageRoot, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
}
