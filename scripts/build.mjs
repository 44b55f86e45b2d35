// Builds the parts of dist/ that are older than their sources: generated code first, then TypeScript, then an empty database.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { compile } from './compile.mjs';
import { isFresh, root } from './modified.mjs';

run([path.join(root, 'scripts', 'generate.mjs')]);
await compile('src');
if (!isFresh('dist/embedded-template/PG_VERSION', ['prisma/migrations', 'package-lock.json'])) {
  run([path.join(root, 'scripts', 'embedded-template.mjs')]);
}

function run(args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
