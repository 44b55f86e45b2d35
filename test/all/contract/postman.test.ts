import postman, { type Item } from 'postman-collection';
import type { OperationId } from '../../../src/contract/contract.js';
import { rawOperation } from '../../../src/contract/reference/nodes.js';
import { createTenant } from '../../support/records/tenant.js';
import { buildTestApp, contract } from '../../support/server/app.js';
import t from '../../support/tap.js';

const base = 'http://api.test';
const api = await buildTestApp(t);
const response = await api.injectUnchecked({ url: '/openapi/v1.postman_collection.json' });
// Parsed by the library of Postman.
const collection = new postman.Collection(response.json());
const items = new Map<OperationId, Item>();
collection.forEachItem((item) => {
  t.notOk(items.has(item.id as OperationId), `${item.id} occurs once`);
  items.set(item.id as OperationId, item);
});
const { application } = await createTenant(api.database);
const token = await api.token(application);

/** The request as Postman sends it, with the variables of the collection. */
function requestOf({ request }: Item) {
  const variables = collection.variables;
  const fill = (text: string) => postman.Property.replaceSubstitutions(text, variables);
  const headers = Object.fromEntries(
    request.headers
      .all()
      .filter(({ disabled }) => disabled !== true)
      .map(({ key, value }) => [key.toLowerCase(), fill(value)]),
  );
  const { body } = request;
  const form = body?.urlencoded?.all().map(({ key, value }) => [key, fill(value)] as [string, string]);
  return {
    method: request.method as 'GET',
    url: fill(request.url.toString()),
    path: fill(request.url.getPath()),
    headers,
    payload: body?.mode === 'urlencoded' ? new URLSearchParams(form).toString() : body?.raw,
  };
}

function settingsOf(auth: Item['request']['auth']): Record<string, string> {
  const settings =
    auth
      ?.parameters()
      .all()
      .map(({ key, value }) => [String(key), String(value)]) ?? [];
  return Object.fromEntries(settings);
}

t.test('is a collection of version 2.1 with the variables of the server', async (t) => {
  t.match(response.headers['content-type'], /^application\/json/);
  const { info } = response.json();
  t.match(info, {
    name: contract.document.info.title,
    version: contract.document.info.version,
    schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
  });
  t.same(collection.variables.toObject(), {
    base_url: base,
    client_id: 'demobackend',
    client_secret: 'demobackendsecret',
    redirect_uri: 'http://localhost:8080/callback',
  });
  t.match(info.description, /Set the variables `client_id`, `client_secret` and `redirect_uri`/);
  t.notMatch(response.body, 'localhost:3000');
});

t.test('gets tokens with client credentials', async (t) => {
  t.equal(collection.auth?.type, 'oauth2');
  t.match(settingsOf(collection.auth), {
    grant_type: 'client_credentials',
    accessTokenUrl: '{{base_url}}/v1/oauth/token',
    clientId: '{{client_id}}',
    clientSecret: '{{client_secret}}',
    addTokenTo: 'header',
  });
});

t.test('has exactly one request for each operation', async (t) => {
  t.same([...items.keys()].sort(), [...contract.operations.keys()].sort());
});

for (const operation of contract.operations.values()) {
  t.test(`the server accepts the request of ${operation.id}`, async (t) => {
    const item = items.get(operation.id);
    if (item === undefined) return t.fail('the request is missing');
    const raw = rawOperation(contract, operation);
    t.equal(item.name, raw.summary);
    t.equal(item.parent().name, raw.tags[0]);

    const { method, url, path, headers, payload } = requestOf(item);
    t.equal(method, operation.method);
    t.notMatch(url, /\{\{|:\w+_id/, 'every variable has a value');
    t.equal(api.conformance.operationOf({ method, url: path })?.id, operation.id);

    const auth = settingsOf(item.request.auth);
    const type = item.request.auth?.type;
    if (operation.scopes === null) t.equal(type, 'noauth');
    const target = new URL(url);
    const answer = await api.injectUnchecked({
      method,
      url: `${target.pathname}${target.search}`,
      headers: { ...headers, ...(type !== 'noauth' && { authorization: `Bearer ${token}` }) },
      ...(payload !== undefined && { payload }),
    });
    if (auth.grant_type === 'authorization_code_with_pkce') {
      t.equal(auth.scope, operation.scopes?.join(' '));
      return t.equal(answer.json().code, 'user_context_required');
    }
    // The demo application and the records of the examples do not exist, and its cursor belongs to another account.
    if (answer.statusCode === 400) return t.match(answer.json().detail, 'must be a cursor of this account');
    const expected = operation.scopes === null ? [200, 302, 401] : [200, 201, 204, 404, 412];
    return t.ok(expected.includes(answer.statusCode), `${answer.statusCode} ${answer.body.slice(0, 300)}`);
  });
}

t.test('successful responses have the examples of the contract', async (t) => {
  for (const [id, item] of items) {
    for (const { code, body } of item.responses.all()) {
      t.ok(contract.operations.get(id)?.responses.has(code), `${id}: ${code}`);
      t.match(body, /\S/);
    }
  }
  t.equal(items.get('getEmployee')?.responses.count(), 1);
});
