import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { query } from '../database/postgresql.js';

/**
 * Assigns one processor to the clients, which are this process, and the others to the servers and their sessions in
 * PostgreSQL. Real clients do not take processor time from the server that they call.
 *
 * @param service servers: their process ids
 * @returns text: the outcome, or the reason why processors were not assigned; restore: assigns all processors to this
 *   process
 */
export async function separateProcessors({ url, servers }: { url: string; servers: readonly number[] }) {
  const sessions = await query(
    url,
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  const last = os.cpus().length - 1;
  const restore = () => assign(process.pid, `0-${last}`);
  try {
    if (last === 0) throw new Error('there is only one');
    for (const pid of [...servers, ...sessions.map((session) => session.pid)]) assign(pid, `1-${last}`);
    assign(process.pid, '0');
    const text = `clients have a processor of their own; the servers and ${sessions.length} sessions of PostgreSQL have ${last}`;
    return { text, restore };
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    return { text: `clients share processors with the server and PostgreSQL: ${reason}`, restore() {} };
  }
}

/** Sets the processors of all threads of a process. */
function assign(pid: number, processors: string): void {
  execFileSync('taskset', ['-a', '-c', '-p', processors, String(pid)], { stdio: ['ignore', 'pipe', 'pipe'] });
}
