import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compiled } from './compile.mjs';
import { root } from './modified.mjs';

/**
 * Folders of test/ whose files share a process (test/support/tap.ts has the reason), in start order: those that take longest
 * start first, which shortens the run. A file belongs to the folder or file with the longest matching path.
 */
const processes = [
  ['all/faults/concurrent-writers.test.ts'],
  ['all/faults'],
  ['all/clients'],
  ['all/contract'],
  ['all/browser'],
  ['all'],
  ['imports', 'oauth-clients', 'second-factors', 'sign-in', 'single-sign-on', 'users'],
  ['employees', 'events', 'mcp', 'reports', 'webhooks'],
  ['platform'],
  ['oauth', 'installations'],
  [''],
];

/**
 * Writes a program for each folder of these test files.
 *
 * @param {readonly string[]} files
 * @param {string} run identifies the run of tests: runs side by side have their own programs, after which tap names its files
 * @returns {string[]} the programs, sorted by name
 */
export function writeProcesses(files, run) {
  const directory = directoryOf(run);
  mkdirSync(path.join(root, directory), { recursive: true });
  const members = new Map(processes.map((folders) => [folders, []]));
  for (const file of files) members.get(processOf(file)).push(file);
  return [...members]
    .filter(([, members]) => members.length > 0)
    .map(([[name], members], index) => {
      const number = String(index + 1).padStart(2, '0');
      const program = path.join(directory, `${number}-${name.replaceAll('/', '-') || 'rest'}.js`);
      const list = members.map((file) => ({ title: file, file: path.join(root, compiled(file)) }));
      writeFileSync(
        path.join(root, program),
        `import { runFiles } from '../../support/tap.js';\n\nawait runFiles(${JSON.stringify(list, null, 2)});\n`,
      );
      return program;
    });
}

/** Deletes the programs of a run, and the output that tap stored of them. */
export function removeProcesses(run) {
  for (const directory of [directoryOf(run), path.join('.tap', 'test-results', directoryOf(run))]) {
    rmSync(path.join(root, directory), { recursive: true, force: true });
  }
}

function directoryOf(run) {
  return path.join('dist', 'test', 'processes', run);
}

function processOf(file) {
  const name = path.relative('test', file);
  const folder = processes
    .flat()
    .filter((prefix) => prefix === '' || name === prefix || name.startsWith(`${prefix}${path.sep}`))
    .reduce((longest, prefix) => (prefix.length > longest.length ? prefix : longest));
  return processes.find((folders) => folders.includes(folder));
}
