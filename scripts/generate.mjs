// Generates types, lists of values and JSON from the contract, and the client from the Prisma schema, and copies the files of
// the console, if they are older than their sources.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { isFresh, root } from './modified.mjs';

const always = process.argv.includes('--force');

const steps = [
  {
    sources: ['openapi/v1.yaml', 'scripts/generate-types.mjs', 'package-lock.json'],
    output: 'src/platform/contract/generated.ts',
    command: ['node', 'scripts/generate-types.mjs'],
  },
  {
    sources: ['openapi/v1.yaml', 'scripts/generate-values.mjs'],
    output: 'src/platform/contract/generated-values.ts',
    command: ['node', 'scripts/generate-values.mjs'],
  },
  {
    sources: ['openapi/v1.yaml', 'scripts/generate-document.mjs'],
    output: 'dist/docs/v1.json',
    command: ['node', 'scripts/generate-document.mjs'],
  },
  {
    sources: ['prisma/schema.prisma', 'package-lock.json'],
    output: 'src/platform/database/generated/client.ts',
    command: ['prisma', 'generate'],
  },
  {
    sources: ['scripts/console', 'package-lock.json'],
    output: 'dist/docs/console/swagger-ui-bundle.js',
    command: ['node', 'scripts/console/build.mjs'],
  },
];

for (const { sources, output, command } of steps) {
  if (!always && isFresh(output, sources)) continue;
  const [tool, ...args] = command;
  const bin = tool === 'node' ? process.execPath : path.join(root, 'node_modules', '.bin', tool);
  const { status, stderr, stdout } = spawnSync(bin, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) {
    process.stderr.write(`${stdout}${stderr}`);
    process.exit(status ?? 1);
  }
}
