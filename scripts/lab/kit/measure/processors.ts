import { execFileSync } from 'node:child_process';
import { query } from '../database/postgresql.js';

/**
 * Assigns one processor to the clients, which are this process, and the others to the servers and their sessions in
 * PostgreSQL. Real clients do not take processor time from the server that they call.
 *
 * @param service servers: their process ids
 * @returns text: what was done, or why it was not
 */
export async function separateProcessors({
  url,
  servers,
}: {
  url: string;
  servers: readonly number[];
}): Promise<{ text: string; restore: () => void }> {
  const sessions = await query(
    url,
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  const assigned: number[] = [];
  let before: number[] = [];
  const assign = (pid: number, processors: readonly number[]) => {
    taskset('-a', '-c', '-p', processors.join(','), String(pid));
    assigned.push(pid);
  };
  const restore = () => {
    for (const pid of assigned.splice(0)) restoreIfAlive(pid, before);
  };
  try {
    before = processorsOf(process.pid);
    const [own, ...others] = before;
    if (others.length === 0) return shared('there is only one');
    assign(process.pid, [own]);
    for (const pid of [...servers, ...sessions.map((session) => session.pid)]) assign(pid, others);
    return {
      text: `clients have a processor of their own; the servers and ${sessions.length} sessions of PostgreSQL have ${others.length}`,
      restore,
    };
  } catch (error) {
    restore();
    return shared((error as Error).message.split('\n')[0]);
  }
}

function restoreIfAlive(pid: number, processors: readonly number[]): void {
  try {
    taskset('-a', '-c', '-p', processors.join(','), String(pid));
  } catch {
    // The process has exited.
  }
}

function shared(reason: string) {
  return { text: `clients share processors with the server and PostgreSQL: ${reason}`, restore() {} };
}

function processorsOf(pid: number): number[] {
  const list = taskset('-c', '-p', String(pid)).split(': ').pop() ?? '';
  return list
    .trim()
    .split(',')
    .flatMap((part) => {
      const [from, to = from] = part.split('-').map(Number);
      return Array.from({ length: to - from + 1 }, (_, index) => from + index);
    });
}

/** Reads or sets the processors of all threads of a process. */
function taskset(...args: string[]): string {
  return execFileSync('taskset', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
