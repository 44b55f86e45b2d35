import diagnostics from 'node:diagnostics_channel';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { Browser, hiddenFields } from '../../support/browser/browser.js';
import { check, importPath, press, stateOn } from '../../support/browser/import-pages.js';
import { pageActions } from '../../support/browser/page-actions.js';
import { applicationsPath, expectRedirect, isPage } from '../../support/browser/pages.js';
import { openTestDatabase } from '../../support/database/database.js';
import { query } from '../../support/database/query.js';
import {
  authorizationRequest,
  createScene,
  createUser,
  grantTokens,
  signedInBrowser,
  tokensOf,
} from '../../support/oauth/users.js';
import { makeRecords, toCsv } from '../../support/records/import.js';
import { buildTestApp } from '../../support/server/app.js';
import { createSignOnScene, person, start } from '../../support/single-sign-on/scene.js';
import t from '../../support/tap.js';

const database = await openTestDatabase(t);
const forms = new Set<string>();
const collectForms = (message: unknown) => {
  const { fastify } = message as { fastify: FastifyInstance };
  fastify.addHook('onRoute', ({ method, url, config }) => {
    const isForm = config?.operation === undefined && !url.startsWith('/mcp');
    if (isForm && [method].flat().includes('POST')) forms.add(url);
  });
};
diagnostics.subscribe('fastify.initialization', collectForms);
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });
diagnostics.unsubscribe('fastify.initialization', collectForms);
const { clock } = api;

const question = 'Confirm your password';

/** The records of an account that forms grant, change or destroy. */
async function recordsOf(accountId: string) {
  const rows = (table: string) =>
    `(SELECT json_agg(r ORDER BY id) FROM ${table} r WHERE account_id = $1) AS ${table}`;
  const count = (table: string) => `(SELECT count(*)::int FROM ${table} WHERE account_id = $1) AS ${table}`;
  const counted = ['sessions', 'one_time_links', 'employees', 'audit_events'].map(count);
  const text = `SELECT ${[...['users', 'applications', 'grants'].map(rows), ...counted].join()}`;
  return JSON.stringify(await query(database, text, [accountId]));
}

/** The hidden fields of a form besides its CSRF token, of which some are repeated. */
const keptOn = ({ body }: LightMyRequestResponse) =>
  [...body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
    .map(([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"').replaceAll('&amp;', '&')])
    .filter(([name]) => name !== 'csrf_token');

/** The CSRF token of a page, as a field. */
const tokenOn = ({ body }: LightMyRequestResponse) => ['csrf_token', hiddenFields(body).csrf_token ?? ''];

t.test('every form of a page is in the table of page actions, and no other', async (t) => {
  t.same([...forms].toSorted(), Object.keys(pageActions).toSorted());
});

t.test(
  'with an old password, each form asks and changes nothing as the table says, and keeps its values',
  async (t) => {
    const scene = await createScene(database);
    const { accountId, user, application } = scene;
    const member = await createUser(database, accountId, { role: 'member' });
    await grantTokens(api, { ...scene, user: member }, { scope: 'user:read' });
    const typed = [
      ['scopes', 'a'],
      ['scopes', '"b" & c'],
      ['title', ' x '],
    ];
    const addressOf = (path: string) =>
      path
        .replace(':application_id', application.id)
        .replace(':id', path.startsWith('/people/settings/users') ? member.id : application.id)
        .replace(/:[a-z_]+/, 'x');
    const pathsOf = (when: string) =>
      Object.keys(pageActions).filter((path) => pageActions[path]?.[0] === when);
    const signInLongAgo = async () => {
      const browser = await signedInBrowser(api, user);
      clock.advanceSeconds(601);
      return { browser, page: await browser.open('/people/settings/account/profile') };
    };

    const { browser, page } = await signInLongAgo();
    const before = await recordsOf(accountId);
    const questions = new Map<string, LightMyRequestResponse>();
    for (const path of pathsOf('form')) {
      const asked = await browser.submit(addressOf(path), [tokenOn(page), ...typed]);
      t.match(asked.body, question, path);
      isPage(t, asked, 200, path);
      t.same(keptOn(asked), typed, path);
      questions.set(addressOf(path), asked);
    }
    t.equal(await recordsOf(accountId), before);

    for (const [address, asked] of questions) {
      clock.advanceSeconds(601);
      const answered = await browser.submitForm(asked, address, { confirm_password: user.password });
      t.notMatch(answered.body, question, address);
      t.notMatch(String(answered.headers.location), /^\/sign_in/, `${address}: the session continues`);
    }

    // Each with its own session, because some end it.
    for (const path of pathsOf('no')) {
      const { browser, page } = await signInLongAgo();
      const response = await browser.submit(addressOf(path), [tokenOn(page), ...typed]);
      t.notMatch(response.body, question, path);
    }
  },
);

t.test('the values of a form are saved after the password, repeated ones too', async (t) => {
  const { user, application } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const address = `${applicationsPath}/${application.id}/edit`;
  const page = await browser.open(address);
  clock.advanceSeconds(601);
  const redirectUris = ['https://a.example/', 'https://b.example/?x=%22'];
  const asked = await browser.submit(address, [
    ...Object.entries(hiddenFields(page.body)),
    ['name', 'A & B'],
    ['redirect_uris', redirectUris.join('\r\n')],
    ['scopes', 'user:read'],
    ['scopes', 'user:write'],
  ]);
  t.match(asked.body, question);
  const saved = await browser.submit(address, [
    tokenOn(asked),
    ...keptOn(asked),
    ['confirm_password', user.password],
  ]);
  expectRedirect(t, saved, /application_updated/);
  const where = { id: application.id };
  const scopes = ['user:read', 'user:write'];
  t.match(await database.prisma.application.findFirstOrThrow({ where }), {
    name: 'A & B',
    redirectUris,
    scopes,
  });
});

t.test('an import asks before the form for the file and at its start, and loses no file', async (t) => {
  const { user, accountId } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const form = await browser.open(importPath);
  clock.advanceSeconds(601);
  const asked = await browser.open(importPath);
  isPage(t, asked);
  t.match(asked.body, question);
  t.notMatch(asked.body, 'type="file"');
  const wrong = await browser.submitForm(asked, importPath, { confirm_password: 'wrong' });
  isPage(t, wrong, 401);
  isPage(
    t,
    await browser.submit(importPath, { confirm_password: user.password }),
    403,
    'without a CSRF token',
  );
  expectRedirect(
    t,
    await browser.submitForm(wrong, importPath, { confirm_password: user.password }),
    importPath,
  );
  t.match((await browser.open(importPath)).body, 'type="file"');

  clock.advanceSeconds(601);
  const file = { name: 'staff.csv', content: toCsv(makeRecords(2)) };
  const uploaded = await browser.upload(importPath, hiddenFields(form.body), file);
  expectRedirect(t, uploaded, /imports/);
  const address = String(uploaded.headers.location);
  t.equal(stateOn(await check(api, browser, address)), 'Checked, not imported');
  const start = await press(browser, address, 'start');
  t.match(start.body, question);
  await api.uploadWorker.idle();
  t.equal(await database.prisma.employee.count({ where: { accountId } }), 0);
  const fields = { confirm_password: user.password };
  expectRedirect(t, await browser.submitForm(start, `${address}/start`, fields), address);
  await api.uploadWorker.idle();
  t.equal(await database.prisma.employee.count({ where: { accountId } }), 2);
});

t.test(
  'a user of single sign-on confirms at the identity provider, also before an import and consent',
  async (t) => {
    const scene = await createSignOnScene(t, api);
    const claims = person(scene.user.email);
    await database.prisma.user.updateMany({ where: { id: scene.user.id }, data: { emailVerified: true } });
    const { browser, ...signIn } = await start(api, scene);
    await signIn.return(claims);
    clock.advanceSeconds(601);
    const address = `${applicationsPath}/${scene.application.id}/delete`;
    t.match((await browser.open(importPath)).body, 'Confirm that it is you');
    const asked = await browser.submitForm(await browser.open(address), address, {});
    t.match(asked.body, 'Confirm that it is you');
    isPage(t, await browser.submitForm(asked, address, {}), 401, 'Continue before the sign-in');
    const { url } = authorizationRequest(scene, { scope: 'user:write' });
    const consent = await browser.submitForm(await browser.open(url), url, { decision: 'allow' });
    t.match(consent.body, 'Confirm that it is you');
    isPage(t, await browser.submitForm(consent, url, {}), 401);
    const again = await start(api, scene, { browser, address: '/sign_in/sso/confirm' });
    await again.return({ ...claims, auth_time: Math.floor(Date.now() / 1000) });
    t.match((await browser.submitForm(consent, url, {})).headers.location, /code=/);
    expectRedirect(t, await browser.submitForm(asked, address, {}), /application_deleted/);
    t.match((await browser.open(importPath)).body, 'type="file"');
  },
);

t.test('Allow asks for the password when a scope writes, and continues with the request', async (t) => {
  const scene = await createScene(database);
  const { user, application, redirectUri } = scene;
  // The name of a scope decides.
  for (const scope of ['reports:read', 'reports:write']) {
    const browser = await signedInBrowser(api, user);
    clock.advanceSeconds(599);
    const { url, parameters, verifier } = authorizationRequest(scene, { scope: `user:read ${scope}` });
    const page = await browser.open(url);
    const decide = (decision: string) => browser.submitForm(page, url, { decision });
    t.match((await decide('allow')).headers.location, /[?&]code=/, `${scope}, after a sign-in of 599 s ago`);
    clock.advanceSeconds(1);
    t.match((await decide('deny')).headers.location, /error=access_denied/, scope);
    let response = await decide('allow');
    if (scope.endsWith(':write')) {
      isPage(t, response, 200, scope);
      t.match(response.body, question);
      t.notMatch(response.headers['content-security-policy'], /form-action/);
      t.match(
        response.body,
        `href="${url.replaceAll('&', '&amp;')}"`,
        'Cancel leads back to the consent screen',
      );
      response = await browser.submitForm(response, url, { confirm_password: 'wrong' });
      isPage(t, response, 401);
      t.notMatch(response.body, 'value="wrong"');
      response = await browser.submitForm(response, url, { confirm_password: user.password });
    }
    t.equal(response.statusCode, 303, scope);
    const { searchParams } = new URL(String(response.headers.location));
    t.equal(searchParams.get('state'), parameters.state);
    const tokens = await api.postForm('/v1/oauth/token', {
      grant_type: 'authorization_code',
      client_id: application.clientId,
      redirect_uri: redirectUri,
      code: searchParams.get('code') ?? '',
      code_verifier: verifier,
    });
    t.same(tokensOf(tokens).scope.split(' ').toSorted(), [...new Set(['user:read', scope])].toSorted());
  }
});

t.test('Allow asks neither for a scope that the user may not grant, nor after a sign-in', async (t) => {
  const scene = await createScene(database, { role: 'member' });
  const { email, password } = scene.user;
  const withheld = authorizationRequest(scene, { scope: 'user:read reports:write' }).url;
  const browser = await signedInBrowser(api, scene.user);
  clock.advanceSeconds(601);
  const page = await browser.open(withheld);
  t.match((await browser.submitForm(page, withheld, { decision: 'allow' })).headers.location, /code=/);
  const { url } = authorizationRequest(scene, { scope: 'user:write' });
  const visitor = new Browser(api.app);
  expectRedirect(t, await visitor.signIn(email, password, url), url);
  const response = await visitor.submitForm(await visitor.open(url), url, { decision: 'allow' });
  t.match(response.headers.location, /code=/);
});

t.test('after too many wrong passwords the consent screen is 429 with Retry-After', async (t) => {
  const limited = await buildTestApp(t, { database, clock, environment: { RATE_LIMIT_FAILURES: '1' } });
  const scene = await createScene(database);
  const browser = await signedInBrowser(limited, scene.user);
  const { url } = authorizationRequest(scene, { scope: 'user:write' });
  const page = await browser.open(url);
  clock.advanceSeconds(601);
  const answer = (confirm_password: string) =>
    browser.submitForm(page, url, { decision: 'allow', confirm_password });
  isPage(t, await answer('wrong'), 401);
  const rejected = await answer(scene.user.password);
  isPage(t, rejected, 429);
  t.match(rejected.headers['retry-after'], /^[1-9]\d*$/);
  const [, seconds] = /Too many failed attempts. Try again in (\d+) seconds/.exec(rejected.body) ?? [];
  t.equal(rejected.headers['retry-after'], seconds);
});
