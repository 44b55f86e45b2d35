import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/**
 * The directory for temporary files: in memory if /dev/shm exists and has enough space, because a database consists of
 * hundreds of small files.
 */
export function temporaryDirectory() {
  const shared = '/dev/shm';
  if (process.env.TMPDIR || !existsSync(shared)) return tmpdir();
  const { bavail, bsize } = statfsSync(shared);
  return bavail * bsize > 2 ** 31 ? shared : tmpdir();
}
