import { spawn, spawnSync } from 'node:child_process';
import { withoutTap } from './plain-process.js';

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program until it exits. */
export function run(
  program: string,
  args: readonly string[],
  { cwd, env = process.env }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(...withoutTap(program, args), { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...output }));
  });
}

/**
 * Why tests that need this program are skipped; `false` if they run. In CI they run, or fail.
 *
 * @param args arguments with which the program succeeds if it has the features that the tests need
 */
export function skipWithout(program: string, args: readonly string[] = ['--version']): string | false {
  const found = spawnSync(program, args, { stdio: 'ignore' }).status === 0;
  return found || process.env.CI === 'true' ? false : `${[program, ...args].join(' ')} fails on this machine`;
}
