import type { Page } from 'playwright-core';
import { applicationAddress } from '../../../src/platform/pages/paths.js';
import { createScene, createUser } from '../../support/oauth/users.js';
import { main, signIn, signOut } from './browser-steps.js';
import { browserTest, isAccessible, phone } from './chromium.js';

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

browserTest(
  'a phone has a bar with a menu, without JavaScript, and the content starts at the top',
  async (t, page, { api }) => {
    const { user } = await createScene(api.database, {
      accountName: `An account with a long name ${'x'.repeat(60)}`,
    });
    await signIn(page, user, '/');
    const bar = await page.getByRole('banner').boundingBox();
    t.ok(bar !== null && bar.height <= 56, 'the bar');
    t.equal(await link(page, 'People').isVisible(), false);
    for (const address of ['/people/home', '/people', '/people/settings/account/profile']) {
      await page.goto(address);
      const content = await main(page).locator('> *').first().boundingBox();
      t.ok(content !== null && content.y < 130, `${address} starts at ${content?.y}`);
    }
    await page.getByRole('button', { name: 'Menu' }).click();
    t.equal(await page.locator('[aria-current="true"]').textContent(), 'My account');
    await page.keyboard.press('Escape');
    t.equal(await link(page, 'People').isVisible(), false, 'Escape closes the menu');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    t.equal(
      await page.evaluate(() => document.activeElement?.textContent),
      'Home',
      'the menu follows its button',
    );
    await link(page, 'Users').click();
    t.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Users');
    await page.getByRole('button', { name: 'Menu' }).click();
    await signOut(page);
    t.match(page.url(), /\/sign_in$/);
  },
  { javaScriptEnabled: false, viewport: { width: 390, height: 844 } },
);

browserTest('the navigation has the pages of the user, and is accessible', async (t, page, site) => {
  const { api } = site;
  const { user, accountId } = await createScene(api.database);
  await signIn(page, user, '/');
  t.equal(new URL(page.url()).pathname, '/people/home', 'owners land on Home');
  const listed = (list: Page) => list.getByRole('banner').getByRole('listitem').allTextContents();
  const personal = ['My account', 'Connected applications'];
  const account = [
    'Users',
    'Employee attributes',
    'OAuth applications',
    'Security',
    'Single sign-on',
    'Audit log',
  ];
  t.same(await listed(page), ['Home', 'People', 'Reports', ...personal, ...account]);
  t.same(
    await page.getByRole('list', { name: 'Personal settings' }).getByRole('listitem').allTextContents(),
    personal,
  );
  await page.locator('details.who summary').click();
  await isAccessible(t, page, 'the menu of the user', { looks: [{ ...phone, width: 1280 }] });
  await page.setViewportSize({ width: 320, height: 640 });
  await page.getByRole('button', { name: 'Menu' }).click();
  for (const look of [phone, { ...phone, width: 320, forcedColors: 'active' as const }])
    await isAccessible(t, page, 'the open menu', { looks: [look] });

  const { page: other } = await site.open(t);
  await signIn(other, await createUser(api.database, accountId, { role: 'member' }), '/');
  t.equal(new URL(other.url()).pathname, '/people', 'members land in the directory');
  t.same(await listed(other), ['People', ...personal]);
});

browserTest(
  'the pages of an application are all visible on a phone, without JavaScript',
  async (t, page, { api }) => {
    const { user, application } = await createScene(api.database, { clientType: 'confidential' });
    await signIn(page, user, '/');
    await page.goto(applicationAddress(application.id));
    const links = page.getByRole('navigation', { name: 'Application' }).getByRole('link');
    t.equal(await links.count(), 5);
    for (const link of await links.all()) {
      const { x = 0, width = 0 } = (await link.boundingBox()) ?? {};
      t.ok(width > 0 && x >= 16 && x + width <= 345, `a link is from ${x} to ${x + width}`);
    }
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360, 'the page does not scroll');
    await links.last().click();
    await page.waitForURL(/requests$/);
  },
  { javaScriptEnabled: false, viewport: { width: 360, height: 640 } },
);

/** Buttons, fields and links of a block that are lower than 44 pixels, with their heights. Links within text may be lower. */
const lowTargets = (page: Page) =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll<HTMLElement>('button, input, select, summary, a')).flatMap(
      (element) => {
        const label = (element as HTMLInputElement).labels?.[0] ?? element;
        const heights = [element, label].map((part) => part.getBoundingClientRect().height);
        const hidden = element.offsetHeight === 0 || element.matches('.skip, .unseen, a:not(.button)');
        const height = Math.max(...heights);
        return hidden || height >= 44 ? [] : [`${element.outerHTML.slice(0, 80)} ${height}`];
      },
    ),
  );

browserTest(
  'on a phone, buttons and fields are at least 44 pixels high, and the documentation starts at the top',
  async (t, page, { api }) => {
    const { user, application } = await createScene(api.database, { clientType: 'confidential' });
    for (const address of ['/docs', '/docs/operations/listEmployees', '/errors', '/changelog']) {
      await page.goto(address);
      const content = await main(page).locator('> *').first().boundingBox();
      t.ok(content !== null && content.y < 130, `${address} starts at ${content?.y}`);
      t.same(await lowTargets(page), [], address);
    }
    await page.goto('/sign_in');
    t.same(await lowTargets(page), [], 'sign-in');
    await signIn(page, user, '/');
    for (const address of [
      '/people',
      '/people/employees/new',
      '/people/employees/import',
      '/people/reports/new',
      '/people/settings/account',
      '/people/settings/security',
      '/people/settings/single_sign_on',
      `${applicationAddress(application.id)}/credentials`,
      `${applicationAddress(application.id)}/edit`,
    ]) {
      await page.goto(address);
      t.same(await lowTargets(page), [], address);
    }
  },
  { viewport: { width: 390, height: 844 } },
);
