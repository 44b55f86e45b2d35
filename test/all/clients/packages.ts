import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';
import { packageRoot } from '../../../src/platform/package-root.js';

/** Where packages are installed: those of the generators, then those of the project. */
const installations = ['test/all/clients', '.'].map((folder) =>
  path.join(packageRoot, folder, 'node_modules'),
);

/** The relevant properties of an installed package. */
interface InstalledPackage {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
}

/** Creates an empty folder outside the project. It is deleted when the test ends. */
export async function makeFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'people-api-clients-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The folder of an installed package. */
function folderOf(name: string): string {
  const folders = installations.map((modules) => path.join(modules, name));
  const found = folders.find((folder) => existsSync(folder));
  if (found === undefined) throw new Error(`${name} is not installed`);
  return found;
}

/** Reads the `package.json` of an installed package. */
export async function readPackage(name: string): Promise<InstalledPackage> {
  const { version, bin = {} } = JSON.parse(await readFile(path.join(folderOf(name), 'package.json'), 'utf8'));
  return { version, bin: typeof bin === 'string' ? { [path.basename(name)]: bin } : bin };
}

/** Path of the file that a command of a package runs. */
export async function commandFile(name: string, command: string): Promise<string> {
  const { bin } = await readPackage(name);
  if (bin[command] === undefined) throw new Error(`${name} has no command ${command}`);
  return path.join(folderOf(name), bin[command]);
}

/** Links installed packages into a folder, as if they were installed there. */
export async function linkPackages(folder: string, names: readonly string[]): Promise<void> {
  const bins = path.join(folder, 'node_modules', '.bin');
  await mkdir(bins, { recursive: true });
  for (const name of names) {
    const link = path.join(folder, 'node_modules', name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(folderOf(name), link);
    for (const command of Object.keys((await readPackage(name)).bin)) {
      await symlink(await commandFile(name, command), path.join(bins, command));
    }
  }
}
