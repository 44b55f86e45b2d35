import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { mcpToken } from '../support/mcp/call-tool.js';
import { listenForMcp } from '../support/mcp/mcp-app.js';
import { connect } from '../support/mcp/mcp-client.js';
import { createTenant } from '../support/records/tenant.js';
import { contract } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await listenForMcp(t);
const { application } = await createTenant(api.database);

const json = 'application/json';

/** Operations with scopes and only JSON bodies, without the UserInfo endpoint, read from the contract independently of the server. */
const expected = [...contract.operations.values()].filter(
  ({ scopes, responses }) =>
    scopes !== null &&
    !scopes.includes('openid') &&
    [200, 201, 202].flatMap((status) => responses.get(status) ?? []).every((type) => type === json),
);

async function listFor(t: Parameters<typeof connect>[0], scope?: string) {
  const client = await connect(t, api.baseUrl, await mcpToken(api, application, scope));
  return (await client.listTools()).tools;
}

t.test('every JSON operation of the contract with scopes is a tool, and nothing else', async (t) => {
  const tools = await listFor(t);
  t.ok(expected.length >= 10);
  t.same(tools.map(({ name }) => name).sort(), expected.map(({ id }) => id).sort());
});

t.test('a tool is listed if and only if the token has the scopes of its operation', async (t) => {
  for (const scope of [
    'reports:read',
    'employees:read',
    'employees:read webhooks:write',
    'user:read',
    'reports:write',
    'user:write',
    'reports:read user:read',
  ]) {
    const held = scope.split(' ');
    const names = (await listFor(t, scope)).map(({ name }) => name);
    const allowed = expected.filter(({ scopes, otherScopes }) =>
      [scopes, ...otherScopes].some((set) => set?.every((needed) => held.includes(needed))),
    );
    t.same(names.sort(), allowed.map(({ id }) => id).sort(), scope);
  }
});

/** In the order of the contract. A new tool is added to this list; the name of an existing one never changes. */
const names = [
  'listEmployees',
  'getEmployee',
  'listEmployeeChanges',
  'listEmployeeAttributes',
  'listReports',
  'createReport',
  'getReport',
  'updateReport',
  'deleteReport',
  'runReport',
  'listReportColumns',
  'listEvents',
  'getEvent',
  'listWebhookEndpoints',
  'createWebhookEndpoint',
  'getWebhookEndpoint',
  'updateWebhookEndpoint',
  'deleteWebhookEndpoint',
  'createWebhookEndpointSecret',
  'createWebhookEndpointTestDelivery',
  'listWebhookEndpointDeliveries',
  'createWebhookEndpointResumption',
  'getCurrentUser',
  'updateCurrentUser',
];

t.test('names and order of the tools are stable, for every token', async (t) => {
  t.same(
    (await listFor(t)).map(({ name }) => name),
    names,
  );
  t.same(
    (await listFor(t)).map(({ name }) => name),
    names,
    'a second time',
  );
  const some = (await listFor(t, 'user:write user:read reports:read')).map(({ name }) => name);
  t.same(
    some,
    names.filter((name) => some.includes(name)),
    'a token with fewer scopes',
  );
});

t.test('every tool that returns JSON has the schema of the response, and the others have none', async (t) => {
  const ajv = new Ajv2020({ strict: false });
  ajvFormats.default(ajv);
  const without: string[] = [];
  for (const { name, outputSchema } of await listFor(t)) {
    if (outputSchema === undefined) {
      without.push(name);
      continue;
    }
    const schema = outputSchema as AnySchema;
    t.doesNotThrow(() => ajv.compile(schema), name);
    t.equal(outputSchema.type, 'object', name);
    t.notMatch(JSON.stringify(outputSchema), /#\/components|"x-/, name);
    t.equal(ajv.validate(schema, {}), false, `${name} requires its members`);
    t.equal(ajv.validate(schema, { status: 404, code: 'not_found', title: 'x' }), false, name);
  }
  t.same(without, ['deleteReport', 'deleteWebhookEndpoint']);
});

t.test('hints follow from the method, and a read-only token lists no tool that changes data', async (t) => {
  for (const { annotations } of await listFor(t, 'reports:read user:read')) {
    t.match(annotations, { readOnlyHint: true, destructiveHint: false });
  }
  const hints = new Map((await listFor(t)).map(({ name, annotations }) => [name, annotations]));
  t.match(hints.get('createReport'), { readOnlyHint: false, destructiveHint: false, idempotentHint: false });
  t.match(hints.get('updateReport'), { readOnlyHint: false, destructiveHint: true });
  t.match(hints.get('deleteReport'), { readOnlyHint: false, destructiveHint: true, idempotentHint: true });
});

t.test('the schema of every tool is valid, closed and complete, with names that models accept', async (t) => {
  const ajv = new Ajv2020({ strict: false });
  ajvFormats.default(ajv);
  for (const { name, description, inputSchema } of await listFor(t)) {
    t.doesNotThrow(() => ajv.compile(inputSchema), name);
    t.equal(inputSchema.additionalProperties, false);
    t.ok(description);
    for (const argument of Object.keys(inputSchema.properties ?? {})) t.match(argument, /^[a-z0-9_]{1,64}$/);
    t.notMatch(JSON.stringify(inputSchema), /#\/components|"x-/);
  }
});

t.test('arguments are the parameters and the body of the operation', async (t) => {
  const schemas = new Map((await listFor(t)).map(({ name, inputSchema }) => [name, inputSchema]));
  t.ok(Object.keys(schemas.get('listEmployees')?.properties ?? {}).includes('page_size'));
  t.same(schemas.get('getEmployee')?.required, ['employee_id']);
  t.same(Object.keys(schemas.get('getReport')?.properties ?? {}), ['report_id']);
  t.same(schemas.get('updateReport')?.required, ['report_id', 'body']);
  t.same(Object.keys(schemas.get('createReport')?.properties ?? {}), ['idempotency_key', 'body']);
});
