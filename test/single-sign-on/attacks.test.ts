import { Browser } from '../support/browser/browser.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene, createUser, fromAddress, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import type { Claims } from '../support/single-sign-on/fake-provider.js';
import {
  configure,
  createSignOnScene,
  lastFailure,
  person,
  providerUrl,
  type SignOnScene,
  signedInUser,
  start,
} from '../support/single-sign-on/scene.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });
const { prisma } = database;

const usersOf = ({ accountId }: SignOnScene) => prisma.user.count({ where: { accountId } });
const identitiesOf = ({ accountId }: SignOnScene) => prisma.userIdentity.count({ where: { accountId } });
const lastReason = async (scene: SignOnScene) => (await lastFailure(api, scene))?.reason;

t.test('rejects an ID token that is not for this sign-in', async (t) => {
  const scene = await createSignOnScene(t, api);
  const now = Math.floor(Date.now() / 1000);
  const cases: Record<string, Claims> = {
    'another issuer': { iss: 'https://other.example' },
    'no issuer': { iss: undefined },
    'another audience': { aud: 'another-client' },
    'another authorized party': { aud: ['people', 'another-client'], azp: 'another-client' },
    'another nonce': { nonce: 'x'.repeat(43) },
    'no nonce': { nonce: undefined },
    expired: { iat: now - 7200, exp: now - 3600 },
    'no expiry': { exp: undefined },
    'no subject': { sub: undefined },
    'another key': { signed_by_other_key: true },
  };
  for (const [label, changes] of Object.entries(cases)) {
    const started = await start(api, scene);
    const response = await started.return({ ...person(`grace@${scene.domain}`), ...changes });
    t.equal(response.statusCode, 502, label);
    t.match(response.body, 'The identity provider is not available', label);
    t.equal(await signedInUser(started.browser), null, label);
    t.match(await lastReason(scene), /^(oauth_|response)/, label);
  }
  t.equal(await usersOf(scene), 1);
});

t.test('rejects the nonce of an earlier sign-in', async (t) => {
  const scene = await createSignOnScene(t, api);
  const first = await start(api, scene);
  await first.return(person(`grace@${scene.domain}`));
  const second = await start(api, scene);
  t.not(second.nonce, first.nonce);
  t.not(second.url.searchParams.get('code_challenge'), first.url.searchParams.get('code_challenge'));
  const response = await second.return({ ...person(`grace@${scene.domain}`), nonce: first.nonce });
  t.equal(response.statusCode, 502);
  t.equal(await signedInUser(second.browser), null);
});

t.test('a response can be used once', async (t) => {
  const scene = await createSignOnScene(t, api);
  const started = await start(api, scene);
  const claims = person(`grace@${scene.domain}`);
  t.equal((await started.return(claims)).statusCode, 303);
  const requests = scene.idp.tokenRequests.length;
  for (let times = 0; times < 2; times += 1) {
    const again = await started.return(claims);
    t.equal(again.statusCode, 400);
    t.match(again.body, 'You are already signed in');
  }
  t.equal(scene.idp.tokenRequests.length, requests, 'no code is exchanged');
  const concurrent = await start(api, scene);
  const responses = await Promise.all(Array.from({ length: 3 }, () => concurrent.return(claims)));
  t.equal(responses.filter(({ statusCode }) => statusCode === 303).length, 1);
});

t.test('a failed response cannot be repeated', async (t) => {
  const scene = await createSignOnScene(t, api);
  const started = await start(api, scene);
  t.equal((await started.return(person('x@elsewhere.example'))).statusCode, 403);
  t.equal((await started.return(person(`grace@${scene.domain}`))).statusCode, 400);
});

t.test('a response is accepted only in the browser that started the sign-in', async (t) => {
  const scene = await createSignOnScene(t, api);
  const started = await start(api, scene);
  scene.idp.issue('c', { ...person(`grace@${scene.domain}`), nonce: started.nonce });
  const address = `${scene.path}/callback?code=c&state=${started.state}`;
  const other = await start(api, scene);
  const tampered = new Browser(api.app);
  tampered.setCookie('sign_in_browser', `${'x'.repeat(43)}`);
  const malformed = new Browser(api.app);
  malformed.setCookie('sign_in_browser', "' OR 1=1 --");
  for (const browser of [new Browser(api.app), other.browser, tampered, malformed]) {
    const response = await browser.open(address);
    t.equal(response.statusCode, 400);
    t.equal(await signedInUser(browser), null);
  }
  t.equal((await started.browser.open(address)).statusCode, 303, 'other browsers do not consume the request');
});

t.test('a response is rejected after ten minutes', async (t) => {
  const scene = await createSignOnScene(t, api);
  const started = await start(api, scene);
  api.clock.advanceSeconds(600);
  t.equal((await started.return(person(`grace@${scene.domain}`))).statusCode, 400);
  t.equal(scene.idp.tokenRequests.length, 0);
});

t.test('mix-up: the response of one identity provider is rejected for another', async (t) => {
  const honest = await createSignOnScene(t, api);
  const attacker = await createSignOnScene(t, api);
  const browser = new Browser(api.app);
  const atHonest = await start(api, honest, { browser });
  const atAttacker = await start(api, attacker, { browser });
  const claims = person(`grace@${honest.domain}`);
  // The code of the honest provider, with the state of the attacker's account.
  const crossed = await atHonest.return(claims, { state: atAttacker.state });
  t.equal(crossed.statusCode, 400, 'at the callback of the honest account');
  t.equal(attacker.idp.tokenRequests.length, 0, 'the attacker does not get the code');
  t.equal(honest.idp.tokenRequests.length, 0);
  const second = await start(api, attacker, { browser });
  const response = await browser.open(
    `${attacker.path}/callback?${new URLSearchParams({ code: 'of honest', state: second.state, iss: honest.idp.issuer })}`,
  );
  t.not(response.statusCode, 303);
  t.equal(attacker.idp.tokenRequests.length, 0, 'the parameter iss names another issuer');
  const third = await start(api, attacker, { browser });
  const replayed = await third.return({ ...claims, iss: honest.idp.issuer });
  t.equal(replayed.statusCode, 502, 'an ID token of the honest provider');
  t.equal(await signedInUser(browser), null);
});

t.test('iss is required of an identity provider that announces it', async (t) => {
  const scene = await createSignOnScene(t, api);
  scene.idp.metadata = { ...scene.idp.metadata, authorization_response_iss_parameter_supported: true };
  const claims = person(`grace@${scene.domain}`);
  t.not((await (await start(api, scene)).return(claims)).statusCode, 303);
  t.not((await (await start(api, scene)).return(claims, { iss: 'https://x.example' })).statusCode, 303);
  t.equal(scene.idp.tokenRequests.length, 0);
  t.equal((await (await start(api, scene)).return(claims, { iss: scene.idp.issuer })).statusCode, 303);
});

t.test('only a verified address is accepted', async (t) => {
  const scene = await createSignOnScene(t, api);
  for (const [verified, email] of [
    ...[false, undefined, 'false', 'TRUE', 1, null].map(
      (verified) => [verified, `grace@${scene.domain}`] as const,
    ),
    [false, scene.user.email] as const,
    [undefined, scene.user.email] as const,
  ]) {
    const started = await start(api, scene);
    const response = await started.return({ ...person(email), email_verified: verified });
    t.equal(response.statusCode, 403, `${verified} ${email}`);
    t.equal(await signedInUser(started.browser), null);
    t.equal(
      await lastReason(scene),
      verified === undefined ? 'email_verified_missing' : 'email_not_verified',
    );
  }
  for (const email of [
    undefined,
    '',
    'no address',
    7,
    `a@b@${scene.domain}`,
    `${'a'.repeat(400)}@${scene.domain}`,
  ]) {
    const response = await (await start(api, scene)).return({ ...person(''), email });
    t.equal(response.statusCode, 403, String(email));
    t.equal(await lastReason(scene), 'email_missing');
  }
  t.equal(await identitiesOf(scene), 0);
  t.equal(await usersOf(scene), 1);
});

t.test('every identity without a user gets the same response', async (t) => {
  const scene = await createSignOnScene(t, api);
  const { user: stranger } = await createScene(database);
  const { user: strangerOfDomain } = await createScene(database);
  const taken = `taken@${scene.domain}`;
  await prisma.user.updateMany({ where: { id: strangerOfDomain.id }, data: { email: taken } });
  const disabled = await createUser(database, scene.accountId);
  await prisma.user.updateMany({ where: { id: disabled.id }, data: { disabledAt: new Date() } });
  const linked = await createUser(database, scene.accountId);
  await (await start(api, scene)).return(person(linked.email));

  const cases = {
    unknown_user: 'nobody@elsewhere.example',
    email_taken: taken,
    disabled: disabled.email,
    other_identity: linked.email,
  };
  const bodies = new Set<string>();
  for (const [reason, email] of Object.entries(cases)) {
    const started = await start(api, scene);
    const response = await started.return(person(email));
    t.equal(response.statusCode, 403, reason);
    t.equal(await signedInUser(started.browser), null, reason);
    t.equal(await lastReason(scene), reason);
    bodies.add(response.body);
  }
  const foreign = await start(api, scene);
  bodies.add((await foreign.return(person(stranger.email))).body);
  t.equal(
    await lastReason(scene),
    'unknown_user',
    'an address of another account gets the response of an unknown one',
  );
  t.equal(bodies.size, 1);
  t.equal(
    await prisma.userIdentity.count({ where: { userId: { in: [stranger.id, strangerOfDomain.id] } } }),
    0,
  );
});

t.test('a disabled user cannot use a known identity', async (t) => {
  const scene = await createSignOnScene(t, api);
  const claims = person(`grace@${scene.domain}`);
  await (await start(api, scene)).return(claims);
  await prisma.user.updateMany({
    where: { email: `grace@${scene.domain}` },
    data: { disabledAt: new Date() },
  });
  const started = await start(api, scene);
  t.equal((await started.return(claims)).statusCode, 403);
  t.equal(await signedInUser(started.browser), null);
  t.equal(await lastReason(scene), 'disabled');
});

t.test('the same issuer and subject are different users in different accounts', async (t) => {
  const scene = await createSignOnScene(t, api);
  const other = await createScene(database);
  await configure(api, other.accountId, scene.idp.issuer);
  const claims = person(`grace@${scene.domain}`);
  await (await start(api, scene)).return(claims);
  const path = `/sign_in/sso/${other.accountId}`;
  const atOther = await start(api, { idp: scene.idp, path });
  t.equal(
    (await atOther.return(claims)).statusCode,
    403,
    'the domain is confirmed for the first account only',
  );
  const started = await start(api, { idp: scene.idp, path });
  t.equal((await started.return({ ...claims, email: other.user.email })).statusCode, 303);
  t.equal(await signedInUser(started.browser), other.user.email);
});

t.test('a request that was started with earlier settings is rejected', async (t) => {
  const scene = await createSignOnScene(t, api);
  for (const data of [{ clientId: 'another' }, { issuer: 'https://other.example' }]) {
    const started = await start(api, scene);
    await prisma.identityProvider.updateMany({ where: { accountId: scene.accountId }, data });
    t.equal((await started.return(person(`grace@${scene.domain}`))).statusCode, 400);
    await prisma.identityProvider.updateMany({
      where: { accountId: scene.accountId },
      data: { clientId: 'people', issuer: scene.idp.issuer },
    });
  }
  t.equal(scene.idp.tokenRequests.length, 0);
});

t.test('an error of the identity provider is an error page without its text', async (t) => {
  const scene = await createSignOnScene(t, api);
  const { browser, state } = await start(api, scene);
  const query = new URLSearchParams({ error: 'access_denied', error_description: '<b>Call 555</b>', state });
  const response = await browser.open(`${scene.path}/callback?${query}`);
  t.equal(response.statusCode, 403);
  t.notMatch(response.body, '555');
  t.equal(await lastReason(scene), 'denied');
});

t.test('malformed callbacks get an error page', async (t) => {
  const scene = await createSignOnScene(t, api);
  const { browser, state } = await start(api, scene);
  const queries = [
    '',
    '?',
    '?state=',
    `?state=${state}&state=${state}`,
    '?code=x',
    '?state[]=x',
    `?state=${'x'.repeat(9000)}`,
  ];
  for (const query of queries) {
    const response = await browser.open(`${scene.path}/callback${query}`);
    t.equal(response.statusCode, 400, query.slice(0, 40));
    t.equal(response.headers['cache-control'], 'no-store');
  }
  const response = await browser.open(`${scene.path}/callback?state=${state}&code=a&code=b`);
  t.equal(response.statusCode, 502);
});

t.test('starts that are not completed are limited for each network and account', async (t) => {
  const limited = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '1' } });
  const scene = await createSignOnScene(t, limited);
  const at = (address: string) => ({ app: fromAddress(limited.app, address) });
  const claims = person(`grace@${scene.domain}`);
  for (let count = 0; count < 11; count += 1) await (await start(at('192.0.2.1'), scene)).return(claims);
  for (let count = 0; count < 10; count += 1) await start(at('192.0.2.2'), scene);
  const response = await new Browser(at('192.0.2.2').app).open(scene.path);
  t.equal(response.statusCode, 429);
  t.ok(Number(response.headers['retry-after']) > 0);
  t.ok(await start(at('192.0.2.3'), scene), 'other networks are not limited');
  t.ok(await start(at('192.0.2.2'), await createSignOnScene(t, limited)), 'other accounts are not limited');
  t.equal(await prisma.signInRequest.count({ where: { accountId: scene.accountId } }), 11);
});

t.test('single sign-on replaces the session of another user only after a form', async (t) => {
  const scene = await createSignOnScene(t, api);
  const victim = await createScene(database);
  const colleague = await createUser(database, scene.accountId);
  const claims = person(`grace@${scene.domain}`);
  await (await start(api, scene)).return(claims);
  for (const { email, password } of [victim.user, colleague]) {
    const started = await start(api, scene);
    const { browser } = started;
    await browser.signIn(email, password);
    const session = browser.cookies.get('session');
    const page = await started.return(claims);
    t.equal(page.statusCode, 409);
    t.match(page.body, email);
    t.match(page.body, `grace@${scene.domain}`);
    t.equal(browser.cookies.get('session'), session);
    t.equal(await signedInUser(browser), email);

    t.equal((await browser.submit(scene.path, {})).statusCode, 403, 'a form of another site');
    t.equal(await signedInUser(browser), email);

    const next = await browser.submitForm(page, scene.path, {});
    t.equal(next.headers.refresh, `0; url=${providerUrl(next)}`);
    t.equal(await signedInUser(browser), null);
    const again = await start(api, scene, { browser });
    t.equal((await again.return(claims)).statusCode, 303);
    t.equal(await signedInUser(browser), `grace@${scene.domain}`);
  }
  const again = await signedInBrowser(api, scene.user);
  const own = await start(api, scene, { browser: again });
  t.equal((await own.return(person(scene.user.email))).statusCode, 303, 'the same user is not asked');
});

t.test('a session without its second factor is not replaced without a form', async (t) => {
  const scene = await createSignOnScene(t, api);
  const victim = await createScene(database);
  await prisma.totpFactor.create({
    data: {
      accountId: victim.accountId,
      userId: victim.user.id,
      sealedSecret: 'x',
      lastStep: 0,
    },
  });
  const started = await start(api, scene);
  await started.browser.signIn(victim.user.email, victim.user.password);
  const session = started.browser.cookies.get('session');
  t.equal((await started.return(person(`grace@${scene.domain}`))).statusCode, 409);
  t.equal(started.browser.cookies.get('session'), session);
});

t.test('the form keeps the session when the sign-in cannot start', async (t) => {
  const scene = await createSignOnScene(t, api);
  const { user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const page = await (await start(api, scene, { browser })).return(person(`grace@${scene.domain}`));
  await prisma.identityProvider.deleteMany({ where: { accountId: scene.accountId } });
  t.equal((await browser.submitForm(page, scene.path, {})).statusCode, 404);
  t.equal(await signedInUser(browser), user.email);
});

t.test('the address of an account names the account and the host, and redirects nowhere', async (t) => {
  const scene = await createSignOnScene(t, api);
  await prisma.account.update({ where: { id: scene.accountId }, data: { name: '<b>Acme' } });
  const response = await new Browser(api.app).open(scene.path);
  t.equal(response.statusCode, 200);
  t.equal(response.headers.location, undefined);
  t.equal(response.headers.refresh, undefined);
  t.match(response.body, '&lt;b>Acme');
  t.match(response.body, `<strong>${new URL(scene.idp.issuer).host}</strong>`);
});

t.test('images, frames and prefetches of other sites start no sign-in', async (t) => {
  const limited = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '1' } });
  const scene = await createSignOnScene(t, limited);
  const load = (headers: Record<string, string>) => limited.app.inject({ url: scene.path, headers });
  const others = [
    { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-purpose': 'prefetch' },
  ];
  for (const headers of others)
    for (let count = 0; count < 3; count += 1) t.equal((await load(headers)).statusCode, 403);
  t.equal(scene.idp.requests.size, 0);
  t.equal(await prisma.signInRequest.count({ where: { accountId: scene.accountId } }), 0);
  const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  for (let count = 0; count < 10; count += 1) t.equal((await load(navigation)).statusCode, 200);
  t.equal((await load({})).statusCode, 429, 'an old browser');
});
