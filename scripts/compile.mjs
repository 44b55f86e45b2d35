// Compiles the TypeScript files of folders: node scripts/compile.mjs FOLDER...
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesBelow, isFresh, root } from './modified.mjs';

/**
 * The programs of each folder. A program is one file with what it imports; the parts that programs share, or import later, are in
 * `chunks`. Loading 390 modules one by one takes a quarter of the time until the server responds.
 *
 * @type {Readonly<Record<string, string[]>>}
 */
const programs = { src: ['src/server.ts', 'src/cli/main.ts'] };

/**
 * Compiles the TypeScript files of a folder into dist/ if one of them is newer than the last output, and joins its programs. `npm
 * run typecheck` checks the types.
 *
 * @param {string} folder
 */
export async function compile(folder) {
  const stamp = path.join('dist', `${folder}.compiled`);
  if (isFresh(stamp, [folder, 'tsconfig.json', 'package-lock.json'])) return;
  const sources = filesBelow(folder).filter((file) => /\.tsx?$/.test(file));
  await build({ entryPoints: sources });
  deleteOthers(folder, new Set(sources.map(compiled)));
  await build({
    entryPoints: programs[folder] ?? [],
    bundle: true,
    splitting: true,
    chunkNames: `${folder}/chunks/[name]-[hash]`,
    packages: 'external',
  });
  writeFileSync(path.join(root, stamp), '');
}

/** @param {import('esbuild').BuildOptions} options */
async function build(options) {
  // Imported when it is needed: a production installation has no developer packages.
  const esbuild = await import('esbuild');
  await esbuild.build({
    absWorkingDir: root,
    outbase: '.',
    outdir: 'dist',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    tsconfig: 'tsconfig.json',
    logLevel: 'warning',
    ...options,
  });
}

/**
 * Path of the compiled form of a source.
 *
 * @param {string} file
 */
export function compiled(file) {
  return path.join('dist', file.replace(/\.tsx?$/, '.js'));
}

/**
 * Deletes the output of sources that no longer exist.
 *
 * @param {string} folder
 * @param {ReadonlySet<string>} outputs
 */
function deleteOthers(folder, outputs) {
  const directory = path.join('dist', folder);
  if (!existsSync(path.join(root, directory))) return;
  for (const output of filesBelow(directory)) {
    const isOutput = /\.js(\.map)?$/.test(output);
    if (isOutput && !outputs.has(output.replace(/\.map$/, ''))) rmSync(path.join(root, output));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const folder of process.argv.slice(2)) await compile(folder);
}
