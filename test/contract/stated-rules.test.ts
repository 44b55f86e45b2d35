import { namePattern, personNameRule } from '../../src/platform/accounts/name-rules.js';
import { type RawOperation, resolve } from '../../src/platform/contract/contract.js';
import { compileValidator } from '../../src/platform/contract/validator.js';
import { isRuleName, ruleText } from '../../src/platform/problems/rule-texts.js';
import { createScene, grantTokens } from '../support/oauth/users.js';
import { buildTestApp, contract } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { accessToken: token } = await grantTokens(api, await createScene(api.database), {
  scope: 'reports:read reports:write user:write',
});

/** Resolves references to components, as the binding of the contract does. */
function inlined(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(inlined);
  if (typeof schema !== 'object' || schema === null) return schema;
  const found = resolve<object>(contract.document, schema);
  return Object.fromEntries(Object.entries(found).map(([key, value]) => [key, inlined(value)]));
}

/** Validates values with a schema of the contract, compiled as the server compiles it. */
function verdict(schema: unknown, httpPart: 'body' | 'querystring'): (value: unknown) => boolean {
  const validate = compileValidator({ schema: inlined(schema), httpPart });
  return (value) => validate(value) === true;
}

const bodyOf = (name: string) => verdict({ $ref: `#/components/schemas/${name}` }, 'body');
const parameterOf = (operation: 'listEmployees' | 'listReports', name: string) =>
  verdict(contract.operations.get(operation)?.queryParameters.get(name)?.schema, 'querystring');

async function send(method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await api.app.inject({ method, url, headers, ...(payload && { payload }) });
  return { accepted: response.statusCode < 300, body: response.json() };
}

const query = (path: string, name: string, value: string) =>
  send('GET', `${path}?${new URLSearchParams({ [name]: value })}`);

t.test(
  'the schema of filter[updated_since] rejects exactly the values that the server rejects',
  async (t) => {
    const name = 'filter[updated_since]';
    const allows = parameterOf('listEmployees', name);
    const rule = `${name} must be an RFC 3339 date-time with a time zone, in a year from 1900 to 9999 and without a leap second.`;
    for (const value of [
      ...[
        '1899-12-31T23:59:59Z',
        '0001-01-01T00:00:00Z',
        '0000-01-01T00:00:00Z',
        '1899-12-31T23:59:59-23:59',
      ],
      ...[
        '2016-12-31T23:59:60Z',
        '2016-12-31T24:59:30+01:00',
        '2026-01-01 00:00:00Z',
        '10000-01-01T00:00:00Z',
      ],
      ...['2026-01-01T00:00:00+02', '2026-01-01T00:00:00+0200', '2026-01-01T00:00:00', '2026-01-01'],
      ...['yesterday', ''],
    ]) {
      const { accepted, body } = await query('/v1/employees', name, value);
      t.notOk(accepted || allows(value), value);
      t.same(body.errors, [{ parameter: name, code: 'format', detail: rule }], value);
    }
    const { body } = await query('/v1/employees', name, '2026-02-30T00:00:00Z');
    t.equal(body.detail, `${name} must be an existing date and time, such as 2026-01-31T00:00:00Z.`);
    t.notOk(allows('2026-02-30T00:00:00Z'));
    for (const value of [
      ...['1900-01-01T00:00:00Z', '1900-01-01T00:00:00+23:59', '1900-01-01t00:00:00.5z'],
      ...['2024-02-29T00:00:00-00:00', '9999-12-31T23:59:59Z', '9999-12-31T23:59:59-23:59'],
      '9999-12-31T23:59:59.999999999999Z',
    ]) {
      const { accepted, body } = await query('/v1/employees', name, value);
      t.ok(accepted && allows(value), `${value}: ${JSON.stringify(body)}`);
    }
  },
);

const wrongNames = [
  // White space at an end.
  ...[' ', '\t', '\u3000', ' Ada', '\u00a0Ada', '\ufeffAda', 'Ada ', 'Ada\u3000'],
  // Control and invisible characters.
  ...['a\nb', 'Ada\r', 'a\u0001', 'a\u007fb', 'a\u0085b', '\u009f', 'a\u2028b', 'a\u2029b', 'a\u202eb'],
  ...['a\u2066b\u2069', 'a\u200fb', '\u061ca', 'a\u200bb', 'a\u00adb', 'a\u034fb'],
  // Letters that are blank.
  ...['\u3164', 'A\u115f\u1160', 'Ada\uffa0', 'a\u17b4\u17b5b'],
  // Joiners that change nothing that is seen.
  ...['A\u200cda', 'Ada\u200d', '\u200cمی', 'می\u200c', 'می\u200c\u200cخواهم', 'می\u200dخواهم'],
  ...['می\u200c خواهم', 'क\u200cष', '\u{1F469}\u200d\u{1F467}'],
];
const rightNames = [
  ...['A', 'Ada', 'Ada  King', "O'Brien-李", 'a\u00a0b', '\u00a1', 'Zoe\u0308', '山田\u{E0100}'],
  ...['می\u200cخواهم', 'خانه\u200cها\u200cی', 'क्\u200dष', 'क्\u200cष', 'क्\u200d', '\u{1F468}'.repeat(100)],
];

t.test('the schemas of names reject exactly the values that the server rejects', async (t) => {
  const allows = bodyOf('UserUpdateRequest');
  const names = ['given_name', 'family_name', 'nickname'];
  const sendAll = (value: string) =>
    send('PATCH', '/v1/users/me', Object.fromEntries(names.map((name) => [name, value])));
  const allowed = (value: string) => names.filter((name) => allows({ [name]: value }));
  const errors = (code: string, text: string) =>
    names.map((name) => ({ pointer: `/${name}`, code, detail: `/${name} ${text}` }));
  const rule = 'must not contain control or invisible characters, nor begin or end with white space.';
  for (const value of wrongNames) {
    t.same(allowed(value), [], encodeURIComponent(value));
    t.same((await sendAll(value)).body.errors, errors('format', rule), encodeURIComponent(value));
  }
  t.same((await sendAll('')).body.errors, errors('too_short', 'must have 1 to 100 characters.'));
  for (const value of rightNames) {
    t.same(allowed(value), names, encodeURIComponent(value));
    t.ok((await sendAll(value)).accepted, encodeURIComponent(value));
  }
});

t.test('the schema of report titles rejects exactly the values that the server rejects', async (t) => {
  const allows = bodyOf('ReportCreateRequest');
  const created = await send('POST', '/v1/reports', { title: 'x' });
  const path = `/v1/reports/${created.body.data.id}`;
  const detail =
    '/title must not contain control or invisible characters, nor begin or end with white space.';
  const errors = [{ pointer: '/title', code: 'format', detail }];
  for (const title of wrongNames) {
    t.notOk(allows({ title }), encodeURIComponent(title));
    t.same((await send('POST', '/v1/reports', { title })).body.errors, errors, encodeURIComponent(title));
  }
  t.same((await send('PATCH', path, { title: wrongNames[0] })).body.errors, errors);
  for (const title of rightNames) {
    t.ok(allows({ title }) && (await send('PATCH', path, { title })).accepted, encodeURIComponent(title));
  }
});

/** Every node of the contract with a rule that JSON Schema cannot name, and its description. */
function* statedRules(node: unknown, description = ''): Generator<{ description: string; rule: StatedRule }> {
  if (typeof node !== 'object' || node === null) return;
  const members = node as Record<string, unknown>;
  // The description of a parameter is beside its schema.
  const text = typeof members.description === 'string' ? members.description : description;
  if (members['x-rule'] !== undefined) yield { description: text, rule: members['x-rule'] as StatedRule };
  for (const [name, member] of Object.entries(members))
    if (name !== 'x-rule') yield* statedRules(member, name === 'schema' ? text : '');
}

interface StatedRule {
  readonly name: string;
}

t.test('each description states the sentence of its rule in the catalogue', async (t) => {
  const found = [...statedRules(contract.document)];
  t.ok(found.length > 20, `${found.length} rules`);
  for (const { description, rule } of found) {
    const { name, ...params } = rule;
    if (!t.ok(isRuleName(name), name) || !isRuleName(name)) continue;
    const text = ruleText({ rule: name, params });
    const stated = description.replaceAll('`', '').replaceAll(/\s+/g, ' ');
    t.ok(stated.includes(`M${text.slice(1)}.`), `${name}: ${stated}`);
  }
});

t.test('an operation requires a user exactly if its errors include user_context_required', async (t) => {
  for (const item of Object.values(contract.document.paths)) {
    for (const operation of Object.values(item) as RawOperation[]) {
      if (operation.operationId === undefined) continue;
      const errors = JSON.stringify(inlined(operation.responses));
      const declared = errors.includes('"code":"user_context_required"');
      t.equal(operation['x-user-required'] === true, declared, operation.operationId);
    }
  }
});

t.test('the contract and the commands have one pattern of names', async (t) => {
  const { ReportTitleInput, UserUpdateRequest } = contract.document.components.schemas;
  const { given_name, family_name, nickname } = UserUpdateRequest?.properties ?? {};
  for (const schema of [ReportTitleInput, given_name, family_name, nickname])
    t.equal((schema as { pattern?: string } | undefined)?.pattern, namePattern);
});

t.test('the commands accept and reject the same names as the contract', async (t) => {
  for (const name of wrongNames) t.type(personNameRule(name), 'object', encodeURIComponent(name));
  for (const name of rightNames) t.equal(personNameRule(name), undefined, encodeURIComponent(name));
});

t.test('a long name is checked in linear time', async (t) => {
  const allows = bodyOf('UserUpdateRequest');
  // In quadratic time the test would not end.
  for (const piece of [' ', 'a', 'a ', '\u3000a', '\u0645\u200c', '\u094d\u200d', '\u0645', '\u094d'])
    t.notOk(allows({ given_name: `${piece.repeat(50_000)}\n` }));
});

t.test('the first occurrence of a repeated sort key, column or group counts', async (t) => {
  for (const [operation, path, repeated, once] of [
    ['listEmployees', '/v1/employees', '-last_name,email,last_name,-email', '-last_name,email'],
    ['listReports', '/v1/reports', 'title,-title,title', 'title'],
  ] as const) {
    t.ok(parameterOf(operation, 'sort')(repeated));
    const [given, expected] = [await query(path, 'sort', repeated), await query(path, 'sort', once)];
    t.ok(given.accepted && expected.accepted, operation);
    t.same(given.body.data, expected.body.data);
  }
  const allows = bodyOf('ReportCreateRequest');
  for (const [given, kept] of [
    [{ columns: ['email', 'id', 'email'] }, { columns: ['email', 'id'] }],
    [{ sort: ['id', '-id', '-email', 'email'] }, { sort: ['id', '-email'] }],
    [
      { group_by: ['status', 'status'], sort: ['-count', 'count'] },
      { group_by: ['status'], sort: ['-count'] },
    ],
  ]) {
    t.ok(allows({ title: 'x', ...given }));
    const created = await send('POST', '/v1/reports', { title: 'x', ...given });
    t.match(created.body.data?.attributes, kept, JSON.stringify(created.body));
    const path = `/v1/reports/${created.body.data?.id}`;
    t.match((await send('PATCH', path, { title: 'y', ...given })).body.data?.attributes, kept);
    t.ok((await send('GET', `${path}/results`)).accepted);
  }
});
