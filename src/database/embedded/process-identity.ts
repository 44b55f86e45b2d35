import { readFile } from 'node:fs/promises';

/**
 * Identifies a running process by its id and, on Linux, its start time and the boot of the system. Process ids are reused:
 * after the restart of a container, another process has the same id.
 *
 * @returns `undefined` when no such process is running
 */
export async function identifyProcess(pid: number): Promise<string | undefined> {
  if (!Number.isSafeInteger(pid) || pid <= 0 || !isRunning(pid)) return undefined;
  const [stat, boot] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined),
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => undefined),
  ]);
  if (stat === undefined || boot === undefined) return String(pid);
  // The second field is the name of the program in parentheses and may contain spaces; the start time is the 22nd.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has exited: its parent has not read its exit code yet.
  if (state === 'Z') return undefined;
  return `${pid} ${rest[18]} ${boot.trim()}`;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
