// Compares openapi/v1.yaml with the contract that was released last. Fails on a change that can break a client, and
// on one that the version or CHANGELOG.md does not tell of.
import { existsSync, readFileSync } from 'node:fs';
import { sectionOf, unmentioned } from './contract/changelog.mjs';
import { compareContracts } from './contract/compare.mjs';
import { files, readYaml } from './contract/files.mjs';
import { impacts } from './contract/judge.mjs';
import { compareVersions, nextVersion, parseVersion } from './contract/versions.mjs';

const { version } = readYaml(files.contract).info;
const released = readYaml(files.released).info.version;
const accepted = existsSync(files.accepted) ? (readYaml(files.accepted) ?? []) : [];
const changes = compareContracts(files.released, files.contract).map(accept);
const faults = [...breakingFaults(), ...acceptedFaults(), ...versionFaults(), ...changelogFaults()];

for (const impact of impacts.toReversed()) {
  for (const { at, message } of changes.filter((change) => change.impact === impact)) {
    print(`${impact.padEnd(9)}  ${at}  ${message}`);
  }
}
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) process.exit(1);
print(`${version} tells of everything that has changed since ${released}: ${changes.length} changes.`);

/** What somebody has looked at and found harmless is an addition. */
function accept(change) {
  const found = change.impact === 'breaking' && accepted.some((entry) => matches(entry, change));
  return found ? { ...change, impact: 'additive' } : change;
}

function matches({ at, change }, { at: place, message }) {
  return at === place && change === message;
}

function* breakingFaults() {
  const count = changes.filter(({ impact }) => impact === 'breaking').length;
  if (count > 0) {
    yield `Breaking changes: ${count}. Clients of /v1 rely on what was released; what replaces it is added beside it.`;
  }
}

function* acceptedFaults() {
  for (const entry of accepted) {
    if (typeof entry.reason !== 'string' || entry.reason.trim() === '') {
      yield `${files.accepted}: the change at ${entry.at} is accepted without a reason.`;
    }
    if (!changes.some((change) => matches(entry, change))) {
      yield `${files.accepted}: there is no such change at ${entry.at}.`;
    }
  }
}

function* versionFaults() {
  const [major] = parseVersion(version);
  if (major !== 1) yield `info.version is ${version}, but the contract of /v1 is version 1.`;
  const most = impacts.findLast((impact) => changes.some((change) => change.impact === impact));
  const required = nextVersion(released, most);
  if (compareVersions(version, required) < 0) {
    yield `info.version is ${version}, but these changes since ${released} need ${required} or higher.`;
  }
}

function* changelogFaults() {
  const section = sectionOf(readFileSync(files.changelog, 'utf8'), version);
  if (section === undefined) {
    yield `CHANGELOG.md has no section "## ${version} (unreleased)".`;
    return;
  }
  for (const { impact, at, names } of changes) {
    if (impact !== 'additive') continue;
    for (const name of unmentioned(section, names)) {
      yield `CHANGELOG.md does not mention \`${name}\` under ${version}: it is new or has changed at ${at}.`;
    }
  }
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
