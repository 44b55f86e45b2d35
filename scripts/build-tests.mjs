import { spawnSync } from 'node:child_process';
import { readdirSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { isFresh, root } from './modified.mjs';

const info = 'dist/test.tsbuildinfo';

/** Files of a directory and its subdirectories, as paths relative to the directory of the package. */
export function filesBelow(directory) {
  return readdirSync(path.join(root, directory), { recursive: true })
    .map((name) => path.join(directory, name))
    .sort();
}

/** Path of the compiled form of a test or helper. */
export function compiled(file) {
  return path.join('dist', file.replace(/\.tsx?$/, '.js'));
}

/** Compiles test/ into dist/test if the output is older than its sources. `npm run typecheck` checks the types. */
export function buildTests() {
  if (isFresh(info, ['test', 'src', 'tsconfig.json', 'tsconfig.test.json', 'package-lock.json'])) return;
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '--project', 'tsconfig.test.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The tests do not compile.');
  // The compiler does not write the file when its output is unchanged.
  const now = new Date();
  utimesSync(path.join(root, info), now, now);
}
