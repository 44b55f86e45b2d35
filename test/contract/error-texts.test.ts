import type { ErrorObject } from 'ajv';
import { exampleProblem } from '../../scripts/docs/pages/error-pages.js';
import {
  isRequired,
  type JsonSchema,
  type Operation,
  type Parameter,
  type ProblemCode,
  resolve,
} from '../../src/platform/contract/contract.js';
import { violationOf } from '../../src/platform/problems/describe-validation.js';
import { ruleText } from '../../src/platform/problems/rule-texts.js';
import { authorizationRequest, createScene, grantTokens } from '../support/oauth/users.js';
import { buildTestApp, contract } from '../support/server/app.js';
import t from '../support/tap.js';

/** Messages of Ajv, Fastify, Node.js and PostgreSQL. */
const rawMessage =
  /must match|must NOT|should|allowed values|additional propert|is not valid|pattern|FST_ERR|Unexpected token|querystring|undefined|\^\[/;
/** Words that the documentation of APIs does not use in this way. */
const oddWord =
  /\b(answer\w*|refus\w*|whoever|somebody|nobody|moment|faults?|is told|leave out|left out|gives? up|hand\w* out|good for|trades?|in the end)\b/i;

interface Keyword {
  readonly place: string;
  readonly keyword: string;
  readonly schema: JsonSchema;
}

const constraints = [
  ...['additionalProperties', 'enum', 'format', 'maxItems', 'maxLength', 'maximum', 'minItems', 'minLength'],
  ...['maxProperties', 'minProperties', 'minimum', 'pattern', 'required', 'type', 'x-discriminator'],
];
/** Keywords that describe, that contain other schemas, or whose findings are replaced by those of a branch. */
const others = [
  ...['anyOf', 'description', 'example', 'examples', 'items', 'oneOf', 'properties', 'x-enum-varnames'],
  'x-extensible-enum',
  'x-rule',
];

/** Every keyword of a schema and of the schemas in it. */
function* keywordsOf(node: unknown, place: string): Generator<Keyword> {
  const schema = resolve<JsonSchema>(contract.document, node);
  for (const keyword of Object.keys(schema)) yield { place, keyword, schema };
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    yield* keywordsOf(member, `${place}/${name}`);
  }
  if (schema.items !== undefined) yield* keywordsOf(schema.items, `${place}/*`);
  for (const branch of (schema.oneOf ?? []) as unknown[]) yield* keywordsOf(branch, place);
  // The findings of the other branches are not reported.
  const [first] = (schema.anyOf ?? []) as unknown[];
  if (first !== undefined) yield* keywordsOf(first, place);
}

interface RawOperation {
  readonly operationId: string;
  readonly parameters?: readonly unknown[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: unknown }>> };
}

function rawOperations(): RawOperation[] {
  return Object.values(contract.document.paths)
    .flatMap((item) => Object.values(item) as RawOperation[])
    .filter(({ operationId }) => operationId !== undefined);
}

function parametersOf(id: string): Parameter[] {
  const { parameters = [] } = rawOperations().find(({ operationId }) => operationId === id) ?? {};
  return parameters.map((parameter) => resolve<Parameter>(contract.document, parameter));
}

function* requestKeywords(): Generator<Keyword> {
  for (const { operationId, requestBody } of rawOperations()) {
    for (const { name, schema, ...parameter } of parametersOf(operationId)) {
      const { description } = parameter as { description?: string };
      yield* keywordsOf(
        { ...resolve<JsonSchema>(contract.document, schema), description },
        `${operationId} ${name}`,
      );
    }
    for (const { schema } of Object.values(requestBody?.content ?? {})) {
      yield* keywordsOf(schema, `${operationId} body`);
    }
  }
}

/** What Ajv reports about a value that breaks a keyword. */
function finding({ keyword, schema }: Keyword): ErrorObject {
  const value = schema[keyword];
  return {
    keyword: keyword === 'x-discriminator' ? 'discriminator' : keyword,
    instancePath: '',
    schemaPath: '',
    message: 'must NOT be shown',
    params: {
      limit: value,
      type: value,
      format: value,
      pattern: value,
      allowedValues: value,
      tag: value,
      missingProperty: 'x',
      additionalProperty: 'x',
    },
    parentSchema: JSON.parse(JSON.stringify(schema), (_, node) =>
      typeof node?.$ref === 'string' ? resolve(contract.document, node) : node,
    ),
  };
}

/** Values that a text must contain, by keyword. */
function validValues({ keyword, schema }: Keyword): string[] {
  const value = schema[keyword];
  switch (keyword) {
    case 'minimum':
    case 'maximum':
      return [String(schema.minimum), String(schema.maximum)];
    case 'minLength':
    case 'maxLength':
    case 'minItems':
    case 'minProperties':
      return value === 0 ? [] : [String(value)];
    case 'enum':
      return value as string[];
    case 'additionalProperties':
      return Object.keys(schema.properties ?? {});
    default:
      return [];
  }
}

t.test('every keyword of every request schema has a sentence with the valid values', async (t) => {
  const seen = new Set<string>();
  // Collected, because thousands of assertions take longer than what they check.
  const wrong: string[] = [];
  for (const found of requestKeywords()) {
    const { place, keyword, schema } = found;
    if (others.includes(keyword)) continue;
    if (!constraints.includes(keyword)) wrong.push(`${place}: ${keyword} is not a known keyword`);
    // Items of an array that must be empty are reported for the array.
    if (keyword === 'enum' && (schema.enum ?? []).join() === '') continue;
    seen.add(keyword);
    const text = ruleText(violationOf(finding(found)));
    const isSentence = /^(must (be|have|not) |is (required$|unknown; valid members are ))/.test(text);
    const hasValues = validValues(found).every((value) => text.includes(value));
    if (!isSentence || rawMessage.test(text) || !hasValues) wrong.push(`${place}: ${keyword}: ${text}`);
  }
  t.same(wrong, []);
  t.same([...seen].sort(), [...constraints].sort(), 'the contract uses every known keyword');
});

const codes: Readonly<Record<string, string>> = {
  ...{ type: 'type', required: 'required', enum: 'not_allowed', pattern: 'format', format: 'format' },
  ...{ minimum: 'out_of_range', maximum: 'out_of_range', minLength: 'too_short', maxLength: 'too_long' },
};

/** Values that break each keyword of a parameter. */
function invalidValues(name: string, schema: JsonSchema): [keyword: string, value: string][] {
  const { minimum, maximum, minLength, maxLength, pattern, format } = schema;
  const values: [string, string][] = [];
  if (schema.type === 'integer') values.push(['type', 'abc'], ['type', '1.5'], ['type', '']);
  if (minimum !== undefined) values.push(['minimum', String(Number(minimum) - 1)]);
  if (maximum !== undefined) values.push(['maximum', String(Number(maximum) + 1)]);
  if (format === 'int32') values.push(['format', '99999999999']);
  if (format === 'date-time') values.push(['format', '2026-02-30T00:00:00Z']);
  if (
    minLength !== undefined &&
    name !== 'if-match' &&
    name !== 'if-none-match' &&
    name !== 'idempotency-key'
  ) {
    values.push(['minLength', 'x'.repeat(Number(minLength) - 1)]);
  }
  // Longer headers exceed the limit of all headers together.
  // A request_uri that is too long is unknown, with the same error as any other.
  if (maxLength !== undefined && Number(maxLength) < 8192 && name !== 'request_uri') {
    values.push(['maxLength', 'x'.repeat(Number(maxLength) + 1)]);
  }
  if (pattern !== undefined && name !== 'state') {
    const accepts = new RegExp(String(pattern), 'u');
    values.push(['pattern', ['!', ',', 'a\tb'].find((value) => !accepts.test(value)) ?? '']);
  }
  if (schema.enum !== undefined) values.push(['enum', 'other']);
  return values;
}

t.test('every invalid parameter gets one error that names it and states the valid values', async (t) => {
  const api = await buildTestApp(t);
  const scene = await createScene(api.database);
  const { accessToken } = await grantTokens(api, scene, { scope: Object.keys(contract.scopes).join(' ') });
  const headers = { authorization: `Bearer ${accessToken}` };
  const { url: authorizeUrl } = authorizationRequest(scene);

  const send = async ({ id, method, path }: Operation, parameter: Parameter, value: string | undefined) => {
    const { name } = parameter;
    const url = new URL(
      id === 'authorize' ? authorizeUrl : path.replace(/\{\w+\}/, 'unknown'),
      'http://api.test',
    );
    if (parameter.in === 'query') url.searchParams.delete(name);
    if (parameter.in === 'query' && value !== undefined) url.searchParams.set(name, value);
    return api.app.inject({
      method: method as 'GET',
      url: `${url.pathname}${url.search}`,
      headers: { ...headers, ...(parameter.in === 'header' && { [name]: value }) },
      ...(method === 'POST' && {
        payload: id === 'createWebhookEndpoint' ? { url: 'https://hooks.partner.example/' } : { title: 'X' },
      }),
      ...(method === 'PATCH' && { payload: { title: 'X' } }),
    });
  };

  let count = 0;
  for (const operation of contract.operations.values()) {
    for (const parameter of parametersOf(operation.id)) {
      if (parameter.in === 'path') continue;
      const { name } = parameter;
      const schema = resolve<JsonSchema>(contract.document, parameter.schema);
      const cases: [string, string | undefined][] = invalidValues(name, schema);
      if (isRequired(parameter)) cases.push(['required', undefined]);
      for (const [keyword, value] of cases) {
        const label = `${operation.id} ${name}: ${keyword}`;
        const response = await send(operation, parameter, value);
        t.equal(response.statusCode, 400, `${label}: ${response.body}`);
        const { detail, errors } = response.json();
        const place = parameter.in === 'header' ? { header: name } : { parameter: name };
        const isInteger = schema.type === 'integer';
        // The invalid value has one character.
        const isShort = keyword === 'pattern' && Number(schema.minLength) > 1;
        const code =
          keyword === 'format' && isInteger ? 'out_of_range' : isShort ? 'too_short' : codes[keyword];
        t.same(errors, [{ ...place, code, detail }], label);
        t.match(detail, /^\S+ (must (be|have|not) |is required).*\.$/, label);
        t.ok(detail.startsWith(`${name} `), label);
        t.notMatch(detail, rawMessage, label);
        count += 1;
      }
    }
  }
  t.ok(count > 60, `${count} invalid parameters`);
});

t.test('every error of the catalogue has an explanation without jargon', async (t) => {
  for (const [code, kind] of Object.entries(contract.problems)) {
    const { description, causes, resolution } = kind;
    for (const text of [description, ...causes, resolution]) {
      t.match(text, /^[A-Z`].*\.$/s, `${code}: ${text}`);
      t.notMatch(text, oddWord, `${code}: ${text}`);
    }
    const { detail, errors = [] } = exampleProblem(contract, code as ProblemCode);
    for (const text of [detail, ...errors.map((error) => error.detail)]) {
      t.notMatch(text, rawMessage, `${code}: ${text}`);
      t.notMatch(text, oddWord, `${code}: ${text}`);
    }
  }
});

t.test('no example of the contract shows a raw message of a library', async (t) => {
  for (const [name, { value }] of Object.entries(contract.document.components.examples)) {
    const { detail, errors = [] } = (value ?? {}) as { detail?: string; errors?: { detail: string }[] };
    for (const text of [detail ?? '', ...errors.map((error) => error.detail)]) {
      t.notMatch(text, rawMessage, name);
      t.notMatch(text, oddWord, name);
    }
  }
});
