import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../../src/package-root.js';

/** A disk on which a test lets the room run out, for the processes that are started with its environment. */
export interface SmallDisk {
  readonly environment: Record<string, string>;
  /** From now on files get larger by so many bytes, and no more. What they have can be read and written over. */
  fill(room?: number): Promise<void>;
  makeRoom(): Promise<void>;
}

export function createSmallDisk(directory: string): SmallDisk {
  // Has the number of bytes that there is room for; without the file there is room for all.
  const file = path.join(directory, 'room');
  const preload = path.join(packageRoot, 'test', 'support', 'faults', 'disk-preload.mjs');
  return {
    environment: { TEST_DISK_ROOM_FILE: file, NODE_OPTIONS: `--import=${pathToFileURL(preload)}` },
    fill: (room = 0) => writeFile(file, String(room)),
    makeRoom: () => rm(file, { force: true }),
  };
}
