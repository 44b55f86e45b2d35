import { execFile } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { packageRoot } from '../../../src/platform/package-root.js';
import { withoutTap } from '../../support/processes/plain-process.js';
import type { Generator } from './generator.js';
import { commandFile, linkPackages, makeFolder } from './packages.js';

const run = promisify(execFile);
const sources = path.join(packageRoot, 'test', 'all', 'clients');

/** The environment of the generators, without that of the test runner. */
const environment = {
  PATH: process.env.PATH ?? '',
  DO_NOT_TRACK: '1',
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
};

/**
 * Creates a folder in which clients are generated and compiled as partners do: with the documents of the server and the
 * packages that the generators and clients need, but without the rest of this project.
 */
export async function openWorkshop(
  t: Test,
  baseUrl: string,
  generators: readonly Generator[],
): Promise<string> {
  const workshop = await makeFolder(t);
  const packages = generators.flatMap(({ configuration = [], runtime }) => [...configuration, ...runtime]);
  await linkPackages(workshop, [...new Set(packages)]);
  await writeFile(path.join(workshop, 'package.json'), '{}');
  await cp(path.join(sources, 'program.ts'), path.join(workshop, 'program.ts'));
  for (const { name, document } of generators) {
    await cp(path.join(sources, name), path.join(workshop, name), { recursive: true });
    // Some of the commands require that the folder exists.
    await mkdir(path.join(workshop, name, 'generated'));
    const served = await fetch(`${baseUrl}/openapi/${document}`);
    await writeFile(path.join(workshop, name, document), await served.text());
  }
  return workshop;
}

/** Generates a client in its folder. */
export async function generate(workshop: string, generator: Generator): Promise<void> {
  const [command, ...args] = generator.command;
  const file = await commandFile(generator.package, command);
  const folder = path.join(workshop, generator.name);
  const { stdout } = await run(...withoutTap(process.execPath, [file, ...args]), {
    cwd: folder,
    env: environment,
    maxBuffer: 2 ** 24,
  });
  if (generator.output !== undefined) await writeFile(path.join(folder, generator.output), stdout);
}

/** Processes all items, two at a time. */
export async function twoAtATime<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const rest = items[Symbol.iterator]();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all([worker(), worker()]);
}
