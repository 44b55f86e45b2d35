import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Processes whose processor time is measured. */
export interface Watched {
  readonly servers: readonly number[];
  /** First process of PostgreSQL, if it runs on this machine. */
  readonly postmaster?: number;
  /** The database whose sessions are measured. */
  readonly database?: string;
}

/** Seconds of processor time that processes have used since they started. */
export interface ProcessTimes {
  /** All servers together, with their threads. */
  readonly servers: number;
  /** Sessions of PostgreSQL on the database, by process. */
  readonly sessions: Readonly<Record<number, number>>;
  /** Sessions on other databases. */
  readonly others: Readonly<Record<number, number>>;
  /** Processes of PostgreSQL that serve all databases, some of which end between two measurements. */
  readonly shared: Readonly<Record<number, number>>;
}

export function processTimes({ servers, postmaster, database }: Watched): ProcessTimes {
  const times = {
    servers: servers.reduce((sum, pid) => sum + (processSeconds(pid) ?? 0), 0),
    sessions: {} as Record<number, number>,
    others: {} as Record<number, number>,
    shared: {} as Record<number, number>,
  };
  if (postmaster === undefined) return times;
  for (const pid of childrenOf(postmaster)) {
    const title = sessionTitle(pid);
    const seconds = processSeconds(pid);
    if (seconds === undefined) continue;
    // The title of a session has user, database, client address and state.
    if (!/\(\d+\)|\[local\]/.test(title)) times.shared[pid] = seconds;
    else if (title.includes(` ${database} `)) times.sessions[pid] = seconds;
    else times.others[pid] = seconds;
  }
  return times;
}

/**
 * Processor time of PostgreSQL for the database: that of its sessions, and a part of the time of the processes that serve
 * all databases (they write the log and the pages). The part is the share of these sessions in the time of all sessions.
 */
export function databaseSeconds(begin: ProcessTimes, end: ProcessTimes): number {
  const sessions = used(begin.sessions, end.sessions);
  const others = used(begin.others, end.others);
  const share = sessions + others === 0 ? 0 : sessions / (sessions + others);
  return sessions + share * used(begin.shared, end.shared);
}

function used(before: ProcessTimes['sessions'], after: ProcessTimes['sessions']): number {
  return Object.entries(after).reduce((sum, [pid, seconds]) => sum + seconds - (before[Number(pid)] ?? 0), 0);
}

/** Seconds, in user and kernel mode, of all threads of a process; `undefined` when it has exited. */
function processSeconds(pid: number): number | undefined {
  const text = readProc(`${pid}/stat`);
  if (text === undefined) return undefined;
  // The name before it, in parentheses, may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Resident bytes of some processes together. */
export function residentBytes(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readProc(`${pid}/status`) ?? '')?.[1];
    return sum + Number(kilobytes ?? 0) * 1024;
  }, 0);
}

/** Name and parent of a process. */
export function describeProcess(pid: number): { name: string; parent: number } | undefined {
  const text = readProc(`${pid}/stat`);
  if (text === undefined) return undefined;
  const end = text.lastIndexOf(')');
  return { name: text.slice(text.indexOf('(') + 1, end), parent: Number(text.slice(end + 2).split(' ')[1]) };
}

function childrenOf(pid: number): number[] {
  const text = readProc(`${pid}/task/${pid}/children`) ?? '';
  return text.split(' ').filter(Boolean).map(Number);
}

/** Title of a session; a parallel worker has that of its leader. */
function sessionTitle(pid: number): string {
  const title = titleOf(pid);
  const leader = /parallel worker for PID (\d+)/.exec(title)?.[1];
  return leader === undefined ? title : titleOf(Number(leader));
}

function titleOf(pid: number): string {
  return (readProc(`${pid}/cmdline`) ?? '').replaceAll('\0', ' ');
}

function readProc(name: string): string | undefined {
  try {
    return readFileSync(`/proc/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}
