import type { LightMyRequestResponse } from 'fastify';
import { hiddenFields } from '../support/browser/browser.js';
import { authorizeResponses } from '../support/oauth/authorize-responses.js';
import { approve, installedScene, publish, publishedScene } from '../support/oauth/installations.js';
import {
  authorizationRequest,
  createScene,
  createUser,
  expectOAuthError,
  grantTokens,
  type Scene,
  signedInBrowser,
} from '../support/oauth/users.js';
import { createTenant } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database } = api;
const { prisma } = database;
const { rejectedHere } = authorizeResponses(api);

/** Expects a redirect to the page of this server on which the application is approved, with the same request. */
function leadsToApproval(t: Test, response: LightMyRequestResponse, url: string, status = 302): void {
  t.equal(response.statusCode, status, response.body);
  t.equal(response.headers.location, `/approve_application${url.slice(url.indexOf('?'))}`);
  t.equal(response.headers['cache-control'], 'no-store');
  t.equal(response.headers['referrer-policy'], 'no-referrer');
}

/** The publisher's application, and a user of an account that has not approved it. */
async function unapprovedScene(role: 'owner' | 'member' = 'owner'): Promise<Scene & { publisher: Scene }> {
  const publisher = await publishedScene(api);
  const { accountId } = await createTenant(database);
  return { ...publisher, publisher, accountId, user: await createUser(database, accountId, { role }) };
}

const codesOf = ({ accountId }: Scene) => prisma.authorizationCode.count({ where: { accountId } });

t.test('an application that the account has not approved gets neither a redirect nor a code', async (t) => {
  for (const role of ['owner', 'member'] as const) {
    const scene = await unapprovedScene(role);
    const browser = await signedInBrowser(api, scene.user);
    for (const changes of [
      {},
      { scope: 'unknown:scope' },
      { scope: 'user:write' },
      { resource: 'https://other.example' },
    ] as Record<string, string>[]) {
      const { url } = authorizationRequest(scene, changes);
      leadsToApproval(t, await browser.open(url), url);
    }
    // The form of the consent screen, with the CSRF token of another page.
    const csrf = hiddenFields((await browser.open('/people/settings/connected_applications')).body);
    const { url } = authorizationRequest(scene);
    for (const decision of ['allow', 'allow_selected', 'deny'])
      leadsToApproval(t, await browser.submit(url, { ...csrf, decision, scope: 'user:read' }), url, 303);
    t.equal(await codesOf(scene), 0);
    const where = { accountId: scene.publisher.accountId, NOT: { type: 'application.published' } };
    t.equal(await prisma.auditEvent.count({ where }), 0, 'the publisher sees nothing');
  }
});

t.test('a consent form is not accepted when the application is no longer approved', async (t) => {
  const publisher = await publishedScene(api);
  const scene = await installedScene(api, publisher);
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  const page = await browser.open(url);
  t.equal(page.statusCode, 200);
  await prisma.application.delete({
    where: { accountId_id: { accountId: scene.accountId, id: scene.application.id } },
  });
  for (const decision of ['allow', 'deny'])
    leadsToApproval(t, await browser.submitForm(page, url, { decision }), url, 303);
  t.equal(await codesOf(scene), 0);
});

t.test('an application that is not published is 403 without a redirect in other accounts', async (t) => {
  const scene = await createScene(database);
  const { accountId } = await createTenant(database);
  const user = await createUser(database, accountId);
  const { url } = authorizationRequest(scene);
  await rejectedHere(t, url, 403, 'access_denied', { browser: await signedInBrowser(api, user) });
  await publish(api, scene);
  await approve(api, scene.application.clientId, user);
  const browser = await signedInBrowser(api, user);
  t.equal((await browser.open(url)).statusCode, 200);
});

t.test('the users of the publisher need no approval', async (t) => {
  const publisher = await publishedScene(api);
  const browser = await signedInBrowser(api, publisher.user);
  const { url } = authorizationRequest(publisher);
  t.equal((await browser.open(url)).statusCode, 200);
  const { accessToken } = await grantTokens(api, publisher);
  t.equal((await api.get('/v1/users/me', accessToken)).json().data.id, publisher.user.id);
});

t.test('the internal client id is an unknown client at the authorization endpoint', async (t) => {
  const publisher = await publishedScene(api);
  const scene = await installedScene(api, publisher);
  for (const user of [scene.user, publisher.user]) {
    const browser = await signedInBrowser(api, user);
    const { url } = authorizationRequest(scene, { client_id: scene.internalId });
    await rejectedHere(t, url, 401, 'invalid_client', { browser });
  }
});

t.test('a redirect URI that is not registered is an error without a redirect, approved or not', async (t) => {
  const publisher = await publishedScene(api);
  const approved = await installedScene(api, publisher);
  const { accountId } = await createTenant(database);
  for (const user of [approved.user, await createUser(database, accountId), publisher.user]) {
    const browser = await signedInBrowser(api, user);
    const { url } = authorizationRequest(publisher, { redirect_uri: 'https://attacker.example/callback' });
    await rejectedHere(t, url, 400, 'invalid_request', { browser });
  }
});

t.test(
  'a request without a session has the same response, whether or not accounts have approved it',
  async (t) => {
    const [used, unused] = [await publishedScene(api), await publishedScene(api)];
    await installedScene(api, used);
    const responses = [];
    for (const scene of [used, unused]) {
      const { url } = authorizationRequest(scene);
      const { statusCode, headers } = await api.app.inject({ url });
      responses.push([statusCode, String(headers.location).startsWith('/sign_in?'), Object.keys(headers)]);
    }
    t.same(responses[0], responses[1]);
  },
);

t.test(
  'a token request has the same response, whether or not an account has approved the application',
  async (t) => {
    const [used, unused] = [await publishedScene(api), await publishedScene(api)];
    const scene = await installedScene(api, used);
    await grantTokens(api, scene);
    const forms = [
      {
        grant_type: 'authorization_code',
        code: 'unknown',
        redirect_uri: used.redirectUri,
        code_verifier: 'x'.repeat(43),
      },
      { grant_type: 'refresh_token', refresh_token: 'unknown' },
      { grant_type: 'client_credentials' },
    ];
    const comparable = ({ statusCode, headers, ...response }: LightMyRequestResponse) => {
      const { request_id: _, ...body } = response.json();
      return [statusCode, Object.keys(headers), body];
    };
    for (const form of forms) {
      const [one, another] = [
        await api.postForm('/v1/oauth/token', { ...form, client_id: used.application.clientId }),
        await api.postForm('/v1/oauth/token', { ...form, client_id: unused.application.clientId }),
      ];
      t.same(comparable(one), comparable(another), form.grant_type);
    }
    for (const { application } of [used, unused]) {
      const response = await api.postForm('/v1/oauth/revoke', {
        client_id: application.clientId,
        token: 'unknown',
      });
      t.equal(response.statusCode, 200);
    }
  },
);

t.test('without an approval the publisher gets no token in another account', async (t) => {
  const scene = await unapprovedScene();
  const { application, publisher } = scene;
  for (const grant_type of ['authorization_code', 'refresh_token']) {
    const response = await api.postForm('/v1/oauth/token', {
      grant_type,
      client_id: application.clientId,
      refresh_token: 'unknown',
      code: 'unknown',
      redirect_uri: publisher.redirectUri,
      code_verifier: 'x'.repeat(43),
    });
    expectOAuthError(t, response, 'invalid_grant');
  }
  t.equal(await prisma.grant.count({ where: { accountId: scene.accountId } }), 0);
});
