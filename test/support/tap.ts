import { pathToFileURL } from 'node:url';
import root, { type Test } from 'tap';

// Tests import this module instead of tap, because `npm test` runs the files of a folder in one process. A process takes 3.4
// seconds of CPU time (measured) until its first application is built: it loads the modules, starts PostgreSQL in
// WebAssembly and compiles the contract. For 177 files this is 10 minutes of CPU time, or 5 minutes on two cores.

/** Maximum time of a test file. A file that hangs blocks the files after it. */
const fileTimeoutMs = 180_000;

let t: Test = root;

/**
 * `root` is tap's root test, which ends with the process. The default export is the parent of the tests of a file, whose
 * teardown closes the resources that they open: the root test or, if several files share a process, a test for each file.
 */
export { root, type Test, t as default };

export interface TestFile {
  /** Path of the source, for the report. */
  readonly title: string;
  /** Path of the compiled file. */
  readonly file: string;
}

/** Runs test files one after the other in this process. */
export async function runFiles(files: readonly TestFile[]): Promise<void> {
  root.setTimeout(files.length * fileTimeoutMs);
  for (const { title, file } of files) {
    await root.test(title, { timeout: fileTimeoutMs }, async (own) => {
      t = own;
      await import(pathToFileURL(file).href);
    });
  }
}
