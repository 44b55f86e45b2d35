import postman, { type Item } from 'postman-collection';
import { rawOperation } from '../../../scripts/docs/reference/nodes.js';
import type { OperationId } from '../../../src/platform/contract/contract.js';
import {
  createApplication,
  createTenant,
  makeEmployees,
  type TestApplication,
} from '../../support/records/tenant.js';
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

const credentialsOf = ({ clientId, clientSecret }: TestApplication) => ({
  client_id: clientId,
  client_secret: clientSecret,
});

/** Thrown by a script that skips its request. */
const skipped = new Error('The request is skipped.');

/** Sends the requests in order with their scripts, as Postman does, with other initial values of variables. */
async function runCollection(given: Readonly<Record<string, string>>) {
  const variables = new Map(Object.entries({ ...collection.variables.toObject(), ...given }));
  const fill = (text: string) =>
    text.replaceAll(/\{\{(\w+)\}\}/g, (_match, name) => variables.get(name) ?? '');
  const statuses = new Map<string, number | 'skipped'>();
  const failures: string[] = [];
  const runScript = (item: Item, listen: string, response?: { statusCode: number; json: () => unknown }) => {
    const pm = {
      collectionVariables: {
        get: (name: string) => variables.get(name),
        set: (name: string, value: string) => variables.set(name, value),
      },
      execution: {
        skipRequest: () => {
          throw skipped;
        },
      },
      response: { code: response?.statusCode, json: () => response?.json() },
      test: (_name: string, check: () => void) => check(),
      expect: (expected: unknown[]) => ({
        to: {
          include: (value: unknown) =>
            expected.includes(value) || failures.push(`${item.id}: ${value} is not ${expected}`),
        },
      }),
    };
    for (const { script } of item.events.all().filter((event) => event.listen === listen)) {
      new Function('pm', script.toSource())(pm);
    }
  };
  for (const item of items.values()) {
    try {
      runScript(item, 'prerequest');
    } catch (error) {
      if (error !== skipped) throw error;
      statuses.set(item.id, 'skipped');
      continue;
    }
    const { request } = item;
    const headers = Object.fromEntries(
      request.headers
        .all()
        .filter(({ disabled }) => disabled !== true)
        .map(({ key, value }) => [key.toLowerCase(), fill(value)]),
    );
    const auth = request.auth ?? collection.auth;
    const token = fill(settingsOf(auth).accessToken ?? '');
    const form = request.body?.urlencoded
      ?.all()
      .filter(({ disabled }) => disabled !== true)
      .map(({ key, value }) => [key, fill(value)]);
    const payload =
      request.body?.mode === 'urlencoded' ? String(new URLSearchParams(form)) : request.body?.raw;
    const url = fill(fill(request.url.toString()));
    t.notMatch(url, /\{\{|:\w+_id/, 'every variable has a value');
    const { pathname, search } = new URL(url);
    const method = request.method as 'GET';
    t.equal(api.conformance.operationOf({ method, url: pathname })?.id, item.id);
    const answer = await api.injectUnchecked({
      method,
      url: `${pathname}${search}`,
      headers: { ...headers, ...(token !== '' && { authorization: `Bearer ${token}` }) },
      ...(payload !== undefined && { payload: fill(payload) }),
    });
    statuses.set(item.id, answer.statusCode);
    runScript(item, 'test', answer);
  }
  return { statuses, failures };
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
    access_token: '',
    granted_scope: '',
    employee_id: 'acmedemo00000000',
    report_id: 'fmqgsoyj0irk1sxd0oor8b277',
    event_id: 'evt_demoacme_00000001',
    webhook_endpoint_id: '7r2k9x4m1q8z5w3v6t0y2u4i6',
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
    accessToken: '{{access_token}}',
  });
});

t.test('has exactly one request for each operation', async (t) => {
  t.same([...items.keys()].sort(), [...contract.operations.keys()].sort());
});

t.test(
  'each request has the summary, the chapter, the method and the authorization of its operation',
  async (t) => {
    for (const operation of contract.operations.values()) {
      const item = items.get(operation.id);
      if (item === undefined) return t.fail('the request is missing');
      const raw = rawOperation(contract, operation);
      t.equal(item.name, raw.summary);
      t.equal(item.parent().name, raw.tags[0]);
      t.equal(item.request.method, operation.method);
      const auth = settingsOf(item.request.auth);
      if (operation.scopes === null) t.equal(item.request.auth?.type, 'noauth');
      if (auth.grant_type === 'authorization_code_with_pkce')
        t.equal(auth.scope, operation.scopes?.join(' '));
    }
  },
);

t.test('a run in order succeeds with every operation that does not need a user', async (t) => {
  const { accountId } = await createTenant(api.database, { employees: makeEmployees(2) });
  const redirectUris = [String(collection.variables.toObject().redirect_uri)];
  const application = await createApplication(api.database, accountId, { redirectUris });
  const { statuses, failures } = await runCollection(credentialsOf(application));
  t.same(failures, []);
  const others = [...statuses].filter(([, status]) => status === 'skipped' || status >= 300);
  t.same(Object.fromEntries(others), {
    authorize: 302,
    getCurrentUser: 403,
    getUserInfo: 403,
    postUserInfo: 403,
    updateCurrentUser: 403,
  });
});

t.test('a run in order has no failures in an account without employees', async (t) => {
  const { application } = await createTenant(api.database);
  const { statuses, failures } = await runCollection(credentialsOf(application));
  t.same(failures, []);
  t.equal(statuses.get('getEmployee'), 'skipped');
  t.equal(statuses.get('deleteWebhookEndpoint'), 204);
});

t.test('a run in order changes no record when the application may only read', async (t) => {
  const { accountId } = await createTenant(api.database, { employees: makeEmployees(1) });
  const application = await createApplication(api.database, accountId, { scopes: ['reports:read'] });
  const { statuses, failures } = await runCollection(credentialsOf(application));
  t.same(failures, []);
  t.equal(statuses.get('createReport'), 403);
  for (const id of ['updateReport', 'deleteReport', 'updateWebhookEndpoint', 'deleteWebhookEndpoint']) {
    t.equal(statuses.get(id), 'skipped', id);
  }
});

t.test('a run in order reads employees with employees:read alone', async (t) => {
  const { accountId } = await createTenant(api.database, { employees: makeEmployees(1) });
  const application = await createApplication(api.database, accountId, { scopes: ['employees:read'] });
  const { statuses, failures } = await runCollection(credentialsOf(application));
  t.same(failures, []);
  for (const id of ['listEmployees', 'getEmployee', 'listEvents', 'getEvent'] as const)
    t.equal(statuses.get(id), 200, id);
  t.equal(statuses.get('listReports'), 403);
});

t.test('a status that is not expected is a failure', async (t) => {
  const { failures } = await runCollection({ client_id: 'unknown' });
  t.match(failures[0], /^createToken: 401 is not 200/);
});

t.test('successful responses have the examples of the contract', async (t) => {
  for (const [id, item] of items) {
    for (const { code, body } of item.responses.all()) {
      t.ok(contract.operations.get(id)?.responses.has(code), `${id}: ${code}`);
      t.match(body, /\S/);
    }
  }
  t.equal(items.get('getEmployee')?.responses.count(), 2);
});
