import t from 'tap';
import { buildTestApp } from '../support/app.js';
import { createTenant, makeEmployees } from '../support/tenant.js';

const api = await buildTestApp(t);
t.test('x', async (t) => {
  const tenant = await createTenant(api.database, { employees: makeEmployees(3) });
  const token = await api.token(tenant.application);
  const probe = async (label: string, f: () => Promise<any>) => {
    try {
      const r = await f();
      t.comment(label, r.statusCode, JSON.stringify(r.headers), r.body.slice(0, 400));
    } catch (e) {
      t.comment(label, 'THROWN', String(e).slice(0, 700));
    }
  };
  const get = (u: string) => () => api.get(u, token);
  await probe('ok', get('/v1/employees'));
  await probe('NUL id', get('/v1/employees/%00'));
  await probe('9000 id', get('/v1/employees/' + 'a'.repeat(9000)));
  await probe('300 id', get('/v1/employees/' + 'a'.repeat(300)));
  await probe('empty list', get('/v1/employees?filter[status]=zzz'));
  await probe('long unknown', get('/v1/employees?' + 'a'.repeat(2000) + '=1'));
  await probe('long 404', get('/v1/' + 'a'.repeat(6000)));
  await probe('jwks bad query', get('/.well-known/jwks.json?a=%ff'));
  await probe('jwks', get('/.well-known/jwks.json'));
  await probe('meta', get('/.well-known/oauth-authorization-server'));
  await probe('404 bad json', () =>
    api.app.inject({
      method: 'POST',
      url: '/v1/nope',
      headers: { 'content-type': 'application/json' },
      payload: '{',
    }),
  );
  await probe('404 text', () =>
    api.app.inject({
      method: 'POST',
      url: '/v1/nope',
      headers: { 'content-type': 'text/plain' },
      payload: '{',
    }),
  );
  await probe('404 big', () =>
    api.app.inject({
      method: 'POST',
      url: '/v1/nope',
      headers: { 'content-type': 'application/json' },
      payload: '"' + 'a'.repeat(70000) + '"',
    }),
  );
  await probe('bad url', get('/v1/employees/%ff'));
  await probe('bad url 2', get('/%zz'));
  await probe('revoke', () => api.postForm('/v1/oauth/revoke', { token: 'x' }));
  await probe('authorize', get('/v1/oauth/authorize'));
  await probe('head', () =>
    api.app.inject({ method: 'HEAD', url: '/v1/employees', headers: { authorization: `Bearer ${token}` } }),
  );
  await probe('propfind', () => api.app.inject({ method: 'PROPFIND' as 'GET', url: '/v1/employees' }));
  await probe('query', () => api.app.inject({ method: 'QUERY' as 'GET', url: '/v1/employees' }));
  await probe('options', () => api.app.inject({ method: 'OPTIONS', url: '/v1/employees' }));
  await probe('errors', get('/errors/invalid-request'));
  await probe('quote in path', get('/v1/em"p<>|\\^`{}'));
});
