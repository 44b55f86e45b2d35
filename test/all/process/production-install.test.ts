import { spawnSync } from 'node:child_process';
import { copyFileSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../../src/platform/package-root.js';
import t from '../../support/tap.js';

interface LockedPackage {
  readonly peer?: boolean;
}

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const { devDependencies, ...production } = readJson(path.join(packageRoot, 'package.json'));

/** The directories that `npm run prune:dev` keeps. npm computes them in the steps of scripts/prune.mjs. */
function installed(directory: string): string[] {
  writeFileSync(path.join(directory, 'package.json'), JSON.stringify(production));
  copyFileSync(path.join(packageRoot, 'package-lock.json'), path.join(directory, 'package-lock.json'));
  const args = ['install', '--package-lock-only', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status, stderr } = spawnSync('npm', args, { cwd: directory, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const { packages } = readJson(path.join(directory, 'package-lock.json')) as Lock;
  return Object.entries(packages)
    .filter(([name, { peer }]) => name !== '' && peer !== true)
    .map(([name]) => name);
}

/** Disk usage of a directory without its nested packages, in bytes; 0 for a package of another platform. */
function sizeOf(directory: string): number {
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.blocks * 512;
  const names = readdirSync(directory).filter((name) => name !== 'node_modules');
  return names.reduce((sum, name) => sum + sizeOf(path.join(directory, name)), stats.blocks * 512);
}

const directories = installed(t.testdir());
const names = directories.map((directory) => directory.replace(/^.*node_modules\//, ''));

t.test('the production install has the dependencies of the server', async (t) => {
  for (const name of Object.keys(production.dependencies)) t.ok(names.includes(name), name);
  t.ok(names.includes('@node-rs/argon2-linux-x64-gnu'), 'the native binary of Argon2');
});

t.test('the production install has no development dependency', async (t) => {
  const unneeded = [
    /^prisma$/,
    /^@prisma\/(studio|dev|engines|config|fetch)/,
    /^(react|react-dom|effect|typescript)$/,
  ];
  for (const pattern of [...unneeded, /^@types\/react/, /^@radix-ui\//]) {
    t.same(
      names.filter((name) => pattern.test(name)),
      [],
      String(pattern),
    );
  }
  t.same(
    Object.keys(devDependencies).filter((name) => names.includes(name)),
    ['@types/node', '@types/pg', 'oauth4webapi'],
    'of the development dependencies these three are also needed by packages of the server',
  );
});

t.test('the production install takes at most 220 MB', async (t) => {
  const bytes = directories.reduce((sum, directory) => sum + sizeOf(path.join(packageRoot, directory)), 0);
  t.ok(bytes > 100 * 2 ** 20 && bytes <= 220 * 2 ** 20, `${Math.round(bytes / 2 ** 20)} MB`);
});

t.test('the image and the documented install remove the same packages', async (t) => {
  const read = (file: string) => readFileSync(path.join(packageRoot, file), 'utf8');
  t.match(read('Dockerfile'), /^RUN npm run prune:dev$/m);
  t.match(read('docs/deployment.md'), /^npm ci && npm run build && npm run prune:dev$/m);
  t.equal(readJson(path.join(packageRoot, 'package.json')).scripts['prune:dev'], 'node scripts/prune.mjs');
  for (const file of ['Dockerfile', 'docs/deployment.md']) t.notMatch(read(file), /npm prune/);
});
