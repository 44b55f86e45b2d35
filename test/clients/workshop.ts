import { execFile } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { packageRoot } from '../../src/package-root.js';
import type { Generator } from './generators.js';
import { commandFile, linkPackages, makeFolder } from './packages.js';

const run = promisify(execFile);
const sources = path.join(packageRoot, 'test', 'clients');

/**
 * Makes a folder in which clients are generated and compiled as partners do it: with the documents as the server
 * serves them, and with the packages that the clients need, but without anything else of this project.
 */
export async function openWorkshop(
  t: Test,
  baseUrl: string,
  generators: readonly Generator[],
): Promise<string> {
  const workshop = await makeFolder(t);
  await linkPackages(workshop, [...new Set(generators.flatMap(({ runtime }) => runtime))]);
  await writeFile(path.join(workshop, 'package.json'), '{}');
  for (const shared of ['program.ts', 'next-page.ts']) {
    await cp(path.join(sources, shared), path.join(workshop, shared));
  }
  for (const { name, document } of generators) {
    await cp(path.join(sources, name), path.join(workshop, name), { recursive: true });
    // Some of the commands expect that their folder exists.
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
  await run(process.execPath, [file, ...args], {
    cwd: path.join(workshop, generator.name),
    // Nothing of the test runner's own environment.
    env: { PATH: process.env.PATH ?? '', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
}

/** Works on all items, two at a time. */
export async function twoAtATime<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const rest = items[Symbol.iterator]();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all([worker(), worker()]);
}
