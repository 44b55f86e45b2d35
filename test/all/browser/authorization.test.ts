import { createServer } from 'node:http';
import { authorizationRequest, createScene } from '../../support/oauth/users.js';
import { setUpApp } from '../../support/second-factor/steps.js';
import { freePort } from '../../support/server/free-port.js';
import type { Test } from '../../support/tap.js';
import { signIn } from './browser-steps.js';
import { browserTest, type LiveSite } from './chromium.js';

/** Starts an application whose callback redirects to another origin. */
async function startApplication(t: Test, { api }: LiveSite, role: 'owner' | 'member' = 'owner') {
  const [port, other] = [await freePort(), await freePort()];
  const done = `http://localhost:${other}/done`;
  const received: URLSearchParams[] = [];
  const servers = [
    createServer(({ url = '' }, response) => {
      received.push(new URL(url, done).searchParams);
      response.writeHead(302, { location: done }).end();
    }).listen(port),
    createServer((_, response) => response.end('Done')).listen(other),
  ];
  t.teardown(() => servers.map((server) => server.close()));
  const scene = await createScene(api.database, { role, redirectUri: `http://localhost:${port}/callback` });
  return { scene, received, done };
}

for (const javaScriptEnabled of [true, false]) {
  browserTest(
    `Allow and Deny reach an application that redirects further, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`,
    async (t, page, site) => {
      const { scene, received, done } = await startApplication(t, site);
      const { url } = authorizationRequest(scene);
      await signIn(page, scene.user, url);
      for (const [button, parameter] of Object.entries({ Allow: 'code', Deny: 'error' })) {
        await page.goto(url);
        await page.getByRole('button', { name: button }).click();
        await page.waitForURL(done);
        t.ok(received.at(-1)?.has(parameter), button);
      }
    },
    { javaScriptEnabled },
  );
}

browserTest('sign-out reaches an application that redirects further', async (t, page, site) => {
  const { scene, received, done } = await startApplication(t, site);
  const { accountId, application, redirectUri } = scene;
  await site.api.database.prisma.application.update({
    where: { accountId_id: { accountId, id: application.id } },
    data: { postLogoutRedirectUris: [redirectUri] },
  });
  const parameters = { client_id: application.clientId, post_logout_redirect_uri: redirectUri, state: 's' };
  await signIn(page, scene.user);
  await page.goto(`/v1/oauth/logout?${new URLSearchParams(parameters)}`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(done);
  t.same([...(received.at(-1) ?? [])], [['state', 's']]);
  await page.goto('/people');
  t.match(page.url(), /\/sign_in/);
});

browserTest('a password that Allow asks for leads to the application', async (t, page, site) => {
  const { scene, received, done } = await startApplication(t, site);
  const { url } = authorizationRequest(scene, { scope: 'reports:write' });
  await signIn(page, scene.user, url);
  const where = { userId: scene.user.id };
  await page.getByRole('button', { name: 'Allow' }).waitFor();
  await site.api.database.prisma.session.updateMany({ where, data: { authenticatedAt: new Date(0) } });
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByLabel('Password').fill(scene.user.password);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(done);
  t.ok(received.at(-1)?.has('code'));
});

browserTest(
  'a sign-in without consent leads to the application, with and without a second factor',
  async (t, page, site) => {
    const { scene, received, done } = await startApplication(t, site, 'member');
    // A member can grant none of these scopes, so the request is rejected after the sign-in.
    const { url } = authorizationRequest(scene, { scope: 'reports:read' });
    await signIn(page, scene.user, url);
    await page.waitForURL(done);
    t.equal(received.at(-1)?.get('error'), 'access_denied');
    const { codes } = await setUpApp(site.api, scene.user);
    await page.context().clearCookies();
    await signIn(page, scene.user, url);
    await page.getByLabel('Code').fill(codes[0] ?? '');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(done);
    t.equal(received.length, 2);
    t.equal(received.at(-1)?.get('error'), 'access_denied');
  },
);
