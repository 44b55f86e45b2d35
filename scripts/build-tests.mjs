import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { modified, root } from './modified.mjs';

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

/**
 * Compiles what of test/ is newer than its output into dist/test, each file by itself: a test then starts without
 * a compiler. Types are the business of `npm run typecheck`.
 */
export async function buildTests() {
  const settings = Math.max(
    ...['tsconfig.json', 'package-lock.json', 'scripts/build-tests.mjs'].map(modified),
  );
  const stale = filesBelow('test')
    .filter((file) => /\.tsx?$/.test(file))
    .filter((file) => modified(compiled(file)) <= Math.max(modified(file), settings));
  if (stale.length === 0) return;

  // Loaded only here, because loading it takes longer than most of what it has to do.
  const { default: ts } = await import('typescript');
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  for (const file of stale) {
    const output = compiled(file);
    const { outputText, sourceMapText } = ts.transpileModule(readFileSync(path.join(root, file), 'utf8'), {
      fileName: path.basename(file),
      compilerOptions: {
        ...options,
        // With NodeNext the compiler would have to know package.json.
        module: ts.ModuleKind.ESNext,
        // Stack traces name the source, from wherever the output is.
        sourceRoot: `${path.relative(path.dirname(output), path.dirname(file))}/`,
      },
    });
    mkdirSync(path.join(root, path.dirname(output)), { recursive: true });
    writeFileSync(path.join(root, `${output}.map`), sourceMapText);
    writeFileSync(
      path.join(root, output),
      file === currentFile ? outputText : importCurrent(output, outputText),
    );
  }
}

const currentFile = path.join('test', 'support', 'current-file.ts');

/** Has a compiled file take `t` from the file that runs, where its source takes it from the process. */
function importCurrent(output, text) {
  const from = path.relative(path.dirname(output), compiled(currentFile));
  return text.replace(/ from 'tap';/, ` from './${from}';`);
}
