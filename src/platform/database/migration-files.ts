import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from '../package-root.js';

/** Directory of the migrations, for the sources and for the build. */
export const migrationsDirectory = path.join(packageRoot, 'prisma', 'migrations');

/** A migration of the code. */
export interface MigrationFile {
  readonly name: string;
  readonly script: string;
}

/** Reads the migrations of a directory in the order in which they are applied. */
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

/** Whether a recorded checksum belongs to a script. As in Prisma, line endings do not matter. */
export function matchesChecksum(script: string, checksum: string): boolean {
  const unix = script.replaceAll('\r\n', '\n');
  return [script, unix, unix.replaceAll('\n', '\r\n')].some((text) => checksumOf(text) === checksum);
}
