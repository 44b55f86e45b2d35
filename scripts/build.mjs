// Builds the parts of dist/ that are older than their sources: generated code first, then TypeScript, then the
// documents that the server publishes and an empty database.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { compile } from './compile.mjs';
import { isFresh, root } from './modified.mjs';

const documentSources = [
  'CHANGELOG.md',
  'dist/docs/v1.json',
  'openapi',
  'scripts/docs',
  'src/features/documentation',
  'src/platform',
  'package-lock.json',
];

run([path.join(root, 'scripts', 'generate.mjs')]);
await compile('src');
await compile('scripts/docs');
if (!isFresh('dist/docs/search.json', documentSources)) {
  run([path.join(root, 'dist', 'scripts', 'docs', 'write.js')]);
}
if (!isFresh('dist/embedded-template/PG_VERSION', ['prisma/migrations', 'package-lock.json'])) {
  run([path.join(root, 'scripts', 'embedded-template.mjs')]);
}

function run(args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
