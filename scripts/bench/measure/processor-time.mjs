import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/**
 * @typedef {object} Watched
 * @property {number[]} servers Process ids of the servers.
 * @property {number | undefined} postmaster Of PostgreSQL, where it runs on this machine.
 * @property {string | undefined} database The one whose sessions count.
 */

/**
 * Seconds of processor time that the watched processes have used since they began.
 *
 * @param {Watched} watched
 * @returns {{ servers: number, sessions: Record<string, number>, others: Record<string, number>, shared: number }}
 *   all servers together, with their threads; PostgreSQL's sessions on the database, and on other databases, by
 *   process; and what PostgreSQL's processes use that serve all databases
 */
export function processTimes({ servers, postmaster, database }) {
  const times = { servers: 0, sessions: {}, others: {}, shared: 0 };
  for (const pid of servers) times.servers += processSeconds(pid) ?? 0;
  if (postmaster === undefined) return times;
  for (const pid of childrenOf(postmaster)) {
    const title = sessionTitle(pid);
    const seconds = processSeconds(pid);
    if (seconds === undefined) continue;
    // Sessions are titled with user, database, peer and state; the processes that serve all databases are not.
    if (!/\(\d+\)|\[local\]/.test(title)) times.shared += seconds;
    else if (title.includes(` ${database} `)) times.sessions[pid] = seconds;
    else times.others[pid] = seconds;
  }
  return times;
}

/** Seconds, in user and kernel mode, of all threads of a process; undefined when it is gone. */
export function processSeconds(pid) {
  const text = readProc(`${pid}/stat`);
  if (text === undefined) return undefined;
  // The name before it, in parentheses, may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Bytes of memory that are resident now. */
export function residentBytes(pid) {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readProc(`${pid}/status`) ?? '')?.[1];
  return kilobytes === undefined ? 0 : Number(kilobytes) * 1024;
}

/** Name and parent of a process. */
export function describeProcess(pid) {
  const text = readProc(`${pid}/stat`);
  if (text === undefined) return undefined;
  const end = text.lastIndexOf(')');
  return { name: text.slice(text.indexOf('(') + 1, end), parent: Number(text.slice(end + 2).split(' ')[1]) };
}

function childrenOf(pid) {
  return (readProc(`${pid}/task/${pid}/children`) ?? '').split(' ').filter(Boolean);
}

/** Title of a process, or of the session that it helps. */
function sessionTitle(pid) {
  const title = titleOf(pid);
  const helped = /parallel worker for PID (\d+)/.exec(title)?.[1];
  return helped === undefined ? title : titleOf(helped);
}

function titleOf(pid) {
  return (readProc(`${pid}/cmdline`) ?? '').replaceAll('\0', ' ');
}

function readProc(name) {
  try {
    return readFileSync(`/proc/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}
