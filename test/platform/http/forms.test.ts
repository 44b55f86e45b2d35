import { parseForm } from '../../../src/platform/http/form-parser.js';
import { createTenant } from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';
import t from '../../support/tap.js';

const api = await buildTestApp(t);

const pairs = (count: number, pair = 'a=1') => Array(count).fill(pair).join('&');

t.test('rejects a form of 64 KiB that repeats a field 16,384 times before it is processed', async (t) => {
  // Processing would take quadratic time.
  for (const [url, maximum] of [
    ...[['/v1/oauth/token', 100] as const, ['/v1/oauth/revoke', 100] as const],
    ...[['/sign_in', 100] as const, ['/v1/oauth/authorize', 100] as const],
    ['/people/employees/new', 1000],
  ] as const) {
    const { statusCode, body } = await api.postForm(url, pairs(16_384));
    t.equal(statusCode, 400, url);
    t.match(body, `A form must have at most ${maximum} name-value pairs.`, url);
  }
});

t.test('accepts 100 pairs and rejects 101 with a detail that names the limit', async (t) => {
  const { application } = await createTenant(api.database);
  const { clientId, clientSecret } = application;
  const grant = `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`;
  const accepted = await api.postForm('/v1/oauth/token', `${grant}&${pairs(97)}`);
  t.equal(accepted.statusCode, 200, accepted.body);

  for (const pair of ['a=1', 'a=', 'a']) {
    const rejected = await api.postForm('/v1/oauth/token', `${grant}&${pairs(98, pair)}`);
    t.equal(rejected.statusCode, 400, pair);
    t.match(rejected.json(), {
      code: 'invalid_request',
      error: 'invalid_request',
      detail: 'A form must have at most 100 name-value pairs.',
    });
  }
});

t.test('a page of the account accepts 1,000 pairs and rejects 1,001', async (t) => {
  for (const [count, isAccepted] of [
    [1_000, true],
    [1_001, false],
  ] as const) {
    const { body } = await api.postForm('/people/employees/new', pairs(count));
    t.equal(body.includes('name-value pairs'), !isAccepted, String(count));
  }
});

t.test('treats an empty value as omitted, before and after another value', async (t) => {
  t.same({ ...parseForm('a=&b=1&b=&c=&c=2&d') }, { b: '1', c: '2' });
});

t.test('reads a repeated field as a list of its values in their order', async (t) => {
  t.same({ ...parseForm('a=1&b=x&a=2&a=3') }, { a: ['1', '2', '3'], b: 'x' });
});
