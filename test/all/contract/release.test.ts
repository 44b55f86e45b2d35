import { existsSync, readFileSync } from 'node:fs';
import {
  type ContractFiles,
  raised,
  releasedVersion,
  runOnCopies,
  writeCopies,
} from '../../support/contract/contract-changes.js';
import { put, remove, schema } from '../../support/contract/contract-edits.js';
import t from '../../support/tap.js';

const addition = put(schema('EmployeeAttributes', 'properties', 'hired_on'), {
  type: 'string',
  maxLength: 10,
});
const removal = remove(schema('EmployeeAttributes', 'properties', 'department'));
const version = raised('minor');
const changelog = `# Changes\n\n## ${version} (unreleased)\n\n- \`hired_on\`\n\n## ${releasedVersion} (2026-01-01)\n`;

const contents = (files: ContractFiles) =>
  Object.values(files).map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined));

t.test(
  'stores the contract as the released one, dates its section and clears the accepted changes',
  async (t) => {
    const files = writeCopies(t, [addition], { version, changelog });
    const { status, stderr } = runOnCopies('contract-release', files);
    t.equal(status, 0, stderr);
    t.equal(readFileSync(files.released, 'utf8'), readFileSync(files.contract, 'utf8'));
    const dated = readFileSync(files.changelog, 'utf8');
    const [heading = '', date] = /^## \S+ \((\d{4}-\d\d-\d\d)\)$/m.exec(dated) ?? [];
    t.equal(dated, changelog.replace(`## ${version} (unreleased)`, heading));
    t.equal(heading, `## ${version} (${date})`);
    t.notOk(existsSync(files.accepted));
  },
);

type Copies = Parameters<typeof writeCopies>;

const rejections: Record<string, readonly [RegExp, Copies[1], Copies[2]]> = {
  'the same version again': [/released already/, [], {}],
  'breaking changes': [/^Breaking changes: 1\./m, [removal], { version, changelog }],
  'an addition that is not named': [/does not mention `hired_on`/, [addition], { version }],
  'a version without a section': [/has no section/, [addition], { version, changelog: '# Changes\n' }],
};

for (const [title, [reason, changes, circumstances]] of Object.entries(rejections)) {
  t.test(`does not release ${title}`, async (t) => {
    const files = writeCopies(t, changes, circumstances);
    const before = contents(files);
    const { status, stderr } = runOnCopies('contract-release', files);
    t.equal(status, 1);
    t.match(stderr, reason);
    t.same(contents(files), before);
  });
}
