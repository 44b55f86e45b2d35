import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Directory of the package. */
export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/**
 * Time of the last change of a file, or of the files in a directory except installed packages, in milliseconds since the epoch;
 * 0 if it does not exist.
 *
 * @param {string} name
 * @returns {number}
 */
export function modified(name) {
  const stats = statSync(path.join(root, name), { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  // The time of a directory changes when a file in it is deleted.
  return Math.max(
    stats.mtimeMs,
    ...readdirSync(path.join(root, name))
      .filter((entry) => entry !== 'node_modules')
      .map((entry) => modified(path.join(name, entry))),
  );
}

/**
 * Whether an output is newer than all of its sources.
 *
 * @param {string} output
 * @param {readonly string[]} sources
 */
export function isFresh(output, sources) {
  return modified(output) > Math.max(...sources.map(modified));
}

/**
 * Files and directories below a directory, except installed packages, as paths relative to the directory of the package, or of
 * another checkout.
 *
 * @param {string} directory
 * @param {string} [checkout]
 * @returns {string[]}
 */
export function filesBelow(directory, checkout = root) {
  return readdirSync(path.join(checkout, directory), { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((entry) => {
      const name = path.join(directory, entry.name);
      return entry.isDirectory() ? [name, ...filesBelow(name, checkout)] : [name];
    })
    .sort();
}
