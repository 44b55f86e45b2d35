import { Writable } from 'node:stream';
import type { LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { randomId } from '../../src/platform/database/ids.js';
import { Browser } from '../support/browser/browser.js';
import { asOwner } from '../support/database/owner.js';
import { query } from '../support/database/query.js';
import {
  authorizationRequest,
  createScene,
  fromAddress,
  grantCode,
  refresh,
  revoke,
  type Scene,
  tokensOf,
} from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const lines: string[] = [];
const log = new Writable({
  write(chunk, _encoding, done) {
    lines.push(String(chunk));
    done();
  },
});
const api = await buildTestApp(t, {
  environment: { RATE_LIMIT_FAILURES: '0' },
  logger: pino({ level: 'trace' }, log),
});
const { app, database, clock } = api;

const eventsOf = (accountId: string) =>
  database.prisma.auditEvent.findMany({ where: { accountId }, orderBy: { createdAt: 'asc' } });

interface Expected {
  readonly type: string;
  readonly response: LightMyRequestResponse;
  readonly scene: Scene;
  readonly withoutApplication?: boolean;
  readonly withoutUser?: boolean;
  readonly address?: string;
}

/** Expects exactly one event of this type in the account, with these members. */
async function audited(
  t: Test,
  { type, response, scene, withoutApplication = false, withoutUser = false, address = '127.0.0.1' }: Expected,
): Promise<void> {
  const events = (await eventsOf(scene.accountId)).filter((event) => event.type === type);
  t.equal(events.length, 1, type);
  t.match(
    events[0],
    {
      accountId: scene.accountId,
      userId: withoutUser ? null : scene.user.id,
      applicationId: withoutApplication ? null : scene.application.id,
      address,
      requestId: response.headers['x-request-id'],
      createdAt: clock(),
    },
    type,
  );
}

t.test('records a sign-in, a failed sign-in and a sign-out', async (t) => {
  const scene = await createScene(database);
  const address = '192.0.2.17';
  const browser = new Browser(fromAddress(app, address));
  const { email, password } = scene.user;
  clock.advanceSeconds(1);
  const failed = await browser.signIn(email, 'wrong');
  await audited(t, { type: 'sign_in.failed', response: failed, scene, withoutApplication: true, address });
  clock.advanceSeconds(1);
  const response = await browser.signIn(email, password);
  await audited(t, { type: 'sign_in.succeeded', response, scene, withoutApplication: true, address });
  clock.advanceSeconds(1);
  const page = await browser.open(authorizationRequest(scene).url);
  const left = await browser.submitForm(page, '/sign_out', {});
  await audited(t, { type: 'sign_out', response: left, scene, withoutApplication: true, address });
  t.equal((await eventsOf(scene.accountId)).length, 3);
});

t.test('records a failed sign-in with an unknown address', async (t) => {
  const address = '192.0.2.18';
  const response = await new Browser(fromAddress(app, address)).signIn('nobody@users.example', 'wrong');
  const events = await database.prisma.systemEvent.findMany({ where: { address } });
  t.match(events, [
    {
      type: 'sign_in.failed',
      requestId: response.headers['x-request-id'],
    },
  ]);
  t.notMatch(JSON.stringify(events), /nobody@/);
});

t.test('records that a user allows or denies an application', async (t) => {
  const scene = await createScene(database);
  const browser = new Browser(app);
  await browser.signIn(scene.user.email, scene.user.password);
  const { url } = authorizationRequest(scene);
  const page = await browser.open(url);
  t.equal((await eventsOf(scene.accountId)).length, 1, 'opening the page stores no event');
  clock.advanceSeconds(1);
  const denied = await browser.submitForm(page, url, { decision: 'deny' });
  await audited(t, { type: 'consent.denied', response: denied, scene });
  clock.advanceSeconds(1);
  const allowed = await browser.submitForm(page, url, { decision: 'allow' });
  await audited(t, { type: 'consent.allowed', response: allowed, scene });
  await audited(t, { type: 'authorization_code.issued', response: allowed, scene });
  const events = await eventsOf(scene.accountId);
  const { details } = events.find(({ type }) => type === 'consent.allowed') ?? {};
  t.match(details, { scopes: ['reports:read', 'user:read'] });
});

t.test('records issued, refreshed and revoked tokens', async (t) => {
  const scene = await createScene(database);
  const { form } = await grantCode(api, scene);
  clock.advanceSeconds(1);
  const issued = await api.postForm('/v1/oauth/token', form, { 'x-request-id': 'the-exchange' });
  await audited(t, { type: 'token.issued', response: issued, scene });
  clock.advanceSeconds(1);
  const refreshed = await refresh(api, scene.application, tokensOf(issued).refreshToken);
  await audited(t, { type: 'token.refreshed', response: refreshed, scene });
  clock.advanceSeconds(1);
  const { accessToken, refreshToken } = tokensOf(refreshed);
  const one = await revoke(api, scene.application, accessToken);
  await audited(t, { type: 'token.revoked', response: one, scene });
  clock.advanceSeconds(1);
  const all = await revoke(api, scene.application, refreshToken);
  await audited(t, { type: 'grant.revoked', response: all, scene });
  const exchange = (await eventsOf(scene.accountId)).find(({ type }) => type === 'token.issued');
  t.equal(exchange?.requestId, 'the-exchange');
  t.match(exchange?.details, { grant: /.+/, scopes: ['reports:read', 'user:read'] });
});

t.test('records client credentials and a failed client authentication', async (t) => {
  const scene = await createScene(database, { clientType: 'confidential' });
  const { clientId, clientSecret } = scene.application;
  const ask = (client_secret: string) =>
    api.postForm('/v1/oauth/token', { grant_type: 'client_credentials', client_id: clientId, client_secret });
  clock.advanceSeconds(1);
  const issued = await ask(clientSecret);
  await audited(t, { type: 'token.issued', response: issued, scene, withoutUser: true });
  clock.advanceSeconds(1);
  const failed = await ask(randomId(52));
  await audited(t, { type: 'client_authentication.failed', response: failed, scene, withoutUser: true });
  const { access_token: token } = issued.json();
  clock.advanceSeconds(1);
  const revoked = await revoke(api, scene.application, token, { client_secret: clientSecret });
  await audited(t, { type: 'token.revoked', response: revoked, scene, withoutUser: true });
});

t.test('a request that is rejected without an effect stores no event', async (t) => {
  const scene = await createScene(database);
  const { form } = await grantCode(api, scene);
  const before = await eventsOf(scene.accountId);
  await api.postForm('/v1/oauth/token', { ...form, code_verifier: randomId(43) });
  await api.postForm('/v1/oauth/token', { ...form, code: '' });
  await refresh(api, scene.application, randomId(50));
  await revoke(api, scene.application, randomId(50));
  t.same(await eventsOf(scene.accountId), before);
});

t.test('no row of any table and no log line holds a password, code, verifier, token or secret', async (t) => {
  const scene = await createScene(database, { clientType: 'confidential' });
  const { application } = scene;
  const wrongPassword = `wrong ${randomId(20)}`;
  const wrongSecret = randomId(52);
  const browser = new Browser(app);
  await browser.signIn(scene.user.email, wrongPassword);
  await browser.signIn(scene.user.email, scene.user.password);
  const session = browser.cookies.get('session') ?? '';
  const { url, verifier } = authorizationRequest(scene);
  const page = await browser.open(url);
  const csrf = /name="csrf_token" value="([^"]*)"/.exec(page.body)?.[1] ?? '';
  const response = await browser.submitForm(page, url, { decision: 'allow' });
  const code = new URL(String(response.headers.location)).searchParams.get('code') ?? '';
  const form = {
    grant_type: 'authorization_code',
    client_id: application.clientId,
    client_secret: application.clientSecret,
    redirect_uri: scene.redirectUri,
    code,
    code_verifier: verifier,
  };
  await api.postForm('/v1/oauth/token', { ...form, client_secret: wrongSecret });
  const first = tokensOf(await api.postForm('/v1/oauth/token', form));
  const second = tokensOf(await refresh(api, application, first.refreshToken));
  const own = await api.token(application);
  await api.get('/v1/employees', first.accessToken);
  await api.get('/v1/employees', `${first.accessToken}x`);
  clock.advanceSeconds(11);
  await api.postForm('/v1/oauth/token', form);
  await refresh(api, application, first.refreshToken);
  const client_secret = application.clientSecret;
  for (const token of [first.accessToken, second.refreshToken, own]) {
    await revoke(api, application, token, { client_secret });
    await revoke(api, application, token, { client_secret: wrongSecret });
  }
  // The log of an internal error must not contain these values either.
  await app.inject({ url: `/v1/employees?x=${second.accessToken}` });

  const secrets: Record<string, string> = {
    password: scene.user.password,
    wrongPassword,
    wrongSecret,
    session,
    csrf,
    code,
    verifier,
    clientSecret: application.clientSecret,
    accessToken: first.accessToken,
    refreshToken: first.refreshToken,
    secondAccessToken: second.accessToken,
    secondRefreshToken: second.refreshToken,
    own,
  };
  const stored: string[] = [];
  const tables = await query<{ name: string }>(
    database,
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  t.ok(tables.length > 15);
  for (const { name } of tables) {
    const rows = await query<{ row: string }>(database, `SELECT "${name}"::text AS row FROM "${name}"`);
    stored.push(...rows.map(({ row }) => row));
  }
  const [rows, logged] = [stored.join('\n'), lines.join('\n')];
  for (const [name, secret] of Object.entries(secrets)) {
    t.ok(secret.length > 15, name);
    // Bytes are shown in hexadecimal.
    const shapes = [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64')];
    for (const shape of shapes) {
      t.notOk(rows.includes(shape), `${name} in the database`);
      t.notOk(logged.includes(shape), `${name} in the log`);
    }
    // A token is a secret because of its signature.
    const signature = secret.split('.')[2];
    if (signature !== undefined) t.notOk(`${rows}${logged}`.includes(signature), `signature of ${name}`);
  }
});

t.test('a database error is logged without the values that were sent', async (t) => {
  const scene = await createScene(database, { clientType: 'confidential' });
  const { form } = await grantCode(api, scene);
  const { clientSecret } = scene.application;
  await asOwner(database, 'ALTER TABLE refresh_tokens RENAME TO refresh_tokens_away');
  const before = lines.length;
  const response = await api.postForm('/v1/oauth/token', { ...form, client_secret: clientSecret });
  await asOwner(database, 'ALTER TABLE refresh_tokens_away RENAME TO refresh_tokens');
  t.equal(response.statusCode, 500);
  t.equal(response.json().code, 'internal_error');
  t.notMatch(response.body, /refresh_tokens|prisma|SELECT/i);
  const logged = lines.slice(before).join('\n');
  t.match(logged, /internal_error/, 'it is logged');
  for (const secret of [form.code ?? '', form.code_verifier ?? '', clientSecret]) {
    t.notOk(logged.includes(secret));
  }
  t.equal((await api.postForm('/v1/oauth/token', form)).statusCode, 200, 'the code is still valid');
});
