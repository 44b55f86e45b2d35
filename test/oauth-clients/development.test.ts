import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { LightMyRequestResponse } from 'fastify';
import { migrationsDirectory } from '../../src/platform/database/migrations.js';
import { Browser, hiddenFields } from '../support/browser/browser.js';
import {
  applicationsPath,
  connectedPath,
  createThroughPage,
  expectRedirect,
  formOn,
  isPage,
} from '../support/browser/pages.js';
import { openTestDatabase } from '../support/database/database.js';
import { asOwner } from '../support/database/owner.js';
import { responseParameters } from '../support/oauth/authorize-responses.js';
import {
  authorizationRequest,
  createScene,
  createUser,
  expectOAuthError,
  expectTokenRejected,
  grantCode,
  grantTokens,
  refresh,
  type Scene,
  signedInBrowser,
  type TestUser,
  tokenAccepted,
} from '../support/oauth/users.js';
import { createApplication } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });
const production = await buildTestApp(t, {
  database,
  environment: { NODE_ENV: 'production', BASE_URL: 'https://api.test', RATE_LIMIT_FAILURES: '0' },
});
const { prisma } = database;

const developmentPath = `${applicationsPath}/development`;
const inDevelopment = [['in_development', 'yes']];
const anyPort = 'http://localhost/callback';

const stored = ({ id }: { id: string }) => prisma.application.findFirstOrThrow({ where: { id } });

/** A browser that is signed in at the production server. */
async function inProduction({ email, password }: TestUser): Promise<Browser> {
  const browser = new Browser(production.app);
  await browser.signIn(email, password);
  return browser;
}

/** Allows or forbids applications in development, as this user. */
async function setPolicy(browser: Browser, allowed: boolean): Promise<LightMyRequestResponse> {
  const { development_allowed: _, ...hidden } = hiddenFields((await browser.open(developmentPath)).body);
  return browser.submit(developmentPath, { ...hidden, ...(allowed && { development_allowed: 'yes' }) });
}

async function forbid({ user }: Scene): Promise<void> {
  const response = await setPolicy(await signedInBrowser(api, user), false);
  if (response.statusCode !== 303) throw new Error(`${response.statusCode} ${response.body}`);
}

/** Status of the consent screen for a redirect URI. */
async function statusFor(scene: Scene, redirect_uri: string): Promise<number> {
  const browser = await signedInBrowser(api, scene.user);
  const { statusCode } = await browser.open(authorizationRequest(scene, { redirect_uri }).url);
  return statusCode;
}

t.test('a new application with http://localhost is in development, in every environment', async (t) => {
  const { user } = await createScene(database);
  const { accountId } = user;
  const uris = ['http://localhost', 'http://localhost/callback', 'http://localhost:5173/back?x=1'];
  const productionBrowser = await inProduction(user);
  for (const [name, browser, more] of [
    ['With the checkbox', await signedInBrowser(api, user), inDevelopment],
    ['Without the checkbox', await signedInBrowser(api, user), []],
    ['In production', productionBrowser, []],
  ] as const) {
    isPage(t, await createThroughPage(browser, { name, redirect_uris: uris }, [...more]));
    const created = await prisma.application.findFirstOrThrow({ where: { accountId, name } });
    t.match(created, { redirectUris: uris, inDevelopment: true }, name);
  }
  const live = { name: 'Live', redirect_uris: ['https://a.example/http://localhost'] };
  isPage(t, await createThroughPage(productionBrowser, live));
  t.match(await prisma.application.findFirst({ where: { accountId, name: 'Live' } }), {
    inDevelopment: false,
  });
  const events = await prisma.auditEvent.findMany({
    where: { accountId: user.accountId, type: 'application.created' },
  });
  t.same(events.map(({ details }) => Object(details).in_development).sort(), ['no', 'yes', 'yes', 'yes']);
});

t.test('literal addresses are rejected in development too, and the error names localhost', async (t) => {
  const { user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const form = await browser.open(`${applicationsPath}/new`);
  for (const uri of [
    'http://127.0.0.1/callback',
    'http://127.0.0.1:8080/callback',
    'http://[::1]/callback',
    'http://[::1]:8080/callback',
    'http://[::ffff:127.0.0.1]/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0.0.0.0/',
    'HTTP://127.0.0.1/',
  ]) {
    // The checkbox is no reason to accept one; two are tried without it.
    for (const more of uri.includes('8080') ? [[], inDevelopment] : [inDevelopment]) {
      const page = await createThroughPage(browser, { redirect_uris: [uri] }, more, form);
      isPage(t, page, 400, uri);
      t.match(page.body, /field-error">Line 1: IP addresses such as 127.0.0.1 and \[::1\] are not accepted/);
      t.match(page.body, /use http:\/\/localhost, in an application in development/);
    }
  }
  for (const uri of [
    'http://localhost.evil.example/',
    'http://app.localhost/',
    'http://localhost./',
    'http://a.example/',
    'http://user@localhost/',
    'http://localhost/#fragment',
    'http://localhost:*/callback',
    'http://localhost:65536/callback',
  ]) {
    isPage(t, await createThroughPage(browser, { redirect_uris: [uri] }, inDevelopment, form), 400, uri);
  }
  const page = await createThroughPage(browser, { redirect_uris: ['http://a.example/'] }, inDevelopment);
  t.match(
    page.body,
    /field-error">Line 1: The redirect URI must start with https:\/\/, or with http:\/\/localhost\.</,
  );
});

t.test('a URI without a port is valid with any port, and its path is exact', async (t) => {
  const scene = await createScene(database, { redirectUri: anyPort });
  for (const uri of [
    anyPort,
    'http://localhost:1/callback',
    'http://localhost:80/callback',
    'http://localhost:51234/callback',
    'http://localhost:65535/callback',
  ]) {
    t.equal(await statusFor(scene, uri), 200, uri);
  }
  for (const uri of [
    'http://localhost:0/callback',
    'http://localhost:65536/callback',
    'http://localhost:99999/callback',
    'http://localhost:080/callback',
    'http://localhost:/callback',
    'http://localhost:8080',
    'http://localhost:8080/',
    'http://localhost:8080/callback/',
    'http://localhost:8080/Callback',
    'http://localhost:8080/callback?x=1',
    'http://localhost:8080/callback#x',
    'http://localhost:8080/./callback',
    'http://localhost:8080//callback',
    'http://localhost:8080/%63allback',
    'http://LOCALHOST:8080/callback',
    'HTTP://localhost:8080/callback',
    'https://localhost:8080/callback',
    'https://localhost/callback',
    'http://localhost.:8080/callback',
    'http://127.0.0.1:8080/callback',
    'http://[::1]:8080/callback',
    'http://localhost.evil.example:8080/callback',
    'http://localhost:8080.evil.example/callback',
    'http://localhost:8080@evil.example/callback',
    'http://user@localhost:8080/callback',
    'http://localhost:8080\\@evil.example/callback',
    'http://localhost:8080:8080/callback',
    'http://evil.example/http://localhost/callback',
    ' http://localhost:8080/callback',
  ]) {
    t.equal(await statusFor(scene, uri), 400, uri);
  }
});

t.test('a URI with a port, or of https, is exact', async (t) => {
  for (const [redirectUri, others] of [
    [
      'http://localhost:8080/callback',
      ['http://localhost:8081/callback', 'http://localhost/callback', 'http://localhost:808/callback'],
    ],
    ['http://localhost:80/callback', ['http://localhost/callback', 'http://localhost:81/callback']],
    ['https://a.example/callback', ['https://a.example:8443/callback', 'https://a.example:443/callback']],
    ['https://localhost/callback', ['https://localhost:8443/callback', 'http://localhost:8443/callback']],
  ] as const) {
    const scene = await createScene(database, { redirectUri });
    await prisma.application.updateMany({
      where: { id: scene.application.id },
      data: { inDevelopment: true },
    });
    t.equal(await statusFor(scene, redirectUri), 200, redirectUri);
    for (const uri of others) t.equal(await statusFor(scene, uri), 400, `${uri} for ${redirectUri}`);
  }
});

t.test('a code is sent to the requested port and exchanged with that URI only', async (t) => {
  const scene = await createScene(database, { redirectUri: anyPort });
  const redirectUri = 'http://localhost:51234/callback';
  const browser = await inProduction(scene.user);
  const { url, verifier } = authorizationRequest(scene, { redirect_uri: redirectUri });
  const response = await browser.submitForm(await browser.open(url), url, { decision: 'allow' });
  const code = responseParameters(t, response, redirectUri).get('code') ?? '';
  const form = {
    grant_type: 'authorization_code',
    client_id: scene.application.clientId,
    code,
    code_verifier: verifier,
  };
  for (const uri of [anyPort, 'http://localhost:51235/callback', 'http://localhost:80/callback']) {
    const rejected = await production.postForm('/v1/oauth/token', { ...form, redirect_uri: uri });
    expectOAuthError(t, rejected, 'invalid_grant', { label: uri });
  }
  const exchanged = await production.postForm('/v1/oauth/token', { ...form, redirect_uri: redirectUri });
  t.equal(exchanged.statusCode, 200, exchanged.body);
});

t.test('an application that is not in development sends nothing to http://localhost', async (t) => {
  for (const redirectUri of [anyPort, 'http://localhost:8080/callback', 'http://a.example/']) {
    const scene = await createScene(database, { redirectUri });
    const where = { id: scene.application.id };
    await prisma.application.updateMany({ where, data: { inDevelopment: false } });
    for (const uri of [redirectUri, 'http://localhost:8081/callback']) {
      t.equal(await statusFor(scene, uri), 400, uri);
    }
  }
});

t.test('a user of another account cannot authorize an application in development', async (t) => {
  const scene = await createScene(database, { redirectUri: anyPort });
  const { user } = await createScene(database);
  t.equal(await statusFor({ ...scene, user }, 'http://localhost:8080/callback'), 403);
});

t.test(
  'leaving development requires https:// only, and deletes codes that were sent elsewhere',
  async (t) => {
    const scene = await createScene(database, { redirectUri: anyPort });
    const { application, user, accountId } = scene;
    const address = `${applicationsPath}/${application.id}/edit`;
    const redirectUri = 'http://localhost:51234/callback';
    const local = await grantCode(api, { ...scene, redirectUri });
    const browser = await signedInBrowser(api, user);
    const edit = async (redirect_uris: string[], more: string[][] = []) => {
      const changes = { name: 'Edited', redirect_uris, scopes: ['reports:read', 'user:read'] };
      return browser.submit(address, [...formOn(await browser.open(address), changes), ...more]);
    };
    for (const uris of [[anyPort], ['https://a.example/', 'http://localhost:3000/']]) {
      const page = await edit(uris);
      isPage(t, page, 400);
      t.match(page.body, /http:\/\/localhost is for applications in development only/);
    }
    t.match(await stored(application), { inDevelopment: true, redirectUris: [anyPort] });

    expectRedirect(t, await edit([anyPort, 'https://a.example/'], inDevelopment), /application_updated/);
    const codes = () => prisma.authorizationCode.count({ where: { accountId } });
    t.equal(await codes(), 1, 'a code of any port stays while its URI is registered');
    const kept = await grantCode(api, { ...scene, redirectUri: 'https://a.example/' });

    expectRedirect(t, await edit(['https://a.example/']), /application_updated/);
    t.match(await stored(application), { inDevelopment: false, redirectUris: ['https://a.example/'] });
    expectOAuthError(t, await api.postForm('/v1/oauth/token', local.form), 'invalid_grant');
    t.equal((await api.postForm('/v1/oauth/token', kept.form)).statusCode, 200);
    const details = { in_development: 'yes → no', redirect_uris_removed: [anyPort] };
    const where = { accountId, type: 'application.updated' };
    const events = await prisma.auditEvent.findMany({ where });
    const [event] = events.filter((one) => 'in_development' in Object(one.details));
    t.match(event, { userId: user.id, details });
  },
);

t.test(
  'users see that an application is in development, on the consent screen and in the settings',
  async (t) => {
    const scene = await createScene(database, { redirectUri: anyPort, name: 'Workbench' });
    await grantTokens(api, scene);
    const browser = await signedInBrowser(api, scene.user);
    const live = await createApplication(database, scene.accountId, { redirectUris: ['https://a.example/'] });
    const liveScene = { ...scene, application: live, redirectUri: 'https://a.example/' };
    const pages = [
      authorizationRequest(scene).url,
      applicationsPath,
      `${applicationsPath}/${scene.application.id}`,
      connectedPath,
    ];
    for (const address of pages) {
      const page = await browser.open(address);
      isPage(t, page, 200, address);
      t.match(page.body, /Workbench/, address);
      t.match(page.body, /In development/, address);
    }
    for (const address of [authorizationRequest(liveScene).url, `${applicationsPath}/${live.id}`]) {
      t.notMatch((await browser.open(address)).body, /In development/, address);
    }
  },
);

/** Expects that the application can neither be authorized nor get tokens. */
async function expectForbidden(t: Test, scene: Scene, form: Record<string, string>): Promise<void> {
  const { application, user, accountId } = scene;
  const browser = await signedInBrowser(api, user);
  const redirect_uri = 'http://localhost:8080/callback';
  const { url } = authorizationRequest(scene, { redirect_uri });
  const opened = await browser.open(url);
  t.equal(opened.statusCode, 302);
  const page = await browser.open(applicationsPath);
  const submitted = await browser.submit(url, { ...hiddenFields(page.body), decision: 'allow' });
  t.equal(submitted.statusCode, 303);
  for (const response of [opened, submitted]) {
    const returned = responseParameters(t, response, redirect_uri);
    t.equal(returned.get('error'), 'access_denied');
    t.notOk(returned.has('code'));
  }
  t.equal(await prisma.authorizationCode.count({ where: { accountId, usedAt: null } }), 0);
  const { clientId, clientSecret } = application;
  for (const request of [
    { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
    { grant_type: 'refresh_token', client_id: clientId, refresh_token: 'x' },
    form,
  ]) {
    const response = await api.postForm('/v1/oauth/token', request);
    expectOAuthError(t, response, 'unauthorized_client', { label: request.grant_type ?? '' });
  }
  const wrong = { grant_type: 'client_credentials', client_id: clientId, client_secret: 'wrong' };
  expectOAuthError(t, await api.postForm('/v1/oauth/token', wrong), 'invalid_client');
}

t.test(
  'an account that forbids applications in development revokes their access, and that of no others',
  async (t) => {
    const scene = await createScene(database, {
      role: 'admin',
      clientType: 'confidential',
      redirectUri: anyPort,
    });
    const live = {
      ...scene,
      application: await createApplication(database, scene.accountId, {
        redirectUris: ['https://a.example/'],
      }),
      redirectUri: 'https://a.example/',
    };
    const other = await createScene(database, { clientType: 'confidential', redirectUri: anyPort });
    const mine = await grantTokens(api, scene);
    const own = await api.token(scene.application);
    const { form } = await grantCode(api, scene);
    const kept = await Promise.all([live, other].map((one) => grantTokens(api, one)));
    for (const token of [mine.accessToken, own]) await tokenAccepted(t, api, token);

    const browser = await signedInBrowser(api, scene.user);
    const response = await setPolicy(browser, false);
    expectRedirect(t, response, `${applicationsPath}?notice=development_saved`);
    for (const token of [mine.accessToken, own]) await expectTokenRejected(t, api, token, 'invalid_token');
    await expectForbidden(t, scene, form);
    const rejected = await refresh(api, scene.application, mine.refreshToken);
    expectOAuthError(t, rejected, 'unauthorized_client');
    for (const [index, one] of [live, other].entries()) {
      const { accessToken = '', refreshToken = '' } = kept[index] ?? {};
      await tokenAccepted(t, api, accessToken);
      t.equal((await refresh(api, one.application, refreshToken)).statusCode, 200);
      await tokenAccepted(t, api, await api.token(one.application));
    }
    const events = await prisma.auditEvent.findMany({
      where: {
        accountId: scene.accountId,
        type: { in: ['account.development_policy_changed', 'application.access_revoked'] },
      },
      orderBy: { type: 'asc' },
    });
    t.match(events, [
      { userId: scene.user.id, applicationId: null, details: { from: 'allowed', to: 'forbidden' } },
      { userId: scene.user.id, applicationId: scene.application.id, details: { revoked_grants: '1' } },
    ]);

    expectRedirect(t, await setPolicy(browser, true), /development_saved/);
    for (const token of [mine.accessToken, own]) await expectTokenRejected(t, api, token, 'invalid_token');
    expectOAuthError(t, await api.postForm('/v1/oauth/token', form), 'invalid_grant');
    const late = await refresh(api, scene.application, mine.refreshToken);
    expectOAuthError(t, late, 'invalid_grant');
    await tokenAccepted(t, api, await api.token(scene.application));
    await tokenAccepted(t, api, (await grantTokens(api, scene)).accessToken);
  },
);

t.test('requests that run while an account forbids them leave no token', async (t) => {
  const scene = await createScene(database, { clientType: 'confidential', redirectUri: anyPort });
  const grants = await Promise.all(Array.from({ length: 6 }, () => grantTokens(api, scene)));
  const codes = await Promise.all(Array.from({ length: 6 }, () => grantCode(api, scene)));
  const { clientId, clientSecret } = scene.application;
  const own = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const [, ...responses] = await Promise.all([
    forbid(scene),
    ...grants.map(({ refreshToken }) => refresh(api, scene.application, refreshToken)),
    ...codes.map(({ form }) => api.postForm('/v1/oauth/token', form)),
    ...codes.map(() => api.postForm('/v1/oauth/token', own)),
  ]);
  for (const response of responses) {
    if (response.statusCode !== 200) continue;
    await expectTokenRejected(t, api, response.json().access_token, 'invalid_token');
  }
  const { length } = responses.filter(({ statusCode }) => statusCode === 200);
  t.comment(`${length} requests got a token before`);
});

t.test(
  'while they are forbidden, no application can be put in development, and it can leave it',
  async (t) => {
    const scene = await createScene(database, { redirectUri: anyPort });
    const live = await createApplication(database, scene.accountId, {
      redirectUris: ['https://a.example/'],
    });
    await forbid(scene);
    const browser = await signedInBrowser(api, scene.user);
    const error = /Your account does not allow applications in development/;
    const edit = async (id: string, redirect_uris: string[], more: string[][]) => {
      const address = `${applicationsPath}/${id}/edit`;
      return browser.submit(address, [...formOn(await browser.open(address), { redirect_uris }), ...more]);
    };
    for (const rejected of [
      await createThroughPage(browser, { redirect_uris: [anyPort] }, inDevelopment),
      await createThroughPage(browser, {}, inDevelopment),
      await edit(live.id, ['https://a.example/'], inDevelopment),
    ]) {
      isPage(t, rejected, 400);
      t.match(rejected.body, error);
    }
    t.match(await stored(live), { inDevelopment: false });
    t.match((await browser.open(`${applicationsPath}/${scene.application.id}`)).body, error);
    const { id } = scene.application;
    expectRedirect(t, await edit(id, [anyPort], inDevelopment), /application_updated/);
    t.match(await stored({ id }), { name: 'Payroll bridge', inDevelopment: true });
    expectRedirect(t, await edit(id, ['https://a.example/'], []), /application_updated/);
    t.equal(await statusFor(scene, 'https://a.example/'), 200, 'it works again');
  },
);

t.test(
  'only owners and administrators of the account change the setting, with the token of their session',
  async (t) => {
    const scene = await createScene(database, { redirectUri: anyPort });
    const elsewhere = await createScene(database);
    const member = await createUser(database, scene.accountId, { role: 'member' });
    const allowed = async () =>
      (await prisma.account.findFirstOrThrow({ where: { id: scene.accountId } })).developmentAllowed;
    const asMember = await signedInBrowser(api, member);
    const page = await asMember.open(connectedPath);
    isPage(t, await asMember.open(developmentPath), 403);
    isPage(t, await asMember.submit(developmentPath, hiddenFields(page.body)), 403);
    expectRedirect(
      t,
      await setPolicy(await signedInBrowser(api, elsewhere.user), false),
      /development_saved/,
    );
    const owner = await signedInBrowser(api, scene.user);
    const { csrf_token: _, ...fields } = hiddenFields((await owner.open(developmentPath)).body);
    t.equal((await owner.submit(developmentPath, fields)).statusCode, 403);
    t.equal(await allowed(), true);
  },
);

t.test(
  'a form that was opened before another user changed the setting does not undo the change',
  async (t) => {
    const scene = await createScene(database);
    const browser = await signedInBrowser(api, scene.user);
    const page = await browser.open(developmentPath);
    await forbid(scene);
    const fields = { ...hiddenFields(page.body), development_allowed: 'yes' };
    expectRedirect(t, await browser.submit(developmentPath, fields), /development_saved/);
    const account = await prisma.account.findFirstOrThrow({ where: { id: scene.accountId } });
    t.equal(account.developmentAllowed, false);
  },
);

t.test('the migration puts applications with URIs of http:// in development, and no others', async (t) => {
  const { accountId } = await createScene(database);
  const create = (...redirectUris: string[]) => createApplication(database, accountId, { redirectUris });
  const local = [
    await create(anyPort),
    await create('https://a.example/', 'http://localhost:8080/callback'),
    await create('HTTP://LOCALHOST/'),
  ];
  const others = [await create(), await create('https://a.example/?to=http://localhost/')];
  await prisma.application.updateMany({ where: { accountId }, data: { inDevelopment: false } });
  const file = path.join(migrationsDirectory, '20261127110000_applications_in_development/migration.sql');
  const script = await readFile(file, 'utf8');
  const [update = ''] = /^DO .*END \$\$/ms.exec(script) ?? [];
  await asOwner(database, update);
  for (const application of local) t.match(await stored(application), { inDevelopment: true });
  for (const application of others) t.match(await stored(application), { inDevelopment: false });
});
