import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { CommandResult } from '../processes/command.js';
import { withoutTap } from '../processes/plain-process.js';

/**
 * A process that runs samples of a language, one after the other and with the same variables: a process for each sample takes
 * many times as long. The programs are in `hosts`.
 */
export class Host {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #codes: AsyncIterator<string>;
  readonly #folder: string;
  /** What the process itself writes to its standard error. */
  #stderr = '';

  constructor(
    [program, ...args]: readonly [program: string, ...args: string[]],
    { folder, variables }: { folder: string; variables: Readonly<Record<string, string>> },
  ) {
    this.#folder = folder;
    this.#child = spawn(...withoutTap(program, args), { env: { ...process.env, ...variables } });
    this.#child.stderr.setEncoding('utf8').on('data', (text) => (this.#stderr += text));
    this.#codes = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Runs a sample to its end. */
  async run(name: string): Promise<CommandResult> {
    this.#child.stdin.write(`${name}\n`);
    const { value, done } = await this.#codes.next();
    if (done) throw new Error(`The process of the samples ended: ${this.#stderr}`);
    const [stdout, stderr] = await Promise.all(
      ['stdout', 'stderr'].map((stream) => readFile(path.join(this.#folder, name, stream), 'utf8')),
    );
    return { code: Number(value), stdout: stdout ?? '', stderr: `${stderr}${this.#stderr}` };
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const closed = once(this.#child, 'close');
    this.#child.stdin.end();
    await closed;
  }
}
