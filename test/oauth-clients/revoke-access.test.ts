import { applicationsPath, auditLogPath, confirm, expectRedirect, isPage } from '../support/browser/pages.js';
import {
  createScene,
  createUser,
  expectTokenRejected,
  grantTokens,
  signedInBrowser,
  tokenAccepted,
} from '../support/oauth/users.js';
import { sendJson } from '../support/records/send-json.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database, clock } = api;

t.test('lists the access that stops working, and revokes it after confirmation', async (t) => {
  const scene = await createScene(database, { name: 'Bridge' });
  const browser = await signedInBrowser(api, scene.user);
  const address = `${applicationsPath}/${scene.application.id}`;
  const { accessToken } = await grantTokens(api, scene);
  t.match((await browser.open(address)).body, `href="${address}/revoke_access"`);

  const page = await browser.open(`${address}/revoke_access`);
  isPage(t, page);
  t.match(page.body, 'Revoke all access of Bridge?');
  t.match(page.body, '1 connected user is disconnected');
  await tokenAccepted(t, api, accessToken);

  clock.advanceSeconds(1);
  const response = await confirm(browser, `${address}/revoke_access`);
  expectRedirect(t, response, `${address}?notice=access_revoked`);
  await expectTokenRejected(t, api, accessToken, 'invalid_token');
  const after = await browser.open(String(response.headers.location));
  isPage(t, after);
  t.match(after.body, 'All access revoked.');
  t.match(after.body, /Connected users<\/dt><dd>0</);
  t.match((await browser.open(auditLogPath)).body, 'All access of an application revoked');
  const event = await database.prisma.auditEvent.findFirstOrThrow({ where: { createdAt: clock() } });
  t.match(event, { type: 'application.access_revoked', userId: scene.user.id, address: '127.0.0.1' });
});

t.test('says that webhook endpoints are paused, and shows the reason', async (t) => {
  const scene = await createScene(database, { clientType: 'confidential' });
  const browser = await signedInBrowser(api, scene.user);
  const address = `${applicationsPath}/${scene.application.id}`;
  t.notMatch((await browser.open(`${address}/revoke_access`)).body, 'paused');
  const token = await api.token(scene.application);
  const body = { url: 'https://partner.example/hook' };
  const created = await sendJson(api, { url: '/v1/webhook_endpoints', token, body });
  t.match((await browser.open(`${address}/revoke_access`)).body, '1 webhook endpoint is paused.');
  const response = await confirm(browser, `${address}/revoke_access`);
  t.match((await browser.open(String(response.headers.location))).body, 'webhook endpoints are paused');
  const endpoint = await browser.open(`${address}/webhooks/${created.json().data.id}`);
  t.match(endpoint.body, 'because all access of the application was revoked');
});

t.test('warns that the secrets of a confidential application stay, and they do', async (t) => {
  const scene = await createScene(database, { clientType: 'confidential' });
  const browser = await signedInBrowser(api, scene.user);
  const address = `${applicationsPath}/${scene.application.id}/revoke_access`;
  const before = await api.token(scene.application);
  t.match((await browser.open(address)).body, 'secrets stay');
  await confirm(browser, address);
  await expectTokenRejected(t, api, before, 'invalid_token');
  await tokenAccepted(t, api, await api.token(scene.application));
});

t.test('rejects members and administrators of other accounts', async (t) => {
  const scene = await createScene(database, { clientType: 'confidential' });
  const address = `${applicationsPath}/${scene.application.id}/revoke_access`;
  const token = await api.token(scene.application);
  const stranger = await signedInBrowser(api, (await createScene(database)).user);
  const member = await signedInBrowser(api, await createUser(database, scene.accountId, { role: 'member' }));
  for (const [browser, status] of [
    [stranger, 404],
    [member, 403],
  ] as const) {
    isPage(t, await browser.open(address), status);
    const { body } = await browser.open('/people');
    const csrf_token = /name="csrf_token" value="([^"]*)"/.exec(body)?.[1] ?? '';
    isPage(t, await browser.submit(address, { csrf_token }), status);
  }
  const owner = await signedInBrowser(api, scene.user);
  isPage(t, await owner.submit(address, {}), 403);
  await tokenAccepted(t, api, token);
});
