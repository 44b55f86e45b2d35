import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import root, { type Test } from 'tap';
import { packageRoot } from '../../src/platform/package-root.js';

// Tests import this module instead of tap, because `npm test` runs the files of a folder in one process. A process takes 3.4
// seconds of CPU time (measured) until its first application is built: it loads the modules, starts PostgreSQL in
// WebAssembly and compiles the contract.

/** Maximum time of a test file, several times as long as the longest one takes on a busy machine: only a file that hangs reaches it. */
const fileTimeoutMs = 3_600_000;

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
  const measure = await createMeasure();
  for (const { title, file } of files) {
    await root.test(title, { timeout: fileTimeoutMs }, async (own) => {
      t = own;
      own.teardown(() => measure(title, own.counts.pass));
      await import(pathToFileURL(file).href);
    });
  }
}

/** Directory in which each process of a test run stores the time of its files, for scripts/test-times.mjs. */
const times = process.env.TEST_TIMES;

async function createMeasure(): Promise<(title: string, assertions: number) => void> {
  if (times === undefined) return () => {};
  const { processorSeconds } = await import(path.join(packageRoot, 'scripts', 'test-times.mjs'));
  mkdirSync(times, { recursive: true });
  let last = { seconds: 0, processorSeconds: 0 };
  return (title, assertions) => {
    const now = { seconds: process.uptime(), processorSeconds: processorSeconds() };
    const line = {
      title,
      assertions,
      seconds: now.seconds - last.seconds,
      processorSeconds: now.processorSeconds - last.processorSeconds,
    };
    appendFileSync(path.join(times, `${process.pid}.jsonl`), `${JSON.stringify(line)}\n`);
    last = now;
  };
}
