import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Test } from 'tap';
import { parse } from 'yaml';
import { packageRoot } from '../../../src/platform/package-root.js';
import { withoutTap } from '../processes/plain-process.js';
import type { Change, Node } from './contract-edits.js';

const releasedFile = path.join(packageRoot, 'openapi', 'released', 'v1.yaml');

/** The last released contract. */
export const released = parse(readFileSync(releasedFile, 'utf8')) as Node;

export const releasedVersion = (released as unknown as { info: { version: string } }).info.version;

/** The version with the next second or third number. */
export function raised(part: 'minor' | 'patch'): string {
  const [major, minor, patch] = releasedVersion.split('.').map(Number) as [number, number, number];
  return part === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

export interface Comparison {
  readonly status: number | null;
  readonly stderr: string;
  readonly stdout: string;
  /** Locations of the changes with this impact. */
  places(impact: 'breaking' | 'additive' | 'editorial'): string[];
}

interface FoundChange {
  readonly impact: string;
  readonly at: string;
  readonly message: string;
}

interface Circumstances {
  readonly version?: string;
  readonly changelog?: string;
  readonly accepted?: string;
  /** Changes to both the released and the current contract. */
  readonly before?: readonly Change[];
}

interface Reporting {
  redoclyChanges(released: string, contract: string): object[];
  compareContracts(released: Node, contract: Node, changes: readonly object[]): FoundChange[];
  reportOn(circumstances: object): { lines: string[]; errors: string[] };
}

const scripts = (name: string) => import(path.join(packageRoot, 'scripts', 'contract', `${name}.mjs`));
const { redoclyChanges } = (await scripts('redocly-diff')) as Reporting;
const { compareContracts } = (await scripts('compare')) as Reporting;
const { reportOn } = (await scripts('report')) as Reporting;

const known = new Map<string, object[]>();

/** The changes that Redocly finds between two contracts of the same version. Cached, because a comparison takes a second. */
function findRedoclyChanges(t: Test, before: string, after: string): object[] {
  const key = `${before}\n${after}`;
  const found = known.get(key) ?? redoclyChanges(...writeBoth(t, before, after));
  known.set(key, found);
  return found;
}

function writeBoth(t: Test, before: string, after: string): [string, string] {
  const directory = t.testdir({ before, after });
  return [path.join(directory, 'before'), path.join(directory, 'after')];
}

/** Compares the released contract with a changed one, as `npm run contract:changes` does. */
export function compareChanged(
  t: Test,
  changes: readonly Change[],
  circumstances: Circumstances = {},
): Comparison {
  const { version, changelog, accepted, before } = { ...defaults(circumstances), ...circumstances };
  const { lines, errors } = reportOn({
    changes: findChanges(t, changes, before),
    version,
    released: releasedVersion,
    accepted: parse(accepted),
    acceptedFile: 'accepted',
    changelog,
  });
  return {
    status: errors.length > 0 ? 1 : 0,
    stdout: lines.map((line) => `${line}\n`).join(''),
    stderr: errors.map((error) => `${error}\n`).join(''),
    places: (impact) =>
      lines
        .map((line) => line.split(/ {2,}/, 2) as [string, string])
        .filter(([found]) => found === impact)
        .map(([, at]) => at),
  };
}

/** Every change that the comparison finds, with its verdict. `before` is in both contracts. */
export function findChanges(
  t: Test,
  changes: readonly Change[],
  before: readonly Change[] = [],
): readonly FoundChange[] {
  const both = [before, [...before, ...changes]].map((made) => changed(made, releasedVersion));
  const [base, contract] = both as [Node, Node];
  const [text, changedText] = both.map((document) => JSON.stringify(document)) as [string, string];
  return compareContracts(base, contract, findRedoclyChanges(t, text, changedText));
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

/** Copies of the files that the contract commands read and write, with these changes since the release. */
export function writeCopies(
  t: Test,
  changes: readonly Change[],
  circumstances: Circumstances = {},
): ContractFiles {
  const { version, changelog, accepted, before } = { ...defaults(circumstances), ...circumstances };
  const directory = t.testdir({
    // JSON is valid YAML, and much faster to write and read.
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

/** Runs a contract command on copies. */
export function runOnCopies(command: 'contract-changes' | 'contract-release', files: ContractFiles) {
  const script = path.join(packageRoot, 'scripts', `${command}.mjs`);
  const args = Object.entries(files).flatMap(([name, file]) => [`--${name}`, file]);
  return spawnSync(...withoutTap(process.execPath, [script, ...args]), { encoding: 'utf8' });
}
