// Builds dist/: generated code first, then TypeScript, which compiles only what changed since the last build.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const scripts = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(scripts);

run([path.join(scripts, 'generate.mjs')]);
run([path.join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '--project', 'tsconfig.build.json']);

function run(args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
