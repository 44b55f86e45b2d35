import {
  type Contract,
  type ContractDocument,
  createContract,
  operationOf,
} from '../../src/platform/contract/contract.js';
import { compileValidator } from '../../src/platform/contract/validator.js';
import { mergeHandlers } from '../../src/platform/http/binding/handlers.js';
import { compileSerializer } from '../../src/platform/http/binding/schema-compilers.js';
import { openTestDatabase } from '../support/database/database.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp, contract } from '../support/server/app.js';
import { sharedRoutes } from '../support/server/compiled-contract.js';
import t from '../support/tap.js';

type Writable<T> = T extends object ? { -readonly [Key in keyof T]: Writable<T[Key]> } : T;
// biome-ignore lint/suspicious/noExplicitAny: the changes of the copy are invalid on purpose.
type Doctored = Writable<ContractDocument> & { paths: Record<string, Record<string, any>> };

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database });

/** The contract with a change. */
async function doctored(change: (document: Doctored) => void): Promise<Contract> {
  const document = structuredClone(contract.document) as Doctored;
  change(document);
  return createContract(document as unknown as ContractDocument);
}

/** Media types of a body with their schemas. */
interface Body {
  readonly content?: Readonly<Record<string, { readonly schema: unknown }>>;
}

type RouteSchemas = Readonly<Partial<Record<'params' | 'querystring' | 'headers', unknown>>> & {
  readonly body?: Body;
  readonly response?: Readonly<Record<string, Body>>;
};

function contentsOf({ content = {} }: Body = {}): { readonly schema: unknown }[] {
  return Object.values(content);
}

t.test('the routes that tests share are those that fastify-openapi-glue binds at each start', async (t) => {
  const bound = await buildTestApp(t, { database, contract: await doctored(() => {}) });
  await Promise.all([bound.app.ready(), api.app.ready()]);
  t.equal(api.app.printRoutes(), bound.app.printRoutes());
});

t.test('every schema of a request or a response compiles', async (t) => {
  const routes = await sharedRoutes(contract);
  for (const [id, { schema = {} }] of routes) {
    const { params, querystring, headers, body, response = {} } = schema as RouteSchemas;
    t.doesNotThrow(() => {
      for (const part of [params, querystring, headers])
        if (part !== undefined) compileValidator({ schema: part });
      for (const content of contentsOf(body)) compileValidator({ ...content, httpPart: 'body' });
      for (const content of Object.values(response).flatMap(contentsOf)) compileSerializer(content);
    }, id);
  }
  t.throws(() => compileValidator({ schema: { unknownKeyword: true }, httpPart: 'body' }), /unknownKeyword/);
});

t.test(
  'the start fails when operations and handlers, or security and the 403 response, disagree',
  async (t) => {
    const changed = await doctored(({ paths }) => {
      paths['/v1/payslips'] = {
        get: {
          operationId: 'listPayslips',
          security: [{ oauth2: ['reports:read'] }],
          responses: { 200: { description: 'x' }, 401: { description: 'x' }, 403: { description: 'x' } },
        },
      };
      delete paths['/v1/employees/{employee_id}'];
      delete paths['/v1/employees']?.get.responses['403'];
    });
    const error = await t.rejects(buildTestApp(t, { database, contract: changed }));
    for (const message of [
      /listPayslips has no handler/,
      /getEmployee is not in the contract/,
      /listEmployees needs a token and must declare 401 and 403/,
    ])
      t.match(error, { message });
  },
);

t.test('the start fails when two features have a handler of the same operation', (t) => {
  class Employees {
    getEmployee() {}
    listEmployees() {}
  }
  class Directory {
    listEmployees() {}
  }
  t.throws(
    () => mergeHandlers(new Employees(), new Directory()),
    new Error('Two handlers are named listEmployees'),
  );
  t.end();
});

t.test('rejects a contract in which a public operation has no rate limit, or another one has', async (t) => {
  const opened = doctored(({ paths }) => {
    const { get } = paths['/v1/employees'] ?? {};
    get.security = [];
  });
  await t.rejects(opened, /listEmployees must state rate_limit/);
  const closed = doctored(({ paths }) => {
    const { post } = paths['/v1/oauth/token'] ?? {};
    post.security = [{ oauth2: [] }];
  });
  await t.rejects(closed, /createToken must state rate_limit/);
});

t.test('rejects a contract in which x-server has an unknown member or value', async (t) => {
  for (const unknown of [{ cors: 'yes' }, { queue: false }, { rate_limit: 'application' }]) {
    const changed = doctored(({ paths }) => {
      const { get } = paths['/v1/employees'] ?? {};
      get['x-server'] = unknown;
    });
    await t.rejects(changed, /listEmployees has an unknown x-server/, JSON.stringify(unknown));
  }
});

t.test('rejects a contract in which an operation has no security', async (t) => {
  for (const security of [
    undefined,
    [{ oauth2: [] }, {}],
    [{ other: [] }],
    [{ oauth2: [], other: [] }],
    [{}],
  ]) {
    await t.rejects(
      doctored(({ paths }) => {
        const { get } = paths['/v1/employees'] ?? {};
        if (security === undefined) delete get.security;
        else get.security = security;
      }),
      /listEmployees/,
      JSON.stringify(security) ?? 'none',
    );
  }
});

t.test('an operation with several requirements has the scopes of the first, and those of the others', (t) => {
  const setsOf = (id: 'getEmployee' | 'createWebhookEndpoint' | 'listReports') => {
    const { scopes, otherScopes } = operationOf(contract, id);
    return [scopes, otherScopes];
  };
  t.same(setsOf('listReports'), [['reports:read'], []]);
  t.same(setsOf('getEmployee'), [['reports:read'], [['employees:read']]]);
  t.same(setsOf('createWebhookEndpoint'), [
    ['reports:read', 'webhooks:write'],
    [['employees:read', 'webhooks:write']],
  ]);
  t.end();
});

t.test('the public operations are those of the contract', async (t) => {
  for (const { id, scopes, method, path: template } of contract.operations.values()) {
    const url = template.replaceAll(/\{[^}]*\}/g, 'x');
    const { statusCode, body } = await api.app.inject({ method: method as 'GET', url });
    const unauthorized = statusCode === 401 && JSON.parse(body).code === 'unauthorized';
    t.equal(unauthorized, scopes !== null, `${id}: ${statusCode}`);
  }
});

t.test('every scope that an operation requires exists, and every scope is required by one', async (t) => {
  const { application } = await createTenant(database);
  const names = Object.keys(contract.scopes);
  const tokens = new Map<string, string>();
  /** A token with all other scopes. */
  const tokenWithout = async (withheld: readonly string[]) => {
    const scope = names.filter((name) => !withheld.includes(name)).join(' ');
    const token = tokens.get(scope) ?? (await api.token(application, scope));
    tokens.set(scope, token);
    return token;
  };
  for (const { id, scopes, otherScopes, method, path: template } of contract.operations.values()) {
    const sets = [scopes ?? [], ...otherScopes];
    const isAlternative = (scope: string) => sets.some((set) => !set.includes(scope));
    for (const scope of sets.flat()) t.ok(scope in contract.scopes, `${id} requires ${scope}`);
    for (const scope of scopes ?? []) {
      const withheld = isAlternative(scope) ? sets.flat().filter(isAlternative) : [scope];
      const authorization = `Bearer ${await tokenWithout(withheld)}`;
      const url = template.replaceAll(/\{[^}]*\}/g, 'x');
      const response = await api.app.inject({ method: method as 'GET', url, headers: { authorization } });
      t.equal(response.statusCode, 403, id);
      t.ok(response.json().detail.includes(scope), id);
    }
  }
});

t.test('accepts every query parameter that the contract declares for a list', async (t) => {
  const { application } = await createTenant(database, { employees: makeEmployees(3) });
  const token = await api.token(application);
  const parameters = [...(contract.operations.get('listEmployees')?.queryParameters.values() ?? [])];
  t.ok(parameters.length >= 8);
  for (const { name, example } of parameters as ((typeof parameters)[number] & { example?: unknown })[]) {
    // An object is about attributes that this account does not have.
    if (typeof example === 'object') continue;
    const url = `/v1/employees?${encodeURIComponent(name)}=${encodeURIComponent(String(example))}`;
    const response = await api.get(url, token);
    t.equal(response.statusCode, 200, `${name}: ${response.body}`);
  }
});
