// Builds the parts of dist/ that are older than their sources: generated code first, then TypeScript, then an empty database.
import { spawnSync } from 'node:child_process';
import { utimesSync } from 'node:fs';
import path from 'node:path';
import { isFresh, root } from './modified.mjs';

const info = 'dist/build.tsbuildinfo';

run([path.join(root, 'scripts', 'generate.mjs')]);
if (!isFresh(info, ['src', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'])) {
  run([path.join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '--project', 'tsconfig.build.json']);
  // The compiler does not write the file when its output is unchanged.
  const now = new Date();
  utimesSync(path.join(root, info), now, now);
}
if (!isFresh('dist/embedded-template/PG_VERSION', ['prisma/migrations', 'package-lock.json'])) {
  run([path.join(root, 'scripts', 'embedded-template.mjs')]);
}

function run(args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
