import { createHash } from 'node:crypto';
import { supportedGrantTypes } from '../../../src/oauth/token-endpoint.js';
import { randomId } from '../../../src/platform/database/ids.js';
import { startInstruments } from '../../../src/platform/observability/instruments.js';
import { Browser, hiddenFields } from '../../support/browser/browser.js';
import {
  applicationsPath,
  confirm,
  connectedPath,
  createThroughPage,
  credentialsOn,
} from '../../support/browser/pages.js';
import { openTestDatabase } from '../../support/database/database.js';
import { asOwner } from '../../support/database/owner.js';
import { authorizationRequest, createScene, refresh, revoke, tokensOf } from '../../support/oauth/users.js';
import { buildTestApp, testSecret } from '../../support/server/app.js';
import { captureLog } from '../../support/server/captured-log.js';
import { freePort } from '../../support/server/free-port.js';
import { exchange, listen, readText } from '../../support/server/sockets.js';
import { recordSpans } from '../../support/server/spans.js';
import t, { type Test } from '../../support/tap.js';

const log = captureLog();
const spans = recordSpans(t);
const opened = await openTestDatabase(t);
const metricsPort = await freePort();
const instruments = await startInstruments(
  { metricsPort, metricsHost: '127.0.0.1', tracing: true },
  opened,
  supportedGrantTypes,
);
t.teardown(() => instruments.close());
const api = await buildTestApp(t, {
  ...instruments,
  environment: { RATE_LIMIT_FAILURES: '0' },
  logger: log.logger,
});
const { app, database, clock } = api;

/** All values that must not be logged, by name. */
const secrets = new Map<string, string>([['app secret', testSecret]]);

function secret(name: string, value: string | undefined): string {
  if (value === undefined || value.length < 12) throw new Error(`There is no ${name}`);
  secrets.set(name, value);
  return value;
}

/** Expects that the output so far contains none of them, in any encoding. */
async function expectNoSecrets(t: Test): Promise<void> {
  const metrics = await readText(`http://127.0.0.1:${metricsPort}/metrics`);
  const written = { log: log.lines.join(''), spans: JSON.stringify(spans), metrics };
  for (const [name, value] of secrets) {
    const signature = value.split('.')[2];
    const shapes = [
      value,
      encodeURIComponent(value),
      Buffer.from(value).toString('hex'),
      Buffer.from(value).toString('base64').replace(/=+$/, ''),
      createHash('sha256').update(value).digest('hex'),
      ...(signature === undefined ? [] : [signature]),
    ];
    for (const [place, text] of Object.entries(written)) {
      t.notOk(
        shapes.some((shape) => text.includes(shape)),
        `${name} in ${place}`,
      );
    }
  }
  t.ok(log.done().length > 5, 'something was logged');
}

t.test('sign-in, consent and every grant log no secret, valid or not', async (t) => {
  const scene = await createScene(database, { clientType: 'confidential' });
  const { application, user } = scene;
  const client_secret = secret('client secret', application.clientSecret);
  const browser = new Browser(app);
  await browser.signIn(user.email, secret('wrong password', `wrong ${randomId(20)}`));
  await browser.signIn(secret('mistyped e-mail', `${randomId(12)}@users.example`), 'x');
  await browser.signIn(user.email, secret('password', user.password));
  secret('session', browser.cookies.get('session'));
  const { url, verifier, parameters } = authorizationRequest(scene);
  secret('verifier', verifier);
  secret('state', parameters.state);
  const page = await browser.open(url);
  secret('csrf token', hiddenFields(page.body).csrf_token);
  const response = await browser.submitForm(page, url, { decision: 'allow' });
  const code = secret(
    'code',
    new URL(String(response.headers.location)).searchParams.get('code') ?? undefined,
  );
  const form = {
    grant_type: 'authorization_code',
    client_id: application.clientId,
    client_secret,
    redirect_uri: scene.redirectUri,
    code,
    code_verifier: verifier,
  };
  const wrong = secret('wrong secret', randomId(52));
  await api.postForm('/v1/oauth/token', { ...form, client_secret: wrong });
  await api.postForm('/v1/oauth/token', { ...form, code_verifier: secret('wrong verifier', randomId(50)) });
  const first = tokensOf(await api.postForm('/v1/oauth/token', form));
  const second = tokensOf(await refresh(api, application, first.refreshToken));
  for (const [name, tokens] of Object.entries({ first, second })) {
    secret(`${name} access token`, tokens.accessToken);
    secret(`${name} refresh token`, tokens.refreshToken);
  }
  const own = secret('own token', await api.token(application));
  const basic = secret('basic', Buffer.from(`${application.clientId}:${client_secret}`).toString('base64'));
  const headers = { authorization: `Basic ${basic}` };
  await api.postForm('/v1/oauth/token', { grant_type: 'client_credentials' }, headers);
  await api.get('/v1/employees', own);
  await api.get('/v1/employees', `${own}x`);
  await api.get('/v1/oauth/userinfo', first.accessToken);
  clock.advanceSeconds(11);
  await api.postForm('/v1/oauth/token', form);
  await refresh(api, application, first.refreshToken);
  for (const token of [first.accessToken, second.refreshToken, own]) {
    await revoke(api, application, token, { client_secret: wrong });
    await revoke(api, application, token, { client_secret });
  }
  await api.get('/v1/employees', own);
  await browser.submitForm(page, '/sign_out', {});
  await browser.open(url);
  await expectNoSecrets(t);
});

t.test('the settings pages log no secret', async (t) => {
  const { user } = await createScene(database, { clientType: 'confidential' });
  const browser = new Browser(app);
  await browser.signIn(user.email, user.password);
  const shown = await createThroughPage(browser);
  secret('shown secret', credentialsOn(shown).clientSecret);
  const list = await browser.open(applicationsPath);
  const address = new RegExp(`${applicationsPath}/(?!new)[A-Za-z0-9]+`).exec(list.body)?.[0] ?? '';
  const fields = hiddenFields((await browser.open(address)).body);
  secret('csrf token of the settings', fields.csrf_token);
  secret('second secret', credentialsOn(await browser.submit(`${address}/secrets`, fields)).clientSecret);
  await browser.submit(`${address}/secrets`, { ...fields, csrf_token: secret('forged', randomId(40)) });
  await confirm(browser, `${address}/delete`);
  await browser.open(connectedPath);
  await browser.open(`/people/nowhere?code=${secret('code of a page', randomId(40))}`);
  secret('session of the settings', browser.cookies.get('session'));
  secret('known browser', browser.cookies.get('known_browser'));
  await expectNoSecrets(t);
});

t.test('hostile input and misplaced secrets are not logged', async (t) => {
  const lost = secret('lost token', randomId(40));
  const port = await listen(app);
  for (const options of [
    { url: `/v1/employees?access_token=${lost}` },
    { url: `/v1/${lost}` },
    { url: `/v1/employees/${lost}` },
    { url: `/%zz${lost}` },
    { url: `/v1/employees/${lost}${'x'.repeat(20_000)}` },
    { url: '/v1/employees', headers: { authorization: lost } },
    { url: '/v1/employees', headers: { authorization: `Bearer ${lost}` } },
    { url: '/people', headers: { cookie: `session=${lost}; visitor=${lost}` } },
    { url: '/healthz', headers: { host: lost } },
    { url: '/healthz', headers: { 'x-request-id': `${lost} with a space` } },
    { url: '/healthz', headers: { 'user-agent': lost, referer: `http://x/?code=${lost}` } },
  ]) {
    await api.injectUnchecked(options);
  }
  for (const [type, payload] of [
    ['application/json', `{"title":"${lost}`],
    ['application/json', JSON.stringify({ [lost]: lost })],
    [`text/${lost}`, lost],
    ['application/x-www-form-urlencoded', `client_id=${lost}&client_secret=${lost}&grant_type=${lost}`],
    ['application/x-www-form-urlencoded', `%zz${lost}`],
  ] as const) {
    for (const url of [
      '/v1/reports',
      '/v1/oauth/token',
      '/v1/oauth/revoke',
      '/sign_in',
      `/v1/nowhere/${lost}`,
    ]) {
      await api.injectUnchecked({ method: 'POST', url, headers: { 'content-type': type }, payload });
    }
  }
  await exchange(port, `${lost}\r\n\r\n`);
  await exchange(port, `GET /v1/employees?code=${lost} HTTP/1.1\r\nAuthorization: ${lost}\r\n\r\n`, {
    expect: 1,
  });
  await exchange(port, `POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n${lost}`, {
    half: true,
  });
  await expectNoSecrets(t);
});

t.test('database errors log no secret', async (t) => {
  const scene = await createScene(database, { clientType: 'confidential' });
  const { clientId, clientSecret } = scene.application;
  const token = secret('token', await api.token(scene.application));
  secret('secret of a client', clientSecret);
  const tables = ['refresh_tokens', 'applications', 'sessions', 'employees', 'failure_counts'];
  for (const name of tables) await asOwner(database, `ALTER TABLE ${name} RENAME TO ${name}_away`);
  const form = { client_id: clientId, client_secret: clientSecret };
  const refreshToken = secret('refresh token', randomId(40));
  const responses = [
    await api.postForm('/v1/oauth/token', {
      ...form,
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    }),
    await api.postForm('/v1/oauth/revoke', { ...form, token: refreshToken }),
    await api.get('/v1/employees', token),
    await app.inject({
      url: '/people',
      headers: { cookie: `session=${secret('unknown session', randomId(40))}` },
    }),
  ];
  for (const name of tables) await asOwner(database, `ALTER TABLE ${name}_away RENAME TO ${name}`);
  t.same(
    responses.map(({ statusCode }) => statusCode),
    [500, 500, 500, 500],
  );
  await expectNoSecrets(t);
});
