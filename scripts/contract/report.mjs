import { sectionOf, unmentioned } from './changelog.mjs';
import { impacts } from './classify.mjs';
import { compareVersions, nextVersion, parseVersion } from './versions.mjs';

/**
 * Reports the changes since the last release, and the errors for which they are rejected.
 *
 * @param {object} input
 * @param {{ impact: string, at: string, message: string, names: string[] }[]} input.changes
 * @param {string} input.version version of the current contract
 * @param {string} input.released version of the last release
 * @param {{ at: string, change: string, reason?: string }[]} input.accepted changes that a reviewer accepted
 * @param {string} input.acceptedFile path of the list of accepted changes
 * @param {string} input.changelog
 * @returns {{ lines: string[], errors: string[] }}
 */
export function reportOn({ changes: found, version, released, accepted, acceptedFile, changelog }) {
  const changes = found.map(accept);
  const errors = [...breakingErrors(), ...acceptedErrors(), ...versionErrors(), ...changelogErrors()];
  const lines = impacts
    .toReversed()
    .flatMap((impact) => changes.filter((change) => change.impact === impact))
    .map(({ impact, at, message }) => `${impact.padEnd(9)}  ${at}  ${message}`);
  if (errors.length === 0) {
    lines.push(
      `${version} and its changelog section cover all changes since ${released}: ${changes.length} changes.`,
    );
  }
  return { lines, errors };

  /** Treats a breaking change that a reviewer accepted as an addition. */
  function accept(change) {
    const known = change.impact === 'breaking' && accepted.some((entry) => matches(entry, change));
    return known ? { ...change, impact: 'additive' } : change;
  }

  function* breakingErrors() {
    const count = changes.filter(({ impact }) => impact === 'breaking').length;
    if (count > 0) {
      yield `Breaking changes: ${count}. Clients of /v1 rely on the released contract. Add the new form and keep the old one.`;
    }
  }

  function* acceptedErrors() {
    for (const entry of accepted) {
      if (typeof entry.reason !== 'string' || entry.reason.trim() === '') {
        yield `${acceptedFile}: the change at ${entry.at} is accepted without a reason.`;
      }
      if (!changes.some((change) => matches(entry, change))) {
        yield `${acceptedFile}: there is no such change at ${entry.at}.`;
      }
    }
  }

  function* versionErrors() {
    const [major] = parseVersion(version);
    if (major !== 1) yield `info.version is ${version}, but the contract of /v1 is version 1.`;
    const highest = impacts.findLast((impact) => changes.some((change) => change.impact === impact));
    const required = nextVersion(released, highest);
    if (compareVersions(version, required) < 0) {
      yield `info.version is ${version}, but these changes since ${released} need ${required} or higher.`;
    }
  }

  function* changelogErrors() {
    const section = sectionOf(changelog, version);
    if (section === undefined) {
      yield `CHANGELOG.md has no section "## ${version} (unreleased)".`;
      return;
    }
    for (const { impact, at, names } of changes) {
      if (impact !== 'additive') continue;
      for (const name of unmentioned(section, names)) {
        yield `CHANGELOG.md does not mention \`${name}\` under ${version}: it was added or changed at ${at}.`;
      }
    }
  }
}

function matches({ at, change }, { at: location, message }) {
  return at === location && change === message;
}
