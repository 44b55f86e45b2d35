import type { Page } from 'playwright-core';
import { freshAddress, newPassword } from '../../support/browser/user-pages.js';
import { createScene, createUser } from '../../support/oauth/users.js';
import type { Test } from '../../support/tap.js';
import { main, signIn } from './browser-steps.js';
import { browserTest, isAccessible, type LiveSite } from './chromium.js';

const notice = (page: Page) => main(page).getByRole('status').first();

/** An owner invites a person, who accepts, signs in, and edits the own account; then the owner disables the user. */
async function walk(t: Test, page: Page, site: LiveSite, options: { javaScriptEnabled: boolean }) {
  const { user: owner } = await createScene(site.api.database);
  const email = freshAddress();
  await signIn(page, owner);
  await page.getByRole('link', { name: 'Users' }).click();
  await page.getByRole('link', { name: 'Invite a user' }).click();
  await main(page).getByLabel('E-mail address').fill(email);
  await main(page)
    .getByLabel(/^Administrator/)
    .check();
  await page.getByRole('button', { name: 'Create invitation' }).click();
  const link = (await page.locator('#link').textContent()) ?? '';
  t.equal(await page.getByRole('button', { name: 'Copy' }).isVisible(), options.javaScriptEnabled);
  await page.getByRole('link', { name: 'I have sent the link' }).click();
  t.ok(await page.getByRole('button', { name: `New link for the invitation of ${email}` }).isVisible());

  const { page: invited } = await site.open(t, options);
  await invited.goto(link);
  await invited.getByLabel('First name').fill('Grace');
  await invited.getByLabel('Last name').fill('Hopper');
  await invited.getByLabel('Password').fill('password1234');
  await invited.getByRole('button', { name: 'Join' }).click();
  t.match(await invited.getByRole('alert').textContent(), /must not be easy to guess/);
  t.equal(await invited.getByLabel('First name').inputValue(), 'Grace');
  await invited.getByLabel('Password').fill(newPassword);
  await invited.getByRole('button', { name: 'Join' }).click();
  t.match(await notice(invited).textContent(), /Your user is created/);
  await invited.goto('/people/settings/account');
  await invited.getByRole('link', { name: 'Edit profile' }).click();
  await invited.getByLabel('Language').fill('de-CH');
  await invited.getByLabel('Time zone').selectOption('Europe/Zurich');
  await invited.getByRole('button', { name: 'Save changes' }).click();
  t.match(await notice(invited).textContent(), /Changes saved/);
  await invited.getByRole('link', { name: 'Change password' }).click();
  await invited.getByLabel('Current password').fill(newPassword);
  await invited.getByLabel('New password').fill(`${newPassword} again`);
  await invited.getByRole('button', { name: 'Change password' }).click();
  t.match(await notice(invited).textContent(), /Password changed/);
  await invited.goto('/people/settings/users');
  t.ok(await invited.getByRole('link', { name: 'Invite a user' }).isVisible(), 'an administrator');

  await page.getByRole('link', { name: 'Grace Hopper' }).waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('link', { name: 'Grace Hopper' }).click();
  await page.getByLabel('New role').selectOption('member');
  await page.getByRole('button', { name: 'Change role' }).click();
  t.match(await notice(page).textContent(), /Role changed/);
  await invited.goto('/people/settings/users');
  t.match(await invited.getByRole('heading', { level: 1 }).textContent(), /denied|Access/i);
  await page.getByRole('link', { name: 'Disable user' }).click();
  await page.getByRole('button', { name: 'Disable user' }).click();
  t.match(await notice(page).textContent(), /User disabled/);
  await invited.goto('/people');
  t.match(invited.url(), /\/sign_in\?return_to=/);
  await page.getByRole('button', { name: 'Enable user' }).click();
  t.match(await notice(page).textContent(), /User enabled/);
  await page.getByRole('button', { name: 'Create a password link' }).click();
  const reset = (await page.locator('#link').textContent()) ?? '';
  await invited.goto(reset);
  await invited.getByLabel('New password').fill(newPassword);
  await invited.getByRole('button', { name: 'Save password' }).click();
  t.match(await notice(invited).textContent(), /Password saved/);
  await signIn(invited, { email, password: newPassword }, '/sign_in');
  await invited.goto('/people/settings/account');
  await invited.getByRole('button', { name: 'Sign out everywhere' }).click();
  t.match(await notice(invited).textContent(), /signed out of all browsers/);
}

browserTest('an owner invites, demotes, disables and enables a user, who uses My account', (t, page, site) =>
  walk(t, page, site, { javaScriptEnabled: true }),
);

browserTest(
  'without JavaScript an owner invites, demotes, disables and enables a user, who uses My account',
  (t, page, site) => walk(t, page, site, { javaScriptEnabled: false }),
  { javaScriptEnabled: false },
);

browserTest(
  'an action requires the password again and then continues, with the keyboard alone',
  async (t, page, site) => {
    const { user, accountId } = await createScene(site.api.database);
    const member = await createUser(site.api.database, accountId, { role: 'member' });
    await signIn(page, user);
    await page.goto(`/people/settings/users/${member.id}`);
    await site.api.database.prisma.session.updateMany({
      where: { userId: user.id },
      data: { authenticatedAt: new Date(site.api.clock().getTime() - 601_000) },
    });
    await page.getByLabel('New role').focus();
    await page.keyboard.type('Adm');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Confirm your password' }).waitFor();
    await isAccessible(t, page, 'confirmation');
    await page.getByLabel('Password').focus();
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    t.equal(await page.evaluate(() => document.activeElement?.className), 'error-summary');
    await isAccessible(t, page, 'confirmation with an error');
    await page.getByLabel('Password').focus();
    await page.keyboard.type(user.password);
    await page.keyboard.press('Enter');
    t.match(await notice(page).textContent(), /Role changed/);
  },
);

browserTest(
  'axe reports no violation on the pages of users, of My account and of links',
  async (t, page, site) => {
    const { database } = site.api;
    const { user, accountId } = await createScene(database);
    const member = await createUser(database, accountId, { role: 'member' });
    const owner = await createUser(database, accountId);
    const users = '/people/settings/users';
    const account = '/people/settings/account';
    for (const address of ['/forgot_password', '/set_password/unknown', '/sign_in?notice=password_set']) {
      await page.goto(address);
      await isAccessible(t, page, address);
    }
    await signIn(page, user);
    await page.goto(`${users}/invite`);
    await page.getByRole('button', { name: 'Create invitation' }).click();
    await isAccessible(t, page, 'an invitation with errors');
    await main(page).getByLabel('E-mail address').fill(freshAddress());
    await page.getByRole('button', { name: 'Create invitation' }).click();
    await isAccessible(t, page, 'the link');
    const link = (await page.locator('#link').textContent()) ?? '';
    const { page: invited } = await site.open(t);
    await invited.goto(link);
    await isAccessible(t, invited, 'the invitation');
    await invited.getByRole('button', { name: 'Join' }).click();
    await isAccessible(t, invited, 'the invitation with errors');
    const theirs = await site.open(t);
    await signIn(theirs.page, member);
    for (const address of [
      users,
      `${users}?notice=invitation_not_sent`,
      `${users}/${member.id}`,
      `${users}/${owner.id}`,
      `${users}/${user.id}`,
      `${users}/${member.id}/disable`,
      account,
      `${account}/profile`,
      `${account}/email`,
      `${account}/password`,
    ]) {
      await page.goto(address);
      await isAccessible(t, page, address);
    }
    await page.goto(`${account}/profile`);
    await page.getByLabel('First name').fill('');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await isAccessible(t, page, 'a profile with errors');
  },
);
