import { createScene, grantTokens } from '../../support/oauth/users.js';
import { createTenant } from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';
import { exchange, listen } from '../../support/server/sockets.js';
import t from '../../support/tap.js';

const api = await buildTestApp(t);
const port = await listen(api.app);
const { accessToken } = await grantTokens(api, await createScene(api.database), {
  scope: 'reports:write user:write',
});

async function send(
  contentType: string,
  payload: string | Buffer,
  target = 'POST /v1/reports',
  token = accessToken,
) {
  const body = Buffer.from(payload);
  const head = [
    `${target} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${token}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${body.length}`,
  ];
  const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
  const [response] = await exchange(port, bytes, { expect: 1 });
  return { status: response?.statusCode, problem: JSON.parse(response?.body ?? 'null') };
}

const report = JSON.stringify({ title: 'Zoë' });

t.test('accepts a JSON body with the charset utf-8 or us-ascii, in any case, quoted or not', async (t) => {
  for (const parameters of [
    ...['', ';charset=utf-8', '; charset=UTF-8', '; Charset="utf-8"', ';charset=us-ascii'],
    ...[';charset="US-ASCII"', '; a=b; charset=utf-8', '; charset=utf-8; a="charset"'],
    ...['; a="charset=utf-16"', '; mycharset=utf-16'],
  ]) {
    const { status } = await send(`application/json${parameters}`, report);
    t.equal(status, 201, parameters);
  }
});

t.test('rejects a JSON body with any other charset with 415, whatever its bytes are', async (t) => {
  const targets = ['POST /v1/reports', 'PATCH /v1/reports/unknown', 'PATCH /v1/users/me'];
  const payloads = [report, Buffer.from(report, 'utf16le'), '{'];
  const charsets = [
    ...['utf-16', 'UTF-16', '"utf-16"', 'utf-16le', 'utf-32', 'utf-7', 'iso-8859-1', 'windows-1252', 'utf8'],
    ...['', '""', 'utf-8; charset=utf-16', '"utf-8', ' = utf-16'],
  ];
  for (const [charset, payload, target] of [
    ...charsets.map((charset) => [charset, report] as const),
    ...payloads.flatMap((payload) => targets.map((target) => ['utf-16', payload, target] as const)),
  ]) {
    const { status, problem } = await send(`application/json; charset=${charset}`, payload, target);
    t.equal(status, 415, `${charset} ${target}`);
    t.equal(problem.code, 'unsupported_media_type');
    t.equal(problem.detail, 'The charset of a JSON body must be utf-8 or us-ascii.');
  }
});

t.test('checks token and scope before the charset', async (t) => {
  const { application } = await createTenant(api.database);
  const reader = await api.token(application, 'reports:read');
  const type = 'application/json; charset=utf-16';
  t.equal((await send(type, report, 'POST /v1/reports', 'x')).status, 401);
  t.equal((await send(type, report, 'POST /v1/reports', reader)).status, 403);
});
