import { pathToFileURL } from 'node:url';
import root, { type Test } from 'tap';

/** How long the tests of one file may take. A file that hangs swallows the results of those after it. */
const fileTimeoutMs = 180_000;

let t: Test = root;
let test: Test['test'] = root.test.bind(root);

/**
 * What compiled test files import instead of `tap`: the test that their own tests are part of. It changes from file to
 * file, so that several of them share a process and what each has opened is closed at its end.
 */
export { t as default, test };

export interface TestFile {
  /** Where its source is, for the report. */
  readonly title: string;
  /** Where its compiled form is. */
  readonly file: string;
}

/**
 * Runs test files one after the other in this process. Starting a process, and an application in it for the first time,
 * takes longer than the tests of most files.
 */
export async function runFiles(files: readonly TestFile[]): Promise<void> {
  root.setTimeout(files.length * fileTimeoutMs);
  for (const { title, file } of files) {
    await root.test(title, { timeout: fileTimeoutMs }, async (own) => {
      t = own;
      test = own.test.bind(own) as Test['test'];
      await import(pathToFileURL(file).href);
    });
  }
}
