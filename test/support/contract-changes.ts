import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Test } from 'tap';
import { parse } from 'yaml';
import { packageRoot } from '../../src/package-root.js';

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

const released = parse(readFileSync(releasedFile, 'utf8')) as Node;

export const releasedVersion = (released as unknown as { info: { version: string } }).info.version;

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

/** Puts an entry at the end of a list, which is a place of its own. */
export function append(place: Place, entry: unknown): Change {
  return add(place, entry, [...place, listAt(place).length]);
}

/** Takes an entry with a place of its own out of a list. */
export function withdraw(place: Place, isGone: (entry: unknown) => boolean): Change {
  return drop(place, isGone, [...place, listAt(place).findIndex(isGone)]);
}

function listAt(place: Place): readonly unknown[] {
  return place.reduce<Node>((node, key) => node[key] as Node, released) as unknown as unknown[];
}

/** Takes those values out of a list that a condition holds for. */
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

interface Circumstances {
  readonly version?: string;
  readonly changelog?: string;
  readonly accepted?: string;
  /** What is different in both, the released contract and the changed one. */
  readonly before?: readonly Change[];
}

interface Reporting {
  redoclyChanges(released: string, contract: string): object[];
  compareContracts(released: Node, contract: Node, changes: readonly object[]): object[];
  reportOn(circumstances: object): { lines: string[]; faults: string[] };
}

const scripts = (name: string) => import(path.join(packageRoot, 'scripts', 'contract', `${name}.mjs`));
const { redoclyChanges } = (await scripts('redocly-diff')) as Reporting;
const { compareContracts } = (await scripts('compare')) as Reporting;
const { reportOn } = (await scripts('report')) as Reporting;

const known = new Map<string, object[]>();

/** What Redocly finds between two contracts that have the same version: asking it takes a second. */
function redoclyFinds(t: Test, before: string, after: string): object[] {
  const key = `${before}\n${after}`;
  const found = known.get(key) ?? redoclyChanges(...writeBoth(t, before, after));
  known.set(key, found);
  return found;
}

function writeBoth(t: Test, before: string, after: string): [string, string] {
  const directory = t.testdir({ before, after });
  return [path.join(directory, 'before'), path.join(directory, 'after')];
}

/** Compares the released contract with one that was changed, as `npm run contract:changes` does in its own process. */
export function compareChanged(
  t: Test,
  changes: readonly Change[],
  circumstances: Circumstances = {},
): Comparison {
  const { version, changelog, accepted, before } = { ...defaults(circumstances), ...circumstances };
  const both = [before, [...before, ...changes]].map((made) => changed(made, releasedVersion));
  const [released, contract] = both as [Node, Node];
  const [text, changedText] = both.map((document) => JSON.stringify(document)) as [string, string];
  const { lines, faults } = reportOn({
    changes: compareContracts(released, contract, redoclyFinds(t, text, changedText)),
    version,
    released: releasedVersion,
    accepted: parse(accepted),
    acceptedFile: 'accepted',
    changelog,
  });
  return {
    status: faults.length > 0 ? 1 : 0,
    stdout: lines.map((line) => `${line}\n`).join(''),
    stderr: faults.map((fault) => `${fault}\n`).join(''),
    places: (impact) =>
      lines
        .map((line) => line.split(/ {2,}/, 2) as [string, string])
        .filter(([found]) => found === impact)
        .map(([, at]) => at),
  };
}

function defaults({ version = releasedVersion }: Circumstances): Required<Circumstances> {
  return { version, changelog: `## ${version} (unreleased)\n`, accepted: '[]', before: [] };
}

function changed(changes: readonly Change[], version: string): Node {
  const document = structuredClone(released);
  for (const { apply } of changes) apply(document);
  (document.info as Node).version = version;
  return document;
}

export interface ContractFiles {
  readonly released: string;
  readonly contract: string;
  readonly changelog: string;
  readonly accepted: string;
}

/** Copies of everything that the commands for the contract work on, with these changes since the release. */
export function writeCopies(
  t: Test,
  changes: readonly Change[],
  circumstances: Circumstances = {},
): ContractFiles {
  const { version, changelog, accepted, before } = { ...defaults(circumstances), ...circumstances };
  const directory = t.testdir({
    // JSON is YAML too, and is written and read much faster.
    'released.yaml': JSON.stringify(changed(before, releasedVersion)),
    'contract.yaml': JSON.stringify(changed([...before, ...changes], version)),
    changelog,
    accepted,
  });
  return {
    released: path.join(directory, 'released.yaml'),
    contract: path.join(directory, 'contract.yaml'),
    changelog: path.join(directory, 'changelog'),
    accepted: path.join(directory, 'accepted'),
  };
}

/** Runs one of the commands for the contract on copies. */
export function runOnCopies(command: 'contract-changes' | 'contract-release', files: ContractFiles) {
  const script = path.join(packageRoot, 'scripts', `${command}.mjs`);
  const args = Object.entries(files).flatMap(([name, file]) => [`--${name}`, file]);
  return spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
}
