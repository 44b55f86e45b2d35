import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseOpenError, describeError } from '../database-errors.js';
import { identifyProcess } from './process-identity.js';

/**
 * Locks a data directory for this process, and creates it if it is missing. The stale lock of a process that has exited is
 * replaced.
 *
 * @returns function that releases the lock
 * @throws {DatabaseOpenError} when a running process holds the lock or the directory cannot be written
 */
export async function lockDataDir(directory: string): Promise<() => Promise<void>> {
  const file = path.join(directory, 'pglite.lock');
  const owner = (await identifyProcess(process.pid)) ?? String(process.pid);
  const draft = `${file}.${process.pid}.${Date.now()}`;
  try {
    await mkdir(directory, { recursive: true });
    await writeFile(draft, owner, { flag: 'wx' });
    await takeLock(draft, file);
  } catch (error) {
    if (error instanceof DatabaseOpenError) throw error;
    throw new DatabaseOpenError(`DATA_DIR: ${describeError(error)}`, { cause: error });
  } finally {
    await rm(draft, { force: true }).catch(() => {});
  }
  return () => rm(file, { force: true });
}

async function takeLock(draft: string, file: string): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    try {
      // A link is atomic: the lock never exists without its content.
      return await link(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    await removeStaleLock(file, `${draft}.stale`);
  }
  throw new DatabaseOpenError(`DATA_DIR: other processes keep acquiring the lock ${file}`);
}

async function removeStaleLock(file: string, aside: string): Promise<void> {
  const holder = await readFile(file, 'utf8').catch(() => undefined);
  if (holder === undefined) return;
  const pid = Number.parseInt(holder, 10);
  if (holder === (await identifyProcess(pid))) {
    throw new DatabaseOpenError(
      `DATA_DIR: ${path.dirname(file)} is in use by process ${pid}; stop it, choose another DATA_DIR or set DATABASE_URL`,
    );
  }
  // Another process may replace the stale lock at the same time. If its new lock was moved aside, it is restored.
  await rename(file, aside).catch(() => undefined);
  const moved = await readFile(aside, 'utf8').catch(() => undefined);
  if (moved !== undefined && moved !== holder) await link(aside, file).catch(() => undefined);
  await rm(aside, { force: true });
}
