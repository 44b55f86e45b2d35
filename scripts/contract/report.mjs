import { sectionOf, unmentioned } from './changelog.mjs';
import { impacts } from './judge.mjs';
import { compareVersions, nextVersion, parseVersion } from './versions.mjs';

/**
 * The lines of the report on the changes since the last release, and the faults for which they are rejected.
 *
 * @param {object} circumstances
 * @param {{ impact: string, at: string, message: string, names: string[] }[]} circumstances.changes
 * @param {string} circumstances.version of the contract as it is now
 * @param {string} circumstances.released version that was released last
 * @param {{ at: string, change: string, reason?: string }[]} circumstances.accepted changes that a reviewer accepted
 * @param {string} circumstances.acceptedFile path of the list of accepted changes
 * @param {string} circumstances.changelog
 * @returns {{ lines: string[], faults: string[] }}
 */
export function reportOn({ changes: found, version, released, accepted, acceptedFile, changelog }) {
  const changes = found.map(accept);
  const faults = [...breakingFaults(), ...acceptedFaults(), ...versionFaults(), ...changelogFaults()];
  const lines = impacts
    .toReversed()
    .flatMap((impact) => changes.filter((change) => change.impact === impact))
    .map(({ impact, at, message }) => `${impact.padEnd(9)}  ${at}  ${message}`);
  if (faults.length === 0) {
    lines.push(
      `${version} tells of everything that has changed since ${released}: ${changes.length} changes.`,
    );
  }
  return { lines, faults };

  /** A breaking change that a reviewer accepted counts as an addition. */
  function accept(change) {
    const known = change.impact === 'breaking' && accepted.some((entry) => matches(entry, change));
    return known ? { ...change, impact: 'additive' } : change;
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
        yield `${acceptedFile}: the change at ${entry.at} is accepted without a reason.`;
      }
      if (!changes.some((change) => matches(entry, change))) {
        yield `${acceptedFile}: there is no such change at ${entry.at}.`;
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
    const section = sectionOf(changelog, version);
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
}

function matches({ at, change }, { at: place, message }) {
  return at === place && change === message;
}
