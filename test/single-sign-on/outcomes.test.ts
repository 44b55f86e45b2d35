import { openTestDatabase } from '../support/database/database.js';
import { signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import { type Claims, clientSecret, startFakeProvider } from '../support/single-sign-on/fake-provider.js';
import { createSignOnScene, lastFailure, person, start } from '../support/single-sign-on/scene.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const { prisma } = database;
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });
const settings = '/people/settings/single_sign_on';

const storedOf = (accountId: string) =>
  prisma.identityProvider.findFirstOrThrow({
    where: { accountId },
    select: { lastSuccessAt: true, lastFailureAt: true, lastFailure: true },
  });

t.test(
  'owners see the last failed sign-in with its reason and remedy, and the page of the user stays plain',
  async (t) => {
    const scene = await createSignOnScene(t, api);
    const { issuer } = scene.idp;
    const owner = await signedInBrowser(api, scene.user);
    t.match((await owner.open(settings)).body, /Last failed sign-in<\/dt><dd>Never/);
    const cases: [claims: Claims, details: Record<string, string>, what: string][] = [
      [
        { email_verified: undefined },
        { reason: 'email_verified_missing', issuer, claim: 'email_verified' },
        'The identity provider does not say whether the address is verified.',
      ],
      [
        { iss: 'https://sts.windows.net/1/' },
        { issuer, claim: 'iss', issuer_found: 'https://sts.windows.net/1/' },
        'The response of the identity provider is not accepted.',
      ],
      [
        { exp: undefined },
        { reason: 'oauth_invalid_response', issuer, claim: 'exp' },
        'The response of the identity provider is not accepted.',
      ],
      [{ iss: '<b>\u0000é' }, { claim: 'iss', issuer_found: '<b>??' }, 'is not accepted'],
    ];
    for (const [changes, details, what] of cases) {
      const page = await (await start(api, scene)).return({ ...person(`grace@${scene.domain}`), ...changes });
      t.notMatch(page.body, /email_verified|sts\.windows|oauth_|Claim/);
      const { body } = await owner.open(settings);
      t.match(body, what);
      t.match(body, `<code>${details.claim}</code>`);
      t.notMatch(
        body,
        /sts\.windows|oauth_(invalid|jwt)|&lt;b>/,
        'neither codes of the library nor values of claims',
      );
      const failure = await lastFailure(api, scene);
      t.match(failure, details);
      t.match(body, String(failure?.remedy).slice(0, 30));
    }
    scene.idp.respond('/token', (_, response) =>
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"invalid_client"}'),
    );
    await (await start(api, scene)).return(person(`grace@${scene.domain}`));
    t.match(await lastFailure(api, scene), { error: 'invalid_client', remedy: /client secret/ });
    t.match((await owner.open(settings)).body, '<code>invalid_client</code>');
  },
);

t.test(
  'the last outcome has no claims, tokens or texts of others, and is of one identity provider',
  async (t) => {
    const scene = await createSignOnScene(t, api);
    const { accountId, domain, idp } = scene;
    t.same(await storedOf(accountId), { lastSuccessAt: null, lastFailureAt: null, lastFailure: null });
    const claims = person(`grace@${domain}`);
    await (await start(api, scene)).return(claims);
    const at = api.clock();
    t.same(await storedOf(accountId), { lastSuccessAt: at, lastFailureAt: null, lastFailure: null });

    api.clock.advanceSeconds(30);
    await (await start(api, scene)).return(claims);
    t.same((await storedOf(accountId)).lastSuccessAt, at, 'one write a minute');
    api.clock.advanceSeconds(31);
    await (await start(api, scene)).return(claims);
    t.same((await storedOf(accountId)).lastSuccessAt, api.clock());

    for (const error of ['access_denied', 'x'.repeat(200), 'Call 555-1234 <b>']) {
      const { browser, state } = await start(api, scene);
      await browser.open(`${scene.path}/callback?${new URLSearchParams({ error, state })}`);
      const { lastFailure: stored } = await storedOf(accountId);
      t.same(stored, { reason: 'denied', ...(error === 'access_denied' && { error }) });
    }
    await (await start(api, scene)).return(person('stranger@unknown.example'));
    t.same((await storedOf(accountId)).lastFailure, { reason: 'unknown_user' });
    idp.metadata = { ...idp.metadata, token_endpoint: 'http://127.0.0.1:9/token' };
    await prisma.identityProvider.updateMany({ where: { accountId }, data: { updatedAt: new Date(0) } });
    await (await start(api, scene)).return(claims);
    t.same(
      (await storedOf(accountId)).lastFailure,
      { reason: 'request' },
      'the address of a server is not stored',
    );

    const owner = await signedInBrowser(api, scene.user);
    const { issuer } = await startFakeProvider(t);
    const form = { issuer, client_id: 'people', client_secret: clientSecret };
    t.equal((await owner.submitForm(await owner.open(settings), settings, form)).statusCode, 303);
    t.same(await storedOf(accountId), { lastSuccessAt: null, lastFailureAt: null, lastFailure: null });
  },
);

t.test('an identity provider that does not respond is the last failure', async (t) => {
  const scene = await createSignOnScene(t, api, { issuer: 'http://127.0.0.1:9' });
  const owner = await signedInBrowser(api, scene.user);
  t.equal((await owner.open(scene.path)).statusCode, 503);
  t.same((await storedOf(scene.accountId)).lastFailure, { reason: 'request' });
  t.match((await owner.open(settings)).body, 'The identity provider does not respond.');
});
