import { confirm, connectedPath, expectRedirect, isPage } from '../support/browser/pages.js';
import {
  createScene,
  createUser,
  expectTokenRejected,
  grantCode,
  grantTokens,
  refresh,
  revoke,
  signedInBrowser,
  tokenAccepted,
} from '../support/oauth/users.js';
import { createApplication } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database, clock } = api;

const disconnectPath = (id: string) => `${connectedPath}/${id}/disconnect`;

t.test('shows the scopes that a user allowed and those that are still valid', async (t) => {
  const scene = await createScene(database, { role: 'member', name: 'Mail <b>merge</b>' });
  const browser = await signedInBrowser(api, scene.user);
  const empty = await browser.open(connectedPath);
  isPage(t, empty);
  t.match(empty.body, /No connected applications/);
  await grantTokens(api, scene, { scope: 'user:read user:write' });
  const page = await browser.open(connectedPath);
  isPage(t, page);
  t.match(page.body, 'Mail &lt;b>merge&lt;/b>');
  t.match(page.body, /See your profile/);
  t.match(page.body, /Change your profile/);
  await database.prisma.application.updateMany({
    where: { id: scene.application.id },
    data: { scopes: ['user:read'] },
  });
  t.notMatch((await browser.open(connectedPath)).body, /Change your profile/, 'removed scopes are not shown');
});

t.test('disconnecting revokes every grant of this user to this application, and no other', async (t) => {
  const scene = await createScene(database);
  const colleague = { ...scene, user: await createUser(database, scene.accountId) };
  const application = await createApplication(database, scene.accountId, {
    clientType: 'public',
    redirectUris: [scene.redirectUri],
  });
  const other = { ...scene, application };
  const mine = [await grantTokens(api, scene), await grantTokens(api, scene)];
  const theirs = await grantTokens(api, colleague);
  const elsewhere = await grantTokens(api, other);
  const { form: onItsWay } = await grantCode(api, scene);

  const browser = await signedInBrowser(api, scene.user);
  const page = await browser.open(disconnectPath(scene.application.id));
  isPage(t, page);
  for (const { accessToken } of mine) await tokenAccepted(t, api, accessToken);
  const response = await confirm(browser, disconnectPath(scene.application.id));
  expectRedirect(t, response, `${connectedPath}?notice=disconnected`);
  for (const { accessToken, refreshToken } of mine) {
    await expectTokenRejected(t, api, accessToken, 'invalid_token');
    t.equal((await refresh(api, scene.application, refreshToken)).json().code, 'invalid_grant');
  }
  t.equal(
    (await api.postForm('/v1/oauth/token', onItsWay)).json().code,
    'invalid_grant',
    'an unused code issues no tokens',
  );
  await tokenAccepted(t, api, theirs.accessToken);
  t.equal((await refresh(api, scene.application, theirs.refreshToken)).statusCode, 200);
  await tokenAccepted(t, api, elsewhere.accessToken);
  t.equal((await refresh(api, application, elsewhere.refreshToken)).statusCode, 200);

  const list = await browser.open(connectedPath);
  t.notMatch(list.body, disconnectPath(scene.application.id));
  t.match(list.body, disconnectPath(application.id));
  isPage(t, await browser.open(disconnectPath(scene.application.id)), 404);
  const events = await database.prisma.auditEvent.findMany({
    where: { type: 'grant.revoked', applicationId: scene.application.id },
  });
  t.same(
    events.map(({ userId }) => userId),
    [scene.user.id, scene.user.id],
    'one event for each grant',
  );
});

t.test('removes a connection with its last token', async (t) => {
  const scene = await createScene(database);
  const browser = await signedInBrowser(api, scene.user);
  const { refreshToken } = await grantTokens(api, scene);
  t.match((await browser.open(connectedPath)).body, disconnectPath(scene.application.id));
  await revoke(api, scene.application, refreshToken);
  t.notMatch((await browser.open(connectedPath)).body, disconnectPath(scene.application.id));

  await grantTokens(api, scene);
  clock.advanceSeconds(31 * 24 * 3600);
  const later = await signedInBrowser(api, scene.user);
  t.notMatch((await later.open(connectedPath)).body, disconnectPath(scene.application.id));
});

t.test('a user cannot disconnect applications of other users', async (t) => {
  const scene = await createScene(database);
  const { accessToken } = await grantTokens(api, scene);
  const strangers = [await createUser(database, scene.accountId), (await createScene(database)).user];
  for (const stranger of strangers) {
    const browser = await signedInBrowser(api, stranger);
    const page = await browser.open(connectedPath);
    t.notMatch(page.body, disconnectPath(scene.application.id));
    isPage(t, await browser.open(disconnectPath(scene.application.id)), 404);
    isPage(t, await browser.submitForm(page, disconnectPath(scene.application.id), {}), 404);
  }
  await tokenAccepted(t, api, accessToken);
});
