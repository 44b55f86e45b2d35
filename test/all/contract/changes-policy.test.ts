import { stringify } from 'yaml';
import {
  compareChanged,
  raised,
  releasedVersion,
  runOnCopies,
  writeCopies,
} from '../../support/contract/contract-changes.js';
import { parameter, put, remove, schema } from '../../support/contract/contract-edits.js';
import t from '../../support/tap.js';

const removal = remove(schema('EmployeeAttributes', 'properties', 'department'));
const pattern = '^-?(last_name|hired_on)$';
const widened = put(parameter('ReportSort', 'schema', 'pattern'), pattern);
const version = raised('minor');
const changelog = `## ${version} (unreleased)\n\n- \`sort\` accepts more.\n`;

// The text of the change in the report, which the list of accepted changes repeats.
const { stdout: report } = compareChanged(t, [widened]);
const [, at, change] =
  report
    .split('\n')
    .find((line) => line.includes(widened.at))
    ?.split(/ {2,}/, 3) ?? [];
const accepting = (reason: string) => stringify([{ at, change, reason }]);
const accepted = accepting('Existing requests stay valid.');

t.test('rejects a breaking change whatever its version', async (t) => {
  for (const rejected of [releasedVersion, '2.0.0']) {
    const { status, stderr } = compareChanged(t, [removal], { version: rejected });
    t.equal(status, 1, rejected);
    t.match(stderr, /^Breaking changes: 1\./m, rejected);
  }
});

t.test('rejects another major version in the document of /v1', async (t) => {
  const { status, stderr } = compareChanged(t, [], { version: '2.0.0' });
  t.equal(status, 1);
  t.match(stderr, /the contract of \/v1 is version 1/);
});

t.test('rejects a version that has no section in the changelog', async (t) => {
  const { status, stderr } = compareChanged(t, [], { changelog: '# Changes\n\nSome words.\n' });
  t.equal(status, 1);
  t.match(stderr, `no section "## ${releasedVersion} (unreleased)"`);
});

t.test('treats an accepted breaking change with a reason as an addition', async (t) => {
  const comparison = compareChanged(t, [widened], { version, changelog, accepted });
  t.equal(comparison.status, 0, comparison.stderr);
  t.same(comparison.places('additive'), [widened.at]);
});

t.test('accepts a raised limit with a reason when the changelog mentions it', async (t) => {
  const before = [put(['x-limits'], { body_bytes: 65_536 })];
  const raisedLimit = put(['x-limits', 'body_bytes'], 131_072);
  const rejected = compareChanged(t, [raisedLimit], { version, changelog, before });
  t.match(rejected.stderr, /^Breaking changes: 1\./m);
  const entry = {
    at: raisedLimit.at,
    change: '`body_bytes` changed from 65536 to 131072.',
    reason: 'Raised.',
  };
  const limits = `${changelog}- \`x-limits\` allows larger bodies.\n`;
  const accepted = compareChanged(t, [raisedLimit], {
    version,
    changelog: limits,
    accepted: stringify([entry]),
    before,
  });
  t.equal(accepted.status, 0, accepted.stderr);
});

t.test('rejects an acceptance without a reason, and an acceptance of another change', async (t) => {
  const unreasoned = compareChanged(t, [widened], {
    version,
    changelog,
    accepted: accepting(' '),
  });
  t.equal(unreasoned.status, 1);
  t.match(unreasoned.stderr, /accepted without a reason/);

  const narrowed = put(parameter('ReportSort', 'schema', 'pattern'), '^title$');
  const other = compareChanged(t, [narrowed], { version, changelog, accepted });
  t.equal(other.status, 1);
  t.match(other.stderr, /^Breaking changes: 1\./m);
  t.match(other.stderr, /there is no such change/);
});

t.test('rejects an acceptance of a change that does not exist', async (t) => {
  const { status, stderr } = compareChanged(t, [], { accepted });
  t.equal(status, 1);
  t.match(stderr, /there is no such change/);
});

t.test('the command prints the report and its errors, and exits with 1 when there are errors', async (t) => {
  for (const [changes, circumstances, status] of [
    [[widened], { version, changelog, accepted }, 0],
    [[widened, removal], { version }, 1],
  ] as const) {
    const expected = compareChanged(t, changes, circumstances);
    const files = writeCopies(t, changes, circumstances);
    const command = runOnCopies('contract-changes', files);
    t.equal(command.status, status);
    t.equal(expected.status, status);
    t.equal(command.stdout, expected.stdout);
    t.equal(command.stderr.replaceAll(files.accepted, 'accepted'), expected.stderr);
  }
});
