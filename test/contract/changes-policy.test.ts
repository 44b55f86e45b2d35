import t from 'tap';
import { stringify } from 'yaml';
import {
  compareChanged,
  parameter,
  put,
  raised,
  releasedVersion,
  remove,
  runOnCopies,
  schema,
  writeCopies,
} from '../support/contract-changes.js';

const removal = remove(schema('EmployeeAttributes', 'properties', 'department'));
const pattern = '^-?(last_name|hired_on)$';
const widened = put(parameter('ReportSort', 'schema', 'pattern'), pattern);
const version = raised('minor');
const changelog = `## ${version} (unreleased)\n\n- \`sort\` takes more.\n`;

// The change in the words in which the comparison reports it, as somebody copies them who accepts it.
const { stdout: report } = compareChanged(t, [widened]);
const [, at, change] =
  report
    .split('\n')
    .find((line) => line.includes(widened.at))
    ?.split(/ {2,}/, 3) ?? [];
const accepting = (reason: string) => stringify([{ at, change, reason }]);
const accepted = accepting('Everything that was accepted still is.');

t.test('refuses a breaking change whatever its version', async (t) => {
  for (const refused of [releasedVersion, '2.0.0']) {
    const { status, stderr } = compareChanged(t, [removal], { version: refused });
    t.equal(status, 1, refused);
    t.match(stderr, /^Breaking changes: 1\./m, refused);
  }
});

t.test('refuses another major version in the document of /v1', async (t) => {
  const { status, stderr } = compareChanged(t, [], { version: '2.0.0' });
  t.equal(status, 1);
  t.match(stderr, /the contract of \/v1 is version 1/);
});

t.test('refuses a version that has no section in the changelog', async (t) => {
  const { status, stderr } = compareChanged(t, [], { changelog: '# Changes\n\nSome words.\n' });
  t.equal(status, 1);
  t.match(stderr, `no section "## ${releasedVersion} (unreleased)"`);
});

t.test('takes a change that looks breaking for an addition once it is accepted with a reason', async (t) => {
  const comparison = compareChanged(t, [widened], { version, changelog, accepted });
  t.equal(comparison.status, 0, comparison.stderr);
  t.same(comparison.places('additive'), [widened.at]);
});

t.test('accepts nothing without a reason, and nothing but the very change', async (t) => {
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

t.test('refuses an acceptance that has nothing to accept', async (t) => {
  const { status, stderr } = compareChanged(t, [], { accepted });
  t.equal(status, 1);
  t.match(stderr, /there is no such change/);
});

t.test(
  'the command says what the comparison finds, and its exit code tells whether it is refused',
  async (t) => {
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
  },
);
