import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from '../package-root.js';

/** Where the migrations of this version of the code are, both in the sources and in the build. */
export const migrationsDirectory = path.join(packageRoot, 'prisma', 'migrations');

/** One migration as the code has it. */
export interface MigrationFile {
  readonly name: string;
  readonly script: string;
}

/** Reads every migration of a directory, in the order in which they are applied. */
export async function readMigrations(directory: string): Promise<MigrationFile[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => ({
      name,
      script: await readFile(path.join(directory, name, 'migration.sql'), 'utf8'),
    })),
  );
}

/** Checksum of a script as Prisma records it. */
export function checksumOf(script: string): string {
  return createHash('sha256').update(script).digest('hex');
}

/** Tells whether a recorded checksum is the script's. As with Prisma, the style of line ends does not count. */
export function matchesChecksum(script: string, checksum: string): boolean {
  const unix = script.replaceAll('\r\n', '\n');
  return [script, unix, unix.replaceAll('\n', '\r\n')].some((text) => checksumOf(text) === checksum);
}
