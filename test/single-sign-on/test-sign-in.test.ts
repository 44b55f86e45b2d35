import { hashSecret } from '../../src/platform/crypto/keyring.js';
import { Browser } from '../support/browser/browser.js';
import { openTestDatabase } from '../support/database/database.js';
import { query } from '../support/database/query.js';
import { createUser, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import type { Claims } from '../support/single-sign-on/fake-provider.js';
import { createSignOnScene, person, start } from '../support/single-sign-on/scene.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const { prisma } = database;
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });
const address = '/sign_in/sso/test';

async function startScene(t: Parameters<typeof createSignOnScene>[0], role: 'owner' | 'admin' = 'owner') {
  const scene = await createSignOnScene(t, api);
  const user = role === 'owner' ? scene.user : await createUser(database, scene.accountId, { role });
  const browser = await signedInBrowser(api, user);
  const startTest = () => start(api, scene, { browser, address });
  const run = async (claims: Claims) => (await startTest()).return(claims);
  return { ...scene, browser, tester: user, startTest, run };
}

/** All rows of an account that a sign-in may change. */
async function rowsOf(accountId: string) {
  const tables = ['users', 'user_identities', 'sessions', 'audit_events', 'sign_in_requests'];
  const selected = [...tables, 'identity_providers'].map(
    (table) => `(SELECT json_agg(r ORDER BY r::text) FROM ${table} r WHERE account_id = $1) AS ${table}`,
  );
  return JSON.stringify(await query(database, `SELECT ${selected.join()}`, [accountId]));
}

/** Text of a page. */
const textOf = (body: string) => body.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

t.test('a test shows the claims and what they would lead to, and changes nothing', async (t) => {
  const scene = await startScene(t, 'admin');
  const { accountId, domain, run } = scene;
  const known = person(`known@${domain}`, { given_name: 'Known' });
  await (await start(api, scene)).return(known);
  const colleague = await createUser(database, accountId, { role: 'member' });
  const other = await createSignOnScene(t, api);
  const domains = { domain: `other${domain}`, accountId };
  await prisma.accountDomain.create({ data: domains });
  await prisma.user.updateMany({
    where: { id: other.user.id },
    data: { email: `taken@${domains.domain}` },
  });
  const before = await rowsOf(accountId);
  const cases: [Claims, string[]][] = [
    [known, ['would work', `(known@${domain}) would be signed in. The user is linked`]],
    [person(colleague.email), [`(${colleague.email}) would be signed in and linked`]],
    [
      person(`new@${domain}`, { groups: ['a', '<b>'], amr: null }),
      [
        'Grace Hopper',
        `(new@${domain}) would become a member, because the domain ${domain} is confirmed`,
      ].concat(['groups', '[&quot;a&quot;,&quot;&lt;b>&quot;]', `new@${domain}`, 'email_verified true']),
    ],
    [person('new@unknown.example'), ['would fail', 'its domain is not confirmed for this account. Invite']],
    [person(`taken@${domains.domain}`), ['would fail', 'belongs to a user of another account']],
    [person(`x@${domain}`, { email_verified: undefined }), ['does not say whether', 'email_verified']],
    [person(`x@${domain}`, { email_verified: false }), ['says that the address is not verified']],
    [person(colleague.email, { iss: 'https://wrong.example' }), ['would fail', 'https://wrong.example']],
    [person(`x@${domain}`, { long: 'x'.repeat(2000) }), [`${'x'.repeat(500)}…`]],
  ];
  for (const [claims, texts] of cases) {
    const page = await run(claims);
    t.equal(page.statusCode, 200);
    t.match(page.headers['cache-control'], /no-store/);
    const text = textOf(page.body);
    for (const expected of texts) t.ok(text.includes(expected), `${expected}: ${text}`);
    t.match(text, 'Nothing was changed or stored');
    t.notMatch(page.body, /nonce|<b>/, 'values of the protocol are not shown, and markup is escaped');
  }
  t.equal(await rowsOf(accountId), before);
});

t.test('only owners and administrators who are signed in can test', async (t) => {
  const scene = await createSignOnScene(t, api);
  t.match((await new Browser(api.app).open(address)).headers.location, /^\/sign_in\?/);
  const member = await createUser(database, scene.accountId, { role: 'member' });
  t.equal((await (await signedInBrowser(api, member)).open(address)).statusCode, 403);
  t.equal(await prisma.signInRequest.count({ where: { accountId: scene.accountId } }), 0);
});

t.test(
  'the claims are shown only in the session that started the test, while its user may test',
  async (t) => {
    const scene = await startScene(t, 'admin');
    const { accountId, domain, browser, startTest, tester, idp, path } = scene;
    const claims = person(`new@${domain}`);
    const rejects = async (label: string, response: Awaited<ReturnType<typeof scene.run>>) => {
      t.equal(response.statusCode, 400, label);
      t.notMatch(response.body, `new@${domain}`, label);
    };

    const returnIn = async (visitor: Browser) => {
      const { state, nonce } = await startTest();
      visitor.setCookie('sign_in_browser', browser.cookies.get('sign_in_browser') ?? '');
      idp.issue(state, { nonce, ...claims });
      const response = await visitor.open(`${path}/callback?${new URLSearchParams({ code: state, state })}`);
      return { response, again: () => visitor.open(`${path}/callback?code=${state}&state=${state}`) };
    };
    const stranger = new Browser(api.app);
    await rejects('no session', (await returnIn(stranger)).response);
    t.notOk(stranger.cookies.has('session'), 'a test creates no session');
    await rejects('another session', (await returnIn(await signedInBrowser(api, scene.user))).response);
    const { response, again } = await returnIn(browser);
    t.equal(response.statusCode, 200);
    await rejects('a second time', await again());

    const pending = await startTest();
    await prisma.user.updateMany({ where: { id: tester.id }, data: { role: 'member' } });
    await rejects('a member by now', await pending.return(claims));
    t.equal(await prisma.user.count({ where: { accountId, email: `new@${domain}` } }), 0);
    t.equal(await prisma.userIdentity.count({ where: { accountId } }), 0);
  },
);

t.test('a test neither signs in nor confirms the session', async (t) => {
  const { browser, run, tester, domain } = await startScene(t);
  const authenticatedAt = new Date(0);
  const where = { idHash: hashSecret(browser.cookies.get('session') ?? '') };
  await prisma.session.updateMany({ where, data: { authenticatedAt } });
  const cookie = browser.cookies.get('session');
  t.equal((await run(person(`new@${domain}`))).statusCode, 200);
  t.equal(browser.cookies.get('session'), cookie);
  t.match(await prisma.session.findFirstOrThrow({ where }), { userId: tester.id, authenticatedAt });
});
