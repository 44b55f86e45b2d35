import path from 'node:path';
import { baseUrl, packageRoot } from '../../bench/root.mjs';
import { appSecret } from '../../bench/subjects/ours.mjs';
import { startSubject } from '../../bench/subjects/subject.mjs';

/**
 * Starts the built server in a process of its own, as it is deployed. No application is limited in how often it calls,
 * because the trials call as often as they can.
 *
 * @param {string} databaseUrl
 * @param {Record<string, string>} [environment] that differs from it
 * @param {string[]} [nodeOptions]
 * @param {string} [root] the checkout whose build is started; this one by default
 */
export async function startServer(databaseUrl, environment = {}, nodeOptions = [], root = packageRoot) {
  const subject = await startSubject({
    file: path.join(root, 'dist', 'src', 'server.js'),
    cwd: root,
    nodeOptions,
    environment: {
      DATABASE_URL: databaseUrl,
      APP_SECRET: appSecret,
      BASE_URL: baseUrl,
      ALLOW_HTTP: 'true',
      RATE_LIMIT_API: '0',
      MAX_REPORTS_PER_ACCOUNT: '0',
      RATE_LIMIT_TOKEN: '0',
      RATE_LIMIT_FAILURES: '0',
      LOG_LEVEL: 'warn',
      ...environment,
    },
  });
  const {
    ports: [port],
    pids: [pid],
  } = subject;
  return {
    port,
    pid,
    stop: subject.stop,
    ask: subject.ask,
    /** Whether the process is still there. */
    alive() {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    },
    async kill() {
      process.kill(pid, 'SIGKILL');
      await subject.stop();
    },
  };
}
