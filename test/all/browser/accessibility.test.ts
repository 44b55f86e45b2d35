import type { Page } from 'playwright-core';
import { approvalOf, approve, createPublisher } from '../../support/oauth/installations.js';
import { createScene, createUser, grantTokens } from '../../support/oauth/users.js';
import type { Test } from '../../support/tap.js';
import { callback, createApplication, main, signIn } from './browser-steps.js';
import { browserTest, isAccessible } from './chromium.js';

async function checkPages(t: Test, page: Page, addresses: readonly string[]): Promise<void> {
  for (const address of addresses) {
    await page.goto(address);
    await isAccessible(t, page, address);
  }
}

browserTest('the pages of settings, errors and people are accessible', async (t, page, site) => {
  const { api } = site;
  const scene = await createScene(api.database, { redirectUri: callback });
  await grantTokens(api, scene);
  const { id } = scene.application;
  const applications = '/people/settings/oauth_applications';
  await checkPages(t, page, ['/sign_in', '/errors', '/errors/not-found', '/changelog']);
  await signIn(page, { ...scene.user, password: 'wrong' });
  await isAccessible(t, page, 'sign-in with an error');
  await signIn(page, scene.user);
  await createApplication(page, 'Axe');
  await isAccessible(t, page, 'the secret');
  await page.getByRole('link', { name: /I have stored the secret/ }).click();
  const credentials = new URL(page.url()).pathname;
  await page.getByRole('button', { name: 'Create a second secret' }).click();
  await page.goto(credentials);
  const revokeSecret = await page
    .getByRole('link', { name: /^Revoke Secret/ })
    .first()
    .getAttribute('href');
  await page.goto(`${applications}/new`);
  await main(page).getByRole('button', { name: 'Create application' }).click();
  await isAccessible(t, page, 'a form with errors');
  await checkPages(t, page, [
    '/people/home',
    '/people',
    '/people?only=no_manager',
    '/people?q=nobody',
    '/people/reports',
    '/people/reports/new',
    '/people/reports/unknown',
    '/people/employees/import',
    '/people/employees/new',
    '/people/org_chart',
    '/people/employees/unknown',
    applications,
    `${applications}/new`,
    `${applications}/development`,
    credentials,
    String(revokeSecret),
    `${applications}/${id}?notice=application_updated`,
    `${applications}/${id}/edit`,
    `${applications}/${id}/revoke_access`,
    `${applications}/${id}/delete`,
    `${applications}/unknown`,
    '/people/settings/connected_applications',
    `/people/settings/connected_applications/${id}/permissions`,
    `/people/settings/connected_applications/${id}/disconnect`,
    `/v1/oauth/logout?client_id=${scene.application.clientId}`,
    '/people/settings/audit_log',
    '/people/settings/audit_log?type=signing_key.rotated',
  ]);
  const member = await createUser(api.database, scene.accountId, { role: 'member' });
  const { page: other } = await site.open(t);
  await signIn(other, member);
  await checkPages(t, other, [applications, '/people/reports', '/people/settings']);
});

browserTest('the pages that approve applications of other accounts are accessible', async (t, page, site) => {
  const { api } = site;
  const publisher = await createPublisher(api.database);
  const { clientId } = publisher.application;
  const { approval } = approvalOf(publisher);
  const { accountId, user } = await createScene(api.database);
  const member = await createUser(api.database, accountId, { role: 'member' });
  const { page: other } = await site.open(t);
  await signIn(other, member, approval);
  await isAccessible(t, other, 'the approval that a member needs');
  await main(other).getByRole('button', { name: 'Ask for approval' }).click();
  await isAccessible(t, other, 'a request');
  const applications = '/people/settings/oauth_applications';
  await signIn(page, user, approval);
  await isAccessible(t, page, approval);
  await checkPages(t, page, [
    applications,
    `${applications}/policy`,
    `${applications}/requests/${encodeURIComponent(clientId)}`,
  ]);
  const installation = await approve(api, clientId, user, ['user:read']);
  await api.database.prisma.application.updateMany({
    where: { accountId, id: installation },
    data: { suspendedAt: api.clock() },
  });
  await checkPages(t, page, [
    applications,
    ...['', '/edit', '/delete'].map((rest) => `${applications}/${installation}${rest}`),
    '/people/settings/connected_applications',
  ]);
});
