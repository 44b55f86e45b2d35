import path from 'node:path';
import ts from 'typescript';

const options: ts.CompilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  isolatedModules: true,
  skipLibCheck: true,
  types: [],
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
};

/**
 * Compiles programs, and everything that they import, all at once into the folder `out`.
 *
 * @returns the errors of the compiler, each with its file and line
 */
export function compile(workshop: string, files: readonly string[]): string[] {
  const program = ts.createProgram({
    rootNames: files.map((file) => path.join(workshop, file)),
    options: { ...options, rootDir: workshop, outDir: path.join(workshop, 'out') },
  });
  const errors = ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, ' ');
    if (file === undefined) return text;
    const { line } = file.getLineAndCharacterOfPosition(start ?? 0);
    return `${path.relative(workshop, file.fileName)}:${line + 1} ${text}`;
  });
  program.emit();
  return errors;
}
