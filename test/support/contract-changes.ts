import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Test } from 'tap';
import { parse, stringify } from 'yaml';
import { packageRoot } from '../../src/package-root.js';

const script = path.join(packageRoot, 'scripts', 'contract-changes.mjs');
const releasedFile = path.join(packageRoot, 'openapi', 'released', 'v1.yaml');

/** A place in a contract, as keys from the root down. */
export type Place = readonly (string | number)[];

/** Something that is done to a contract, and where the comparison has to find it. */
export interface Change {
  readonly at: string;
  apply(document: Node): void;
}

interface Node {
  [key: string]: unknown;
}

export const releasedVersion: string = (read() as { info: { version: string } }).info.version;

/** The version with the next second or third number. */
export function raised(part: 'minor' | 'patch'): string {
  const [major, minor, patch] = releasedVersion.split('.').map(Number) as [number, number, number];
  return part === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

export const schema = (name: string, ...more: Place): Place => ['components', 'schemas', name, ...more];
export const parameter = (name: string, ...more: Place): Place => ['components', 'parameters', name, ...more];
export const operation = (route: string, method: string, ...more: Place): Place => [
  'paths',
  route,
  method,
  ...more,
];

/** Sets a member, or an entry of a list. */
export function put(place: Place, value: unknown, at: Place = place): Change {
  return edit(place, at, (parent, key) => {
    parent[key] = value;
  });
}

export function remove(place: Place, at: Place = place): Change {
  return edit(place, at, (parent, key) => {
    if (parent[key] === undefined) throw new Error(`There is no ${pointer(place)}`);
    delete parent[key];
  });
}

/** Adds a value to a list, which may not exist yet. */
export function add(place: Place, value: unknown, at: Place = place): Change {
  return edit(place, at, (parent, key) => {
    parent[key] = [...((parent[key] as unknown[]) ?? []), value];
  });
}

/** Takes those out of a list that a condition holds for. */
export function drop(place: Place, isGone: (value: unknown) => boolean, at: Place = place): Change {
  return edit(place, at, (parent, key) => {
    const list = parent[key] as unknown[];
    if (!list.some(isGone)) throw new Error(`There is nothing to take out of ${pointer(place)}`);
    parent[key] = list.filter((value) => !isGone(value));
  });
}

function edit(place: Place, at: Place, change: (parent: Node, key: string) => void): Change {
  const apply = (document: Node) => {
    const parent = place.slice(0, -1).reduce<Node>((node, key) => node[key] as Node, document);
    change(parent, String(place.at(-1)));
  };
  return { at: pointer(at), apply };
}

function pointer(place: Place): string {
  return `#/${place.map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
}

export interface Comparison {
  readonly status: number | null;
  readonly stderr: string;
  readonly stdout: string;
  /** Where changes of this impact were found. */
  places(impact: 'breaking' | 'additive' | 'editorial'): string[];
}

/** Compares the released contract with one that was changed, as `npm run contract:changes` does. */
export function compareChanged(
  t: Test,
  changes: readonly Change[],
  {
    version = releasedVersion,
    changelog = `## ${version} (unreleased)\n`,
    accepted = '[]',
    before = [],
  }: { version?: string; changelog?: string; accepted?: string; before?: readonly Change[] } = {},
): Comparison {
  const directory = t.testdir({ changelog, accepted });
  const write = (name: string, made: readonly Change[]) => {
    const document = read();
    for (const { apply } of made) apply(document);
    if (name === 'contract') (document.info as Node).version = version;
    const file = path.join(directory, `${name}.yaml`);
    writeFileSync(file, stringify(document, { aliasDuplicateObjects: false }));
    return file;
  };
  const files = {
    released: write('released', before),
    contract: write('contract', [...before, ...changes]),
    changelog: path.join(directory, 'changelog'),
    accepted: path.join(directory, 'accepted'),
  };
  const args = Object.entries(files).flatMap(([name, file]) => [`--${name}`, file]);
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
  return {
    status,
    stdout,
    stderr,
    places: (impact) =>
      stdout
        .split('\n')
        .map((line) => line.split(/ {2,}/, 2) as [string, string])
        .filter(([found]) => found === impact)
        .map(([, at]) => at),
  };
}

function read(): Node {
  return parse(readFileSync(releasedFile, 'utf8')) as Node;
}
