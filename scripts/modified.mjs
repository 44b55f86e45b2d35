import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package's directory. */
export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** When a file of the package was last written, or anything in a directory; 0 where there is none. */
export function modified(name) {
  const stats = statSync(path.join(root, name), { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  // A directory is written when a file in it is removed.
  return Math.max(
    stats.mtimeMs,
    ...readdirSync(path.join(root, name)).map((entry) => modified(path.join(name, entry))),
  );
}

/** Whether an output was written after everything that it is made from. */
export function isFresh(output, sources) {
  return modified(output) > Math.max(...sources.map(modified));
}
