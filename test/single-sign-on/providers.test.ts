import { randomId } from '../../src/platform/database/ids.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import { type Claims, startFakeProvider } from '../support/single-sign-on/fake-provider.js';
import * as fixtures from '../support/single-sign-on/provider-fixtures.js';
import {
  createSignOnScene,
  lastFailure,
  person,
  type SignOnScene,
  signedInUser,
  start,
} from '../support/single-sign-on/scene.js';
import t, { type Test } from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });
const { prisma } = database;
const settings = '/people/settings/single_sign_on';

/** An account with a confirmed domain and no identity provider yet, and a browser of its owner. */
async function createOwner(t: Test) {
  const scene = await createScene(database);
  const { accountId } = scene;
  const domain = `${randomId(10).toLowerCase()}.example`;
  await prisma.accountDomain.create({ data: { domain, accountId } });
  const owner = await signedInBrowser(api, scene.user);
  const idp = await startFakeProvider(t);
  const save = async (form: Record<string, string>) =>
    owner.submitForm(await owner.open(settings), settings, {
      client_id: 'people',
      client_secret: 'the-secret-of-people',
      ...form,
    });
  return { ...scene, domain, owner, idp, save, path: `/sign_in/sso/${accountId}` };
}

const trust = ({ accountId }: Pick<SignOnScene, 'accountId'>, addressesVerified: boolean) =>
  prisma.identityProvider.updateMany({ where: { accountId }, data: { addressesVerified } });

/** The reason why the first sign-in is rejected, without and with the setting; `null` when the user is signed in. */
const outcomes: Record<string, [fixtures.ProviderFixture, string | null, string | null]> = {
  'Microsoft Entra ID': [fixtures.entra, 'email_verified_missing', null],
  'Microsoft Entra ID without a mailbox': [fixtures.entraWithoutMailbox, 'email_missing', null],
  Okta: [fixtures.okta, null, null],
  Google: [fixtures.google, null, null],
  'Amazon Cognito': [fixtures.cognito, null, null],
  Keycloak: [fixtures.keycloak, null, null],
  authentik: [fixtures.authentik, 'email_not_verified', 'email_not_verified'],
  'authentik with a scope mapping': [fixtures.authentikVerified, null, null],
};

for (const [name, [fixture, without, withSetting]] of Object.entries(outcomes)) {
  t.test(`${name}: saves the issuer, and signs users in by its claims`, async (t) => {
    const scene = await createOwner(t);
    const { accountId, idp, domain } = scene;
    const email = `grace@${domain}`;
    fixtures.imitate(idp, fixture, email);
    const issuer = fixtures.atHost(idp, fixture.metadata.issuer);
    const other = issuer.endsWith('/') ? issuer.slice(0, -1) : `${issuer}/`;
    for (const typed of [issuer, other]) {
      const saved = await scene.save({ issuer: typed });
      t.equal(saved.headers.location, `${settings}?notice=single_sign_on_saved`, typed);
      t.equal((await prisma.identityProvider.findFirstOrThrow({ where: { accountId } })).issuer, issuer);
    }
    const claims = fixture.idToken(email);
    const named = idp.metadata.authorization_response_iss_parameter_supported ? { iss: issuer } : {};
    const choices = [[false, without] as const, [true, withSetting] as const];
    // The setting changes the outcome of some identity providers only.
    for (const [addressesVerified, reason] of without === withSetting ? choices.slice(0, 1) : choices) {
      const form = addressesVerified ? { issuer, addresses_verified: 'yes' } : { issuer };
      t.equal((await scene.save(form)).statusCode, 303);
      const checkbox = /name="addresses_verified" value="yes"( checked)?/.exec(
        (await scene.owner.open(settings)).body,
      );
      t.equal(checkbox?.[1] !== undefined, addressesVerified);
      const started = await start(api, scene);
      const response = await started.return(claims, named);
      t.equal(response.statusCode, reason === null ? 303 : 403, response.body);
      t.equal(await signedInUser(started.browser), reason === null ? email : null);
      const failure = await lastFailure(api, scene);
      if (reason === null) t.equal(failure, undefined);
      else
        t.match(failure, {
          reason,
          issuer,
          claim: reason.startsWith('email_m') ? 'email' : 'email_verified',
          remedy: /\.$/,
        });
    }
    if (withSetting === null) {
      const { sub, auth_time } = claims;
      idp.respond(new URL(String(idp.metadata.userinfo_endpoint)).pathname, (_, response) =>
        response.writeHead(500).end(),
      );
      const again = await (await start(api, scene)).return({ sub, auth_time }, named);
      t.equal(again.statusCode, 303, 'a known subject needs no other claims');
    }
  });
}

t.test('email_verified counts only for the address that is next to it, and false prevails', async (t) => {
  const scene = await createSignOnScene(t, api);
  const { idp, domain } = scene;
  idp.metadata = { ...idp.metadata, userinfo_endpoint: `${idp.issuer}/userinfo` };
  const email = () => `${randomId(8).toLowerCase()}@${domain}`;
  const [same, upper] = [email(), email()];
  const stated = (email: string, email_verified: unknown) => ({ email, email_verified });
  const cases: [label: string, idToken: Claims, userInfo: Claims, reason?: string][] = [
    ['userinfo only', {}, stated(email(), true)],
    ['userinfo verifies the same', { email: same }, stated(same, true)],
    ['in capitals', { email: upper.toUpperCase() }, stated(upper, 'true')],
    ['without the address', { email: email() }, { email_verified: true }],
    ['a string', stated(email(), 'true'), {}],
    ['another address', { email: email() }, stated(email(), true), 'email_verified_missing'],
    ['false at userinfo', { email_verified: true }, stated(email(), false), 'email_not_verified'],
    ['false in the token', { email_verified: false }, stated(email(), true), 'email_not_verified'],
    ['"false"', stated(email(), 'false'), { email_verified: true }, 'email_not_verified'],
    ['no address', { email_verified: true }, { preferred_username: email() }, 'email_missing'],
    ['an invalid address', { email: 'grace', preferred_username: email() }, {}, 'email_missing'],
  ];
  for (const [label, idToken, userInfo, reason] of cases) {
    // With the setting, an address without any email_verified is accepted, and the others are rejected as without.
    for (const trusted of reason === undefined ? [false] : [false, true]) {
      await trust(scene, trusted);
      const expected = trusted && reason === 'email_verified_missing' ? undefined : reason;
      idp.userInfo = userInfo;
      const response = await (await start(api, scene)).return({ sub: `${trusted} ${label}`, ...idToken });
      await prisma.userIdentity.deleteMany({ where: { accountId: scene.accountId } });
      t.equal(response.statusCode, expected === undefined ? 303 : 403, label);
      t.equal((await lastFailure(api, scene))?.reason, expected, label);
    }
  }
});

t.test(
  'addresses without email_verified are accepted only with the setting, and of confirmed domains',
  async (t) => {
    const scene = await createSignOnScene(t, api);
    const { domain, user } = scene;
    const unstated = (email: string, changes: Claims = {}) =>
      person(email, { email_verified: undefined, ...changes });
    const userName = (name: string) => unstated('', { email: undefined, preferred_username: name });
    const cases: [claims: Claims, without: string, withSetting: string | undefined][] = [
      [unstated(`grace@${domain}`), 'email_verified_missing', undefined],
      [unstated(user.email), 'email_verified_missing', 'domain_not_confirmed'],
      [unstated(`grace@sub.${domain}`), 'email_verified_missing', 'domain_not_confirmed'],
      [userName(`ada@${domain}`), 'email_missing', undefined],
      [userName(user.email), 'email_missing', 'domain_not_confirmed'],
      [userName('grace'), 'email_missing', 'email_missing'],
    ];
    const bodies = new Set<string>();
    for (const [claims, ...reasons] of cases) {
      for (const [index, reason] of reasons.entries()) {
        await trust(scene, index === 1);
        const started = await start(api, scene);
        const response = await started.return(claims);
        t.equal(response.statusCode, reason === undefined ? 303 : 403, String(reason));
        if (reason === undefined) continue;
        t.equal(await signedInUser(started.browser), null);
        t.match(await lastFailure(api, scene), { reason });
        bodies.add(response.body);
      }
    }
    t.equal(bodies.size, 1, 'the page of the user does not have the reason');
  },
);

t.test('metadata that cannot be used is rejected with what was found, and a remedy', async (t) => {
  const scene = await createOwner(t);
  const { idp, save, accountId } = scene;
  const { issuer } = idp;
  const common = JSON.parse(fixtures.atHost(idp, JSON.stringify(fixtures.entraCommon.metadata)));
  const ofTenants = [`names the issuer ${issuer}/{tenantid}/v2.0`, 'Enter the issuer of your organization'];
  const methods = ['private_key_jwt', 'tls_client_auth'];
  const cases: [issuer: string, metadata: Claims, messages: string[]][] = [
    [`${issuer}/common/v2.0`, common, ofTenants],
    [`${issuer}/organizations/v2.0`, common, [...ofTenants, 'with its tenant ID']],
    [`${issuer}/{tenantid}/v2.0`, common, ['enter its tenant ID in place']],
    [`${issuer}/%7Btenantid%7D/v2.0`, common, ['enter its tenant ID in place']],
    [issuer, { issuer: 'https://sts.windows.net/1/' }, ['another issuer: https://sts.windows.net/1/. Enter']],
    [issuer, { issuer: undefined }, ['names another issuer: none']],
    [issuer, { jwks_uri: undefined }, ['must have the URLs of the authorization endpoint']],
    [
      issuer,
      { token_endpoint_auth_methods_supported: methods },
      [`${methods.join(', ')}. Supported are client_secret_basic and client_secret_post.`],
    ],
    [issuer, { id_token_signing_alg_values_supported: ['HS256'] }, ['signs ID tokens with HS256. Choose']],
  ];
  const { metadata } = idp;
  for (const [typed, changes, messages] of cases) {
    idp.metadata = { ...metadata, ...changes };
    const { pathname } = new URL(typed);
    idp.respond(`${pathname.replace(/\/$/, '')}/.well-known/openid-configuration`, (_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(idp.metadata)),
    );
    const response = await save({ issuer: typed });
    t.equal(response.statusCode, 400, typed);
    for (const message of messages) t.match(response.body, message);
  }
  t.equal(await prisma.identityProvider.count({ where: { accountId } }), 0);
});

t.test(
  'a client secret is form-encoded for Basic authentication, and no more than that requires',
  async (t) => {
    const cases: [secret: string, encoded: string][] = [
      ['a:b%c+d', 'a%3Ab%25c%2Bd'],
      ['GOCSPX-a_b.c*', 'GOCSPX-a_b.c*'],
      ['~8Q/=&"?', '%7E8Q%2F%3D%26%22%3F'],
    ];
    const { save, idp, ...scene } = await createOwner(t);
    for (const [secret, encoded] of cases) {
      t.equal((await save({ issuer: idp.issuer, client_secret: secret })).statusCode, 303);
      const started = await start(api, { ...scene, idp });
      t.equal((await started.return(person(`${randomId()}@${scene.domain}`))).statusCode, 303);
      const [, basic = ''] = idp.tokenRequests.at(-1)?.authorization.split(' ') ?? [];
      t.equal(Buffer.from(basic, 'base64').toString(), `people:${encoded}`);
    }
    const methods = { token_endpoint_auth_methods_supported: ['private_key_jwt', 'client_secret_post'] };
    idp.metadata = { ...idp.metadata, ...methods };
    t.equal((await save({ issuer: idp.issuer, client_secret: 'a:b%c+d' })).statusCode, 303);
    await (await start(api, { ...scene, idp })).return(person(`grace@${scene.domain}`));
    t.match(idp.tokenRequests.at(-1), { authorization: '' });
    t.equal(idp.tokenRequests.at(-1)?.form.get('client_secret'), 'a:b%c+d');
  },
);

t.test('the clock of the identity provider may differ by 30 seconds', async (t) => {
  const scene = await createSignOnScene(t, api);
  const now = Math.floor(Date.now() / 1000);
  const cases: [times: Claims, claim?: string][] = [
    [{ iat: now + 15, nbf: now + 15, exp: now + 315 }],
    [{ iat: now - 315, nbf: now - 315, exp: now - 15 }],
    [{ exp: now - 31 }, 'exp'],
    [{ nbf: now + 90 }, 'nbf'],
  ];
  for (const [times, claim] of cases) {
    const response = await (await start(api, scene)).return({
      ...person(`${randomId()}@${scene.domain}`),
      ...times,
    });
    t.equal(response.statusCode, claim === undefined ? 303 : 502);
    const remedy = /Synchronize the clock/;
    if (claim !== undefined)
      t.match(await lastFailure(api, scene), { reason: 'oauth_jwt_timestamp_check_failed', claim, remedy });
  }
});
