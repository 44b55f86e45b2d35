import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { typescriptOptions } from '../paths.js';
import type { Job, JobResult, JobSettings } from './load.js';

/** Runs jobs in the process that generates the load, one at a time. */
export interface Generator {
  run(job: Job & JobSettings): Promise<JobResult>;
  stop(): Promise<void>;
}

export function startGenerator(): Generator {
  const child = fork(fileURLToPath(new URL('generator-process.ts', import.meta.url)), {
    serialization: 'advanced',
    execArgv: typescriptOptions,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let settle = (_reply: { result?: JobResult; error?: string }) => {};
  child.on('message', (reply: object) => settle(reply));
  child.on('exit', () => settle({ error: 'The load process has exited' }));
  return {
    async run(job) {
      const replied = new Promise<{ result?: JobResult; error?: string }>((resolve) => {
        settle = resolve;
      });
      child.send(job);
      const { result, error } = await replied;
      if (result === undefined) throw new Error(error);
      return result;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}
