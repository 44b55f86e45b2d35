import { execFileSync } from 'node:child_process';
import { ask } from './world.mjs';

/**
 * Gives the callers, which are this process, a processor of their own, and the rest to the servers and their sessions in
 * PostgreSQL. Real callers do not take the processor away from the server that they call.
 *
 * @param {{ url: string, servers: number[] }} service servers: their process ids
 * @returns {Promise<{ text: string, restore: () => void }>} text: what was done, or why it was not
 */
export async function keepApart({ url, servers }) {
  const sessions = await ask(
    url,
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  const moved = [];
  let before = [];
  const move = (pid, processors) => {
    assign(pid, processors);
    moved.push(pid);
  };
  const restore = () => {
    for (const pid of moved.splice(0)) assignIfAlive(pid, before);
  };
  try {
    before = processorsOf(process.pid);
    const [own, ...others] = before;
    if (others.length === 0) return together('there is only one');
    move(process.pid, [own]);
    for (const pid of [...servers, ...sessions.map((session) => session.pid)]) move(pid, others);
    return {
      text: `callers have a processor of their own; the servers and ${sessions.length} sessions of PostgreSQL have ${others.length}`,
      restore,
    };
  } catch (error) {
    restore();
    return together(error.message.split('\n')[0]);
  }
}

function assignIfAlive(pid, processors) {
  try {
    assign(pid, processors);
  } catch {
    // It has ended meanwhile.
  }
}

function together(reason) {
  return { text: `callers share processors with the server and PostgreSQL: ${reason}`, restore() {} };
}

/** @returns {number[]} */
function processorsOf(pid) {
  const list = taskset('-c', '-p', String(pid)).split(': ').pop().trim();
  return list.split(',').flatMap((part) => {
    const [from, to = from] = part.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}

/** For all threads of a process. */
function assign(pid, processors) {
  taskset('-a', '-c', '-p', processors.join(','), String(pid));
}

function taskset(...args) {
  return execFileSync('taskset', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
