import {
  compareChanged,
  raised,
  released,
  releasedVersion,
} from '../../support/contract/contract-changes.js';
import { append, type Change, put, remove, schema, valueAt } from '../../support/contract/contract-edits.js';
import { operationPlace } from '../../support/contract/mutation-bases.js';
import t from '../../support/tap.js';

const text = { type: 'string', maxLength: 9, description: 'New.' };
const employees = operationPlace('listEmployees');
const employee = [...operationPlace('getEmployee'), 'responses'];
const flow = ['components', 'securitySchemes', 'oauth2', 'flows', 'clientCredentials'];
const size = ['components', 'parameters', 'PageSize'];
const shared = schema('EmployeeAttributes', 'properties');
const required = valueAt(released, schema('TokenResponse', 'required')) as string[];
const open = { type: 'string', 'x-extensible-enum': ['red', 'green'] };

/** Additions, and the name that the changelog has to mention. */
const additions: Record<string, readonly [Change, string]> = {
  'an operation of a new path': [
    put(['paths', '/v1/teams'], { get: { operationId: 'listTeams', responses: {} } }),
    'listTeams',
  ],
  'an operation of a known path': [
    put([...employees.slice(0, -1), 'post'], { operationId: 'createEmployee', responses: {} }),
    'createEmployee',
  ],
  'a parameter': [
    append([...employees, 'parameters'], { name: 'filter[team]', in: 'query', schema: text }, employees),
    'filter[team]',
  ],
  'a response member': [put([...shared, 'hired_on'], text), 'hired_on'],
  'a request member': [put(schema('UserUpdateRequest', 'properties', 'website'), text), 'website'],
  'a value of an open list': [
    put([...shared, 'color', 'x-extensible-enum'], ['red', 'green', 'blue']),
    'blue',
  ],
  'a code': [put(schema('ProblemCode', 'x-problems', 'teapot'), { status: 418, title: 'Teapot' }), 'teapot'],
  'an error status': [put([...employee, '410'], { description: 'Gone.' }), '410'],
  'a response header': [put([...employee, '200', 'headers', 'Link'], { schema: text }), 'Link'],
  'a scope': [put([...flow, 'scopes', 'teams:read'], 'read teams'), 'teams:read'],
  'a wider limit': [put([...size, 'schema', 'maximum'], 1_000_000), 'page[size]'],
  'a number in an extension': [put([...employees, 'x-max-filters'], 5), 'x-max-filters'],
  'a response member that is always present': [
    put(schema('TokenResponse', 'required'), [...required, 'refresh_token']),
    'TokenResponse',
  ],
  'a deprecation': [put([...operationPlace('listReportColumns'), 'deprecated'], true), 'listReportColumns'],
};
const before = [put([...shared, 'color'], open)];
const changes = Object.values(additions).map(([change]) => change);
// The changelog mentions the operation together with what is new in it.
const names = [...Object.values(additions).map(([, name]) => name), 'listEmployees', 'getEmployee'];
const version = raised('minor');
const changelogOf = (mentioned: readonly string[]) =>
  `## ${version} (unreleased)\n\n${mentioned.map((name) => `- \`${name}\`\n`).join('')}`;
const addition = put([...shared, 'hired_on'], text);

t.test('accepts additions that the changelog mentions under a raised version', async (t) => {
  const { status, stderr } = compareChanged(t, changes, { version, changelog: changelogOf(names), before });
  t.equal(status, 0, stderr);
});

t.test('rejects additions that the changelog does not mention', async (t) => {
  const { status, stderr } = compareChanged(t, changes, { version, changelog: changelogOf([]), before });
  t.equal(status, 1);
  for (const [title, [, name]] of Object.entries(additions)) {
    t.ok(stderr.includes(`does not mention \`${name}\` under ${version}`), `${title} (${name})`);
  }
  t.ok(stderr.includes('does not mention `getEmployee`'));
  t.notOk(stderr.includes('does not mention `red`'), 'values that were released need no mention');
});

t.test('rejects an addition that only the section of another version mentions', async (t) => {
  const changelog = `${changelogOf([])}\n## ${releasedVersion} (2026-01-01)\n\n- \`hired_on\`\n`;
  const { status, stderr } = compareChanged(t, [addition], { version, changelog });
  t.equal(status, 1);
  t.match(stderr, /does not mention `hired_on`/);
});

t.test('rejects an addition when the second number of the version is not raised', async (t) => {
  const patch = raised('patch');
  const changelog = changelogOf(['hired_on']).replace(version, patch);
  const { status, stderr } = compareChanged(t, [addition], { version: patch, changelog });
  t.equal(status, 1);
  t.match(stderr, `need ${version} or higher`);
});

t.test('requires a raised third number for editorial changes, and no mention', async (t) => {
  const edits = [put(['info', 'description'], 'Other words.'), remove([...size, 'example'])];
  const rejected = compareChanged(t, edits);
  t.equal(rejected.status, 1);
  t.match(rejected.stderr, `need ${raised('patch')} or higher`);
  const accepted = compareChanged(t, edits, { version: raised('patch') });
  t.equal(accepted.status, 0, accepted.stderr);
});

t.test('reports no change when nothing has changed', async (t) => {
  const { status, stdout } = compareChanged(t, []);
  t.equal(status, 0);
  t.match(stdout, /: 0 changes\.$/m);
});
