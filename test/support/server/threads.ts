import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Test } from 'tap';

/** Lets all threads of the thread pool of Node.js wait while the work runs. */
export async function withoutThreads(t: Test, work: () => Promise<void>): Promise<void> {
  const pipe = path.join(t.testdir(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  // A thread waits until something else opens the pipe. The thread pool has four.
  const opened = Array.from({ length: 4 }, () => fs.promises.open(pipe, 'r'));
  try {
    await work();
  } finally {
    // Does not need a thread.
    fs.closeSync(fs.openSync(pipe, 'w'));
    for (const file of await Promise.all(opened)) await file.close();
  }
}
