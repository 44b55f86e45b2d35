import { hashSecret } from '../../../src/platform/crypto/keyring.js';
import { createScene } from '../../support/oauth/users.js';
import { clientId, clientSecret } from '../../support/single-sign-on/fake-provider.js';
import { startOpenIdProvider } from '../single-sign-on/openid-provider.js';
import { main, signIn } from './browser-steps.js';
import { browserTest, isAccessible } from './chromium.js';

const settings = '/people/settings/single_sign_on';

browserTest(
  'an owner sets up single sign-on, a new member signs in, and the owner confirms, without JavaScript',
  async (t, page, site) => {
    const { api, baseUrl } = site;
    const { prisma } = api.database;
    const { user, accountId } = await createScene(api.database);
    const email = `grace@${accountId.toLowerCase()}.example`;
    await prisma.accountDomain.create({ data: { domain: email.split('@')[1] ?? '', accountId } });
    const path = `/sign_in/sso/${accountId}`;
    const idp = await startOpenIdProvider(t, {
      redirectUris: [`${baseUrl}${path}/callback`],
      person: { sub: 'owner', email: user.email, email_verified: true },
    });

    await signIn(page, user);
    await page.getByRole('link', { name: 'Single sign-on' }).click();
    await isAccessible(t, page, 'the settings before');
    await main(page).getByLabel('Issuer', { exact: true }).fill(`${idp.issuer}/wrong`);
    await main(page).getByRole('button', { name: 'Check and save' }).click();
    await isAccessible(t, page, 'the settings with errors');
    await main(page).getByLabel('Issuer', { exact: true }).fill(idp.issuer);
    await main(page).getByLabel('Client ID').fill(clientId);
    await main(page).getByLabel('Client secret').fill(clientSecret);
    await main(page).getByRole('button', { name: 'Check and save' }).click();
    t.match(await main(page).getByRole('status').first().textContent(), /Changes saved/);
    await isAccessible(t, page, 'the settings');
    await main(page).getByRole('button', { name: 'Require single sign-on' }).click();
    t.match(await main(page).getByRole('alert').textContent(), /Sign in at the sign-in address first/);
    await isAccessible(t, page, 'the settings with an error of the switch');
    await page.goto(`${settings}/remove`);
    await isAccessible(t, page, 'the removal');

    const member = await site.open(t, { javaScriptEnabled: false });
    await member.page.goto('/people');
    await member.page.getByRole('link', { name: 'Sign in with single sign-on' }).click();
    await isAccessible(t, page, 'the form for the address');
    await main(member.page).getByLabel('Work e-mail address').fill('nobody@nowhere.example');
    await main(member.page).getByRole('button', { name: 'Continue' }).click();
    t.match(await main(member.page).getByRole('alert').textContent(), /No account uses single sign-on/);
    idp.person = { sub: 'grace', email, email_verified: true, given_name: 'Grace', family_name: 'Hopper' };
    await main(member.page).getByLabel('Work e-mail address').fill(email);
    await main(member.page).getByRole('button', { name: 'Continue' }).click();
    await member.page.getByRole('button', { name: 'Sign in here' }).click();
    await member.page.waitForURL(`${baseUrl}/people`);
    t.match(await member.page.locator('.who').textContent(), email);
    t.same(member.complaints, []);

    const again = await site.open(t, { javaScriptEnabled: false });
    idp.person = { sub: 'owner', email: user.email, email_verified: true };
    await again.page.goto(`${path}?return_to=${settings}`);
    await again.page.getByRole('link', { name: 'Continue' }).click();
    await again.page.getByRole('button', { name: 'Sign in here' }).click();
    await again.page.waitForURL(`${baseUrl}${settings}`);
    const [cookie] = (await again.page.context().cookies()).filter(({ name }) => name === 'session');
    const where = { idHash: hashSecret(cookie?.value ?? '') };
    await prisma.session.updateMany({ where, data: { authenticatedAt: new Date(0) } });
    await main(again.page).getByRole('button', { name: 'Require single sign-on' }).click();
    const link = again.page.getByRole('link', { name: /Sign in again/ });
    const [tab] = await Promise.all([again.page.context().waitForEvent('page'), link.click()]);
    await tab.getByRole('button', { name: 'Sign in here' }).click();
    await tab.getByRole('heading', { name: 'You are confirmed' }).waitFor();
    await main(again.page).getByRole('button', { name: 'Continue' }).click();
    t.match(await main(again.page).getByRole('alert').textContent(), /Create recovery codes/);
    t.same(again.complaints, []);
  },
);

browserTest('axe reports no violation on the pages of single sign-on', async (t, page, site) => {
  const { api, baseUrl } = site;
  const { user, accountId } = await createScene(api.database);
  const domain = `${accountId.toLowerCase()}.example`;
  await api.database.prisma.accountDomain.create({ data: { domain, accountId } });
  const path = `/sign_in/sso/${accountId}`;
  const person = { sub: 'owner', email: 'unknown@nowhere.example', email_verified: true };
  const idp = await startOpenIdProvider(t, { redirectUris: [`${baseUrl}${path}/callback`], person });
  await page.goto('/sign_in/sso');
  await isAccessible(t, page, 'the form for the address');
  await main(page).getByRole('button', { name: 'Continue' }).click();
  await isAccessible(t, page, 'the form with an error');
  await page.goto('/sign_in/sso/unknown');
  await isAccessible(t, page, 'an unknown account');
  await page.goto(`${path}/callback?state=unknown`);
  await isAccessible(t, page, 'an expired sign-in');

  await signIn(page, user);
  await page.goto(settings);
  await main(page).getByLabel('Issuer', { exact: true }).fill(idp.issuer);
  await main(page).getByLabel('Client ID').fill(clientId);
  await main(page).getByLabel('Client secret').fill(clientSecret);
  await main(page).getByRole('button', { name: 'Check and save' }).click();
  await isAccessible(t, page, 'the settings');
  await main(page).getByRole('link', { name: 'Confirm a domain' }).click();
  await isAccessible(t, page, 'the page that confirms a domain');
  await page.goto('/sign_in/sso/test');
  await page.getByRole('button', { name: 'Sign in here' }).click();
  await page.getByRole('heading', { name: 'Claims received' }).waitFor();
  await isAccessible(t, page, 'the result of a test');
  await page.context().clearCookies();
  await page.goto(path);
  await page.getByRole('link', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Sign in here' }).click();
  await isAccessible(t, page, 'an identity without a user');

  await page.context().clearCookies();
  // Only browsers that ignore the Refresh header stay on the page.
  await page.route('**/sign_in/sso', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const response = await route.fetch();
    const { refresh: _, ...headers } = response.headers();
    return route.fulfill({ response, headers });
  });
  await page.goto('/sign_in/sso');
  await main(page).getByLabel('Work e-mail address').fill(`any@${domain}`);
  await main(page).getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: /^Sign in to / }).waitFor();
  await isAccessible(t, page, 'the page that leads to the identity provider');

  idp.person = { ...person, email: user.email };
  await page.getByRole('link', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Sign in here' }).click();
  await page.goto(`${baseUrl}${settings}`);
  await api.database.prisma.session.updateMany({
    where: { accountId },
    data: { authenticatedAt: new Date(0) },
  });
  await main(page).getByRole('button', { name: 'Require single sign-on' }).click();
  await isAccessible(t, page, 'the confirmation');
  await main(page).getByRole('button', { name: 'Continue' }).click();
  await isAccessible(t, page, 'the confirmation with an error');
});
