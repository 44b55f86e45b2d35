import { spawnSync } from 'node:child_process';
import { readdirSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { isFresh, root } from './modified.mjs';

const info = 'dist/test.tsbuildinfo';

/** Files of a directory and everything below it, as paths from the package's directory. */
export function filesBelow(directory) {
  return readdirSync(path.join(root, directory), { recursive: true })
    .map((name) => path.join(directory, name))
    .sort();
}

/** Where the compiled form of a test or helper is. */
export function compiled(file) {
  return path.join('dist', file.replace(/\.tsx?$/, '.js'));
}

/** Compiles test/ into dist/test where it is older. `npm run typecheck` checks the types. */
export function buildTests() {
  if (isFresh(info, ['test', 'src', 'tsconfig.json', 'tsconfig.test.json', 'package-lock.json'])) return;
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '--project', 'tsconfig.test.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The tests do not compile.');
  // The compiler leaves the file alone when nothing of its output changed.
  const now = new Date();
  utimesSync(path.join(root, info), now, now);
}
