import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts the process that makes the load. It takes one job at a time. */
export function startGenerator() {
  const child = fork(fileURLToPath(new URL('generator.mjs', import.meta.url)), {
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let settle = () => {};
  child.on('message', (answer) => settle(answer));
  child.on('exit', () => settle({ error: 'The process that makes the load has ended' }));
  return {
    /**
     * @param {object} job see `generator.mjs`
     * @returns {Promise<object>} what the generator saw
     */
    async run(job) {
      const answered = new Promise((resolve) => {
        settle = resolve;
      });
      child.send(job);
      const { result, error } = await answered;
      if (error !== undefined) throw new Error(error);
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
