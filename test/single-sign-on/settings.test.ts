import { createProviderSeal } from '../../src/features/single-sign-on/provider-secrets.js';
import type { Browser } from '../support/browser/browser.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene, createUser, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp, testSecrets } from '../support/server/app.js';
import { clientSecret, startFakeProvider } from '../support/single-sign-on/fake-provider.js';
import { configure, createSignOnScene, person, start } from '../support/single-sign-on/scene.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const environment = { RATE_LIMIT_FAILURES: '0' };
const api = await buildTestApp(t, { database, environment });
const { prisma } = database;
const path = '/people/settings/single_sign_on';

const save = async (browser: Browser, form: Record<string, string>) =>
  browser.submitForm(await browser.open(path), path, form);

t.test('an owner saves an identity provider, whose secret is encrypted and never shown', async (t) => {
  const { user, accountId } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const idp = await startFakeProvider(t);
  const empty = await browser.open(path);
  t.match(
    empty.body,
    `http://api.test/sign_in/sso/${accountId}/callback`,
    'the page shows the redirect URI before anything is saved',
  );
  const form = { issuer: `${idp.issuer}/`, client_id: 'people', client_secret: clientSecret };
  const saved = await save(browser, form);
  t.equal(saved.headers.location, `${path}?notice=single_sign_on_saved`, saved.body);
  const stored = await prisma.identityProvider.findFirstOrThrow({ where: { accountId } });
  t.equal(stored.issuer, idp.issuer, 'as in the metadata');
  t.notMatch(stored.sealedSecret, clientSecret);
  t.equal((await createProviderSeal(testSecrets).open(stored.sealedSecret)).plain, clientSecret);
  const page = await browser.open(path);
  t.notMatch(page.body, clientSecret);
  t.match(page.body, 'A secret is saved');
  t.match(page.body, `value="http://api.test/sign_in/sso/${accountId}"`);

  api.clock.advanceSeconds(1);
  const changed = await save(browser, { issuer: idp.issuer, client_id: 'another', client_secret: '' });
  t.equal(changed.statusCode, 303, 'an empty secret is kept');
  const { sealedSecret } = await prisma.identityProvider.findFirstOrThrow({ where: { accountId } });
  t.equal((await createProviderSeal(testSecrets).open(sealedSecret)).plain, clientSecret);
  const events = await prisma.auditEvent.findMany({ where: { accountId }, orderBy: { createdAt: 'asc' } });
  t.match(
    events.map(({ type, userId, address, details }) => ({ type, userId, address, details })),
    [
      { type: 'identity_provider.created', userId: user.id, address: '127.0.0.1' },
      {
        type: 'identity_provider.updated',
        details: { secret: 'unchanged', client_id: 'another', addresses_verified: 'off' },
      },
    ],
  );
  t.notMatch(JSON.stringify(events), clientSecret);
  t.match((await browser.open('/people/settings/audit_log')).body, 'Single sign-on set up');
});

t.test(
  'each value for the identity provider is in a read-only field, with the steps of its product',
  async (t) => {
    const { user, accountId } = await createScene(database);
    const browser = await signedInBrowser(api, user);
    const read = async () => {
      const { body } = await browser.open(path);
      const inputs = [...body.matchAll(/<input id="(\w+)" type="text" value="([^"]*)" readonly/gi)];
      const opened = [...body.matchAll(/<details [^>]*\bopen[^>]*><summary>([^<]+)/g)];
      return {
        values: Object.fromEntries(inputs.map(([, id, value]) => [id, value])),
        opened: opened.map(([, name]) => name),
      };
    };
    t.same(await read(), {
      values: {
        redirect_uri: `http://api.test/sign_in/sso/${accountId}/callback`,
        scopes: 'openid email profile',
        okta_issuer: 'https://{organization}.okta.com',
        entra_issuer: 'https://login.microsoftonline.com/{tenant-id}/v2.0',
        google_issuer: 'https://accounts.google.com',
        other_issuer: 'https://{host}',
      },
      opened: [],
    });
    const cases = [
      ['https://initech.okta.com', 'Okta'],
      ['https://login.microsoftonline.com/8b87af7d/v2.0', 'Microsoft Entra ID'],
      ['https://accounts.google.com', 'Google'],
      ['https://initech.okta.com.attacker.example', 'Another identity provider'],
    ] as const;
    for (const [issuer, name] of cases) {
      await prisma.identityProvider.deleteMany({ where: { accountId } });
      await configure(api, accountId, issuer);
      t.same((await read()).opened, [name], issuer);
    }
  },
);

t.test('a stored secret is not sent to another issuer', async (t) => {
  const scene = await createSignOnScene(t, api);
  const browser = await signedInBrowser(api, scene.user);
  const other = await startFakeProvider(t);
  const response = await save(browser, { issuer: other.issuer, client_id: 'people', client_secret: '' });
  t.equal(response.statusCode, 400);
  t.match(response.body, 'Enter the client secret of the new issuer.');
  t.equal(other.requests.size, 0);
});

t.test('invalid settings are rejected with a message for each field', async (t) => {
  const { user, accountId } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const idp = await startFakeProvider(t);
  const good = { issuer: idp.issuer, client_id: 'people', client_secret: clientSecret };
  const cases: [Record<string, string>, string][] = [
    [{ issuer: '' }, 'The issuer must be a URL.'],
    [{ issuer: 'login.example.com' }, 'The issuer must be a URL.'],
    [{ issuer: 'ftp://login.example.com' }, 'The issuer must start with https://.'],
    [{ issuer: 'https://a:b@login.example.com' }, 'The issuer must not have a user name'],
    [{ issuer: 'https://login.example.com?x=1' }, 'The issuer must not have a user name'],
    [{ issuer: `${idp.issuer}/.well-known/openid-configuration` }, 'must not be the address of the metadata'],
    [{ issuer: `https://${'a'.repeat(300)}.example` }, 'The issuer must have at most 255 characters.'],
    [{ issuer: `${idp.issuer}/other` }, 'No OpenID Connect metadata of this issuer was found at'],
    [{ issuer: 'http://127.0.0.1:9' }, 'The issuer does not respond.'],
    [{ client_id: '' }, 'Enter the client ID'],
    [{ client_id: 'a b' }, 'The client ID must have'],
    [{ client_secret: '' }, 'Enter the client secret'],
    [{ client_secret: 'a b' }, 'The client secret must have'],
  ];
  for (const [changes, message] of cases) {
    const response = await save(browser, { ...good, ...changes });
    t.equal(response.statusCode, 400, message);
    t.match(response.body, message);
    t.match(response.body, 'There is a problem');
    t.notMatch(response.body, clientSecret);
  }
  t.equal(await prisma.identityProvider.count({ where: { accountId } }), 0);
});

t.test('administrators and members do not see the settings, and cannot change them', async (t) => {
  const scene = await createSignOnScene(t, api);
  for (const role of ['admin', 'member'] as const) {
    const user = await createUser(database, scene.accountId, { role });
    const browser = await signedInBrowser(api, user);
    t.equal((await browser.open(path)).statusCode, 403);
    t.notMatch((await browser.open('/people/settings/account')).body, path);
    const form = await browser.open('/people/settings/account');
    for (const address of [path, `${path}/only`, `${path}/remove`])
      t.equal((await browser.submitForm(form, address, { only: 'on' })).statusCode, 403, address);
  }
  t.equal(await prisma.identityProvider.count({ where: { accountId: scene.accountId } }), 1);
});

t.test('changes need a password that was entered in the last ten minutes', async (t) => {
  const scene = await createSignOnScene(t, api);
  const browser = await signedInBrowser(api, scene.user);
  const page = await browser.open(path);
  api.clock.advanceSeconds(601);
  for (const address of [path, `${path}/only`, `${path}/remove`]) {
    const response = await browser.submitForm(page, address, { only: 'on', client_id: 'changed' });
    t.match(response.body, 'Confirm your password', address);
  }
  const stored = await prisma.identityProvider.findFirstOrThrow({ where: { accountId: scene.accountId } });
  t.equal(stored.clientId, 'people');
});

t.test(
  'removing the identity provider revokes the sessions of single sign-on, and deletes the links',
  async (t) => {
    const scene = await createSignOnScene(t, api);
    const member = await start(api, scene);
    await member.return(person(`grace@${scene.domain}`));
    const browser = await signedInBrowser(api, scene.user);
    const page = await browser.open(`${path}/remove`);
    t.match(page.body, 'Remove single sign-on?');
    const removed = await browser.submitForm(page, `${path}/remove`, {});
    t.equal(removed.headers.location, `${path}?notice=single_sign_on_removed`);
    t.equal((await member.browser.open('/people')).statusCode, 303);
    t.equal((await browser.open('/people')).statusCode, 200);
    const where = { accountId: scene.accountId };
    t.equal(await prisma.userIdentity.count({ where }), 0);
    t.equal(await prisma.auditEvent.count({ where: { ...where, type: 'identity_provider.deleted' } }), 1);
    t.equal(
      (await browser.open(`${path}/remove`)).statusCode,
      303,
      'there is no identity provider to remove',
    );
  },
);

t.test('a new client ID or secret of the same issuer revokes nothing', async (t) => {
  const scene = await createSignOnScene(t, api);
  const member = await start(api, scene);
  await member.return(person(`grace@${scene.domain}`));
  const browser = await signedInBrowser(api, scene.user);
  const { issuer } = scene.idp;
  const form = { issuer, client_id: 'another', client_secret: 'another', revoke_grants: 'yes' };
  t.equal((await save(browser, form)).headers.location, `${path}?notice=single_sign_on_saved`);
  t.equal((await member.browser.open('/people')).statusCode, 200);
  t.equal(await prisma.userIdentity.count({ where: { accountId: scene.accountId } }), 1);
});

t.test('a sign-in that is completed after the issuer was replaced creates no session', async (t) => {
  const scene = await createSignOnScene(t, api);
  const { accountId, idp, domain } = scene;
  const known = person(`grace@${domain}`);
  await (await start(api, scene)).return(known);
  const owner = await signedInBrowser(api, scene.user);
  const { issuer } = await startFakeProvider(t);
  for (const claims of [known, person(`ada@${domain}`)]) {
    await prisma.identityProvider.updateMany({ where: { accountId }, data: { issuer: idp.issuer } });
    const started = await start(api, scene);
    // After the server has compared the issuer, it reads the keys or requests the token.
    let replaced: Awaited<ReturnType<typeof save>> | undefined;
    const release = idp.hold('/token', async () => {
      replaced = await save(owner, { issuer, client_id: 'people', client_secret: clientSecret });
    });
    const returned = await started.return(claims);
    release();
    t.equal(replaced?.headers.location, `${path}?notice=single_sign_on_issuer_replaced`);
    t.equal(returned.statusCode, 403);
    t.notOk(started.browser.cookies.has('session'));
  }
  t.equal(await prisma.session.count({ where: { accountId, singleSignOn: true } }), 0);
  t.equal(await prisma.userIdentity.count({ where: { accountId } }), 0);
  t.equal(await prisma.user.count({ where: { accountId, email: `ada@${domain}` } }), 0);
  const where = { accountId, type: 'identity_provider.updated' };
  const events = await prisma.auditEvent.findMany({ where });
  const revoked = events.map(({ details }) => (details as { revoked_sessions: string }).revoked_sessions);
  t.same(revoked.toSorted(), ['0', '1'], 'the event has the numbers of what was revoked');
});

t.test('the page lists the confirmed domains of the account', async (t) => {
  const scene = await createSignOnScene(t, api);
  const other = await createSignOnScene(t, api);
  const { body } = await (await signedInBrowser(api, scene.user)).open(path);
  t.match(body, scene.domain);
  t.notMatch(body, other.domain);
});

t.test('two owners who save concurrently both succeed', async (t) => {
  const { user, accountId } = await createScene(database);
  const other = await createUser(database, accountId);
  const idp = await startFakeProvider(t);
  const form = { issuer: idp.issuer, client_id: 'people', client_secret: clientSecret };
  const browsers = await Promise.all([user, other, user, other].map((owner) => signedInBrowser(api, owner)));
  const responses = await Promise.all(browsers.map((browser) => save(browser, form)));
  t.same(new Set(responses.map(({ statusCode }) => statusCode)), new Set([303]));
  t.equal(await prisma.identityProvider.count({ where: { accountId } }), 1);
  const types = await prisma.auditEvent.groupBy({ by: ['type'], where: { accountId }, _count: true });
  t.match(Object.fromEntries(types.map(({ type, _count }) => [type, _count])), {
    'identity_provider.created': 1,
    'identity_provider.updated': 3,
  });
});
