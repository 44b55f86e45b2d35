import t from 'tap';
import {
  add,
  append,
  type Change,
  compareChanged,
  operation,
  parameter,
  put,
  raised,
  releasedVersion,
  remove,
  schema,
} from '../support/contract-changes.js';

const text = { type: 'string', maxLength: 9, description: 'New.' };
const employees = operation('/v1/employees', 'get');
const employee = operation('/v1/employees/{employee_id}', 'get', 'responses');
const flows = ['components', 'securitySchemes', 'oauth2', 'flows'];

/** What may come at any time, and the name that the changelog has to mention it by. */
const additions: Record<string, readonly [Change, string]> = {
  'an operation on a new path': [
    put(['paths', '/v1/teams'], { get: { operationId: 'listTeams', tags: ['Employees'], responses: {} } }),
    'listTeams',
  ],
  'an operation on a known path': [
    put(['paths', '/v1/employees', 'post'], { operationId: 'createEmployee', responses: {} }),
    'createEmployee',
  ],
  'an optional parameter': [
    append([...employees, 'parameters'], { name: 'filter[last_name]', in: 'query', schema: text }),
    'filter[last_name]',
  ],
  'a member of an answer': [put(schema('EmployeeAttributes', 'properties', 'hired_on'), text), 'hired_on'],
  'an optional member of a request': [
    put(schema('ReportCreateRequest', 'properties', 'shared'), text),
    'shared',
  ],
  'a code': [add(schema('ProblemCode', 'enum'), 'gone'), 'gone'],
  'a row of the catalogue': [
    put(
      schema('ProblemCode', 'x-problems', 'teapot'),
      { status: 418, title: 'Teapot', description: 'x', resolution: 'x' },
      schema('ProblemCode', 'x-problems'),
    ),
    'teapot',
  ],
  'a status of a refusal': [
    put([...employee, '410'], { $ref: '#/components/responses/EmployeeNotFound' }),
    '410',
  ],
  'a header of an answer': [put([...employee, '200', 'headers', 'Link'], { schema: text }), 'Link'],
  'a media type of an answer': [
    put([...employee, '200', 'content', 'text/csv'], { schema: text }),
    'text/csv',
  ],
  'a scope': [
    put([...flows, 'clientCredentials', 'scopes', 'teams:read'], 'read teams', [
      ...flows,
      'clientCredentials',
      'scopes',
    ]),
    'teams:read',
  ],
  'a longer text in a request': [
    put(parameter('EmployeeEmailFilter', 'schema', 'maxLength'), 999),
    'filter[email]',
  ],
  'a larger number in a request': [put(parameter('PageSize', 'schema', 'maximum'), 1000), 'page[size]'],
  'a value in a request': [add(parameter('CodeChallengeMethod', 'schema', 'enum'), 'S512'), 'S512'],
  'a parameter that need not be sent any more': [
    remove(parameter('State', 'required'), parameter('State')),
    'state',
  ],
  'null in a request': [
    put(schema('UserUpdateRequest', 'properties', 'given_name', 'type'), ['string', 'null']),
    'given_name',
  ],
  'a member that is always there from now on': [
    add(schema('TokenResponse', 'required'), 'refresh_token'),
    'TokenResponse',
  ],
  'a value that is never null from now on': [
    put(schema('ReportRowAttributes', 'properties', 'email', 'type'), 'string'),
    'email',
  ],
  'a mark that an operation will be replaced': [
    put(operation('/v1/report_columns', 'get', 'deprecated'), true),
    'listReportColumns',
  ],
};
const changes = Object.values(additions).map(([change]) => change);
// What is new in an operation is mentioned together with it.
const names = [...Object.values(additions).map(([, name]) => name), 'listEmployees', 'getEmployee'];
const version = raised('minor');
const changelogOf = (mentioned: readonly string[]) =>
  `## ${version} (unreleased)\n\n${mentioned.map((name) => `- \`${name}\`\n`).join('')}`;

t.test('lets additions pass that the version and the changelog tell of, and lists them', async (t) => {
  const comparison = compareChanged(t, changes, { version, changelog: changelogOf(names) });
  t.equal(comparison.status, 0, comparison.stderr);
  t.same(comparison.places('breaking'), []);
  const found = new Set(comparison.places('additive'));
  for (const [title, [{ at }]] of Object.entries(additions)) t.ok(found.has(at), `${title} (${at})`);
});

t.test('names what the changelog does not mention', async (t) => {
  const { status, stderr } = compareChanged(t, changes, { version, changelog: changelogOf([]) });
  t.equal(status, 1);
  for (const [title, [, name]] of Object.entries(additions)) {
    t.ok(stderr.includes(`does not mention \`${name}\` under ${version}`), `${title} (${name})`);
  }
  t.ok(stderr.includes('does not mention `getEmployee`'));
});

t.test('does not take a mention in another section for one', async (t) => {
  const changelog = `${changelogOf([])}\n## ${releasedVersion} (2026-01-01)\n\n- \`hired_on\`\n`;
  const { status, stderr } = compareChanged(
    t,
    [put(schema('EmployeeAttributes', 'properties', 'hired_on'), text)],
    { version, changelog },
  );
  t.equal(status, 1);
  t.match(stderr, /does not mention `hired_on`/);
});

t.test('refuses additions without a higher second number', async (t) => {
  const unchanged = raised('patch');
  const changelog = changelogOf(['hired_on']).replace(version, unchanged);
  const { status, stderr } = compareChanged(
    t,
    [put(schema('EmployeeAttributes', 'properties', 'hired_on'), text)],
    { version: unchanged, changelog },
  );
  t.equal(status, 1);
  t.match(stderr, `need ${version} or higher`);
});

t.test('takes words and examples for editorial, and asks for a higher third number', async (t) => {
  const edits = [
    put(schema('Employee', 'description'), 'Other words.'),
    put(parameter('PageSize', 'example'), 7),
    put([...employees, 'summary'], 'Other words'),
    append(['tags'], { name: 'Teams', description: 'New.' }),
    put(['components', 'examples', 'EmployeeResponseExample', 'summary'], 'Other words'),
    put(['info', 'description'], 'Other words.'),
    put([...employees, 'x-remark'], 'Other words.'),
    put(schema('ReportColumnType', 'x-enum-varnames'), ['TEXT', 'TIME', 'NUMBER']),
  ];
  const before = compareChanged(t, edits);
  t.equal(before.status, 1);
  t.match(before.stderr, `need ${raised('patch')} or higher`);
  t.same([...before.places('breaking'), ...before.places('additive')], []);
  const after = compareChanged(t, edits, { version: raised('patch') });
  t.equal(after.status, 0, after.stderr);
  t.same(after.places('editorial').toSorted(), edits.map(({ at }) => at).toSorted());
});

t.test('finds nothing where nothing has changed', async (t) => {
  const { status, stdout } = compareChanged(t, []);
  t.equal(status, 0);
  t.match(stdout, /: 0 changes\.$/m);
});
