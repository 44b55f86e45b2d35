// Removes development dependencies from node_modules. `npm prune --omit=dev` does not remove those that are optional peers of
// a production dependency: the Prisma CLI with its studio, and TypeScript, 245 MB. Without `devDependencies` in package.json,
// npm treats them as optional peers only and omits them.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './modified.mjs';

const file = path.join(root, 'package.json');
const text = readFileSync(file, 'utf8');
const { devDependencies: _, ...production } = JSON.parse(text);
writeFileSync(file, JSON.stringify(production));
try {
  const options = ['--omit=peer', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', ['prune', ...options], { cwd: root, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  writeFileSync(file, text);
}
