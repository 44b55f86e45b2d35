import type { InjectOptions } from 'fastify';
import { isProblem } from '../../support/contract/problem-documents.js';
import { asOwner } from '../../support/database/owner.js';
import { createTenant, makeEmployees } from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';
import { exchange, listen } from '../../support/server/sockets.js';
import t from '../../support/tap.js';

const noFailureLimit = { environment: { RATE_LIMIT_FAILURES: '0' } };
const api = await buildTestApp(t, noFailureLimit);
const port = await listen(api.app);

const form = { 'content-type': 'application/x-www-form-urlencoded' };

const post = (payload: string): InjectOptions => ({
  method: 'POST',
  url: '/v1/oauth/token',
  headers: form,
  payload,
});

t.test('accepts a body of exactly 64 KiB, and rejects one byte more', async (t) => {
  const { application } = await createTenant(api.database);
  const fields = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: application.clientId,
    client_secret: application.clientSecret,
    padding: '',
  }).toString();
  const exact = fields + 'x'.repeat(64 * 1024 - fields.length);
  t.equal((await api.app.inject(post(exact))).statusCode, 200);
  const tooLarge = await api.app.inject(post(`${exact}x`));
  isProblem(t, tooLarge, 'payload_too_large', '/v1/oauth/token');
  t.equal(tooLarge.json().error, 'invalid_request');

  const chunk = `${(0x8000).toString(16)}\r\n${'x'.repeat(0x8000)}\r\n`;
  const chunked = await exchange(
    port,
    `POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}${chunk}0\r\n\r\n`,
    { expect: 1 },
  );
  t.equal(chunked[0]?.statusCode, 413, 'with and without Content-Length');
});

t.test('an unexpected failure is 500 without internal details', async (t) => {
  const local = await buildTestApp(t, noFailureLimit);
  const { application } = await createTenant(local.database, { employees: makeEmployees(1) });
  const token = await local.token(application);
  await asOwner(local.database, 'ALTER TABLE employees RENAME TO employees_away');
  for (const url of ['/v1/employees', '/v1/employees?sort=email', '/v1/employees/unknown']) {
    const response = await local.get(url, token);
    isProblem(t, response, 'internal_error', url.replace(/\?.*/, ''));
    t.notMatch(response.body, /employees_away|relation|SELECT|prisma|42P01|stack|node_modules|account_id/i);
    t.notOk('errors' in response.json());
  }
  await asOwner(local.database, 'ALTER TABLE employees_away RENAME TO employees');
  t.equal((await local.get('/v1/employees', token)).statusCode, 200, 'the next request may succeed');
});

t.test(
  'every response of a server with an https:// BASE_URL has Strict-Transport-Security, and no other',
  async (t) => {
    const secure = await buildTestApp(t, { environment: { BASE_URL: 'https://api.test' } });
    for (const url of ['/sign_in', '/v1/employees', '/v1/employees/%', '/unknown', '/errors']) {
      const overHttps = await secure.injectUnchecked({ url });
      t.equal(overHttps.headers['strict-transport-security'], 'max-age=31536000', url);
      t.equal((await api.injectUnchecked({ url })).headers['strict-transport-security'], undefined, url);
    }
  },
);
