import { Browser } from '../support/browser/browser.js';
import { openTestDatabase } from '../support/database/database.js';
import { authorizationRequest, createUser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import { clientId, clientSecret } from '../support/single-sign-on/fake-provider.js';
import {
  createSignOnScene,
  person,
  providerUrl,
  signedInUser,
  start,
} from '../support/single-sign-on/scene.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });
const { prisma } = database;

t.test('creates a member without a password for a verified address of a confirmed domain', async (t) => {
  const scene = await createSignOnScene(t, api);
  const email = `grace@${scene.domain}`;
  const claims = person(`Grace@${scene.domain.toUpperCase()}`);
  const started = await start(api, scene);
  t.same(Object.fromEntries(started.url.searchParams), {
    redirect_uri: `http://api.test${scene.path}/callback`,
    scope: 'openid email profile',
    state: started.state,
    nonce: started.nonce,
    code_challenge: started.url.searchParams.get('code_challenge'),
    code_challenge_method: 'S256',
    max_age: '31536000',
    client_id: clientId,
    response_type: 'code',
  });
  const response = await started.return(claims);
  t.equal(response.statusCode, 303, response.body);
  t.equal(response.headers.location, '/people/home');
  t.equal(await signedInUser(started.browser), email);
  const user = await prisma.user.findFirstOrThrow({ where: { email }, include: { identities: true } });
  t.match(user, {
    accountId: scene.accountId,
    passwordHash: null,
    role: 'member',
    emailVerified: true,
    givenName: 'Grace',
    familyName: 'Hopper',
    identities: [{ issuer: scene.idp.issuer, subject: claims.sub }],
  });
  const [, basic = ''] = scene.idp.tokenRequests[0]?.authorization.split(' ') ?? [];
  t.equal(decodeURIComponent(Buffer.from(basic, 'base64').toString()), `${clientId}:${clientSecret}`);
  const events = await prisma.auditEvent.findMany({
    where: { accountId: scene.accountId },
    orderBy: { createdAt: 'asc' },
  });
  t.same(
    new Set(events.map(({ type, userId }) => `${type} ${userId === user.id}`)),
    new Set(['user.created true', 'user.identity_linked true', 'sign_in.succeeded true']),
  );
  t.match(events.find(({ type }) => type === 'sign_in.succeeded')?.details, {
    method: 'single_sign_on',
    issuer: scene.idp.issuer,
  });
});

t.test('finds the user by issuer and subject, even when the address changes', async (t) => {
  const scene = await createSignOnScene(t, api);
  const claims = person(`grace@${scene.domain}`);
  await (await start(api, scene)).return(claims);
  const again = await start(api, scene);
  await again.return({ ...claims, email: 'other@elsewhere.example' });
  t.equal(await signedInUser(again.browser), `grace@${scene.domain}`);
  t.equal(await prisma.userIdentity.count({ where: { accountId: scene.accountId } }), 1);
});

t.test('links an existing user of the account by verified address, also of another domain', async (t) => {
  const scene = await createSignOnScene(t, api);
  const claims = person(scene.user.email);
  const { browser, ...started } = await start(api, scene);
  t.equal((await started.return(claims)).statusCode, 303);
  t.equal(await signedInUser(browser), scene.user.email);
  const identity = { accountId: scene.accountId, userId: scene.user.id, subject: String(claims.sub) };
  t.equal(await prisma.userIdentity.count({ where: identity }), 1);
  const user = await prisma.user.findFirstOrThrow({ where: { id: scene.user.id } });
  t.equal(user.role, 'owner');
  t.type(user.passwordHash, 'string', 'the password still works');
});

t.test('an authorization request continues after single sign-on with its state', async (t) => {
  const scene = await createSignOnScene(t, api);
  const { url, parameters } = authorizationRequest(scene, { state: `a b&c=${'x'.repeat(400)}` });
  const browser = new Browser(api.app);
  const toSignIn = await browser.open(url);
  const page = await browser.open(String(toSignIn.headers.location));
  const link = /<a [^>]*href="(\/sign_in\/sso\?[^"]+)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const form = await browser.open(link);
  const next = await browser.submitForm(form, '/sign_in/sso', { email: `any@${scene.domain}` });
  t.equal(next.statusCode, 200, next.body);
  const address = providerUrl(next);
  t.equal(next.headers.refresh, `0; url=${address}`);
  const query = new URL(address).searchParams;
  const [code, state] = ['code', query.get('state') ?? ''];
  scene.idp.issue(code, { ...person(scene.user.email), nonce: query.get('nonce') });
  const back = await browser.open(`${scene.path}/callback?${new URLSearchParams({ code, state })}`);
  t.equal(back.headers.location, url);
  const consent = await browser.open(url);
  const allowed = await browser.submitForm(consent, url, { decision: 'allow' });
  const result = new URL(String(allowed.headers.location));
  t.equal(result.searchParams.get('state'), parameters.state);
  t.ok(result.searchParams.get('code'));
});

t.test('the response to an address depends on its domain only', async (t) => {
  const scene = await createSignOnScene(t, api);
  await createUser(database, scene.accountId);
  const submit = async (email: string) => {
    const browser = new Browser(api.app);
    const response = await browser.submitForm(await browser.open('/sign_in/sso'), '/sign_in/sso', { email });
    return {
      status: response.statusCode,
      text: response.body.replaceAll(/(state|nonce|code_challenge)=[\w-]+/g, ''),
    };
  };
  await (await start(api, scene)).return(person(`known@${scene.domain}`));
  const known = await submit(`known@${scene.domain}`);
  t.equal(known.status, 200);
  t.same(await submit(`unknown@${scene.domain}`), known);
  t.equal((await submit(scene.user.email)).status, 400, 'its domain is not confirmed');
  t.match((await submit('nobody')).text, 'must have the form name@example.com');
});

t.test('concurrent first sign-ins create one user', async (t) => {
  const scene = await createSignOnScene(t, api);
  const claims = person(`grace@${scene.domain}`);
  const started = await Promise.all(Array.from({ length: 6 }, () => start(api, scene)));
  const responses = await Promise.all(started.map((each) => each.return(claims)));
  // The embedded database has one connection, and a busy machine rejects some requests as overloaded.
  const statuses = new Set(responses.map(({ statusCode }) => statusCode));
  statuses.delete(503);
  t.same(statuses, new Set([303]));
  t.equal(await prisma.user.count({ where: { accountId: scene.accountId } }), 2);
  t.equal(await prisma.userIdentity.count({ where: { accountId: scene.accountId } }), 1);
  t.equal(scene.idp.requests.get('/.well-known/openid-configuration'), 1, 'the metadata is cached');
});

t.test('two tabs of a browser can sign in', async (t) => {
  const scene = await createSignOnScene(t, api);
  const claims = person(`grace@${scene.domain}`);
  const first = await start(api, scene);
  const second = await start(api, scene, { browser: first.browser });
  t.equal((await first.return(claims)).statusCode, 303);
  t.equal((await second.return(claims)).statusCode, 303);
});

t.test('names come from the claims, or from the address', async (t) => {
  const scene = await createSignOnScene(t, api);
  const cases = [
    [{ given_name: ' Ada ', family_name: 'Lovelace' }, ['Ada', 'Lovelace']],
    [{ name: 'Ada King Lovelace' }, ['Ada', 'King Lovelace']],
    [{ given_name: '', family_name: 7, name: undefined }, ['ada', 'x']],
    [{ given_name: 'a'.repeat(300), family_name: 'b\u0000' }, ['a'.repeat(100), 'x']],
    [{ given_name: '\u202e\u0007', family_name: ' ' }, ['ada', 'x']],
  ] as const;
  for (const [index, [names, expected]] of cases.entries()) {
    const email = `ada.x@s${index}.${scene.domain}`;
    await prisma.accountDomain.create({
      data: { domain: `s${index}.${scene.domain}`, accountId: scene.accountId },
    });
    const claims = { ...person(email), given_name: undefined, family_name: undefined, ...names };
    const response = await (await start(api, scene)).return(claims);
    t.equal(response.statusCode, 303, response.body);
    const { givenName, familyName } = await prisma.user.findFirstOrThrow({ where: { email } });
    t.same([givenName, familyName], expected);
  }
});

t.test('an account without an identity provider has no start page', async (t) => {
  const scene = await createSignOnScene(t, api);
  await prisma.identityProvider.deleteMany({ where: { accountId: scene.accountId } });
  for (const account of [scene.accountId, 'unknown', "'; --", '%00', 'a'.repeat(500)]) {
    const response = await new Browser(api.app).open(`/sign_in/sso/${encodeURIComponent(account)}`);
    t.equal(response.statusCode, 404, account);
    t.match(response.body, 'Single sign-on is not set up');
  }
});
