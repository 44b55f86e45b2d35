import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../../src/platform/package-root.js';

/** A disk whose free space a test controls, for the processes that are started with its environment. */
export interface SmallDisk {
  readonly environment: Record<string, string>;
  /** From now on, files can grow by this number of bytes in total. Existing bytes can be read and overwritten. */
  fill(room?: number): Promise<void>;
  makeRoom(): Promise<void>;
}

export function createSmallDisk(directory: string): SmallDisk {
  // Contains the number of free bytes. Without the file, space is not limited.
  const file = path.join(directory, 'room');
  const preload = path.join(packageRoot, 'test', 'support', 'faults', 'disk-preload.mjs');
  return {
    environment: { TEST_DISK_ROOM_FILE: file, NODE_OPTIONS: `--import=${pathToFileURL(preload)}` },
    fill: (room = 0) => writeFile(file, String(room)),
    makeRoom: () => rm(file, { force: true }),
  };
}
