import type { Page } from 'playwright-core';
import { insertEmployees } from '../../../src/features/employees/insert-employees.js';
import { createScene } from '../../support/oauth/users.js';
import { makeEmployees } from '../../support/records/tenant.js';
import type { Test } from '../../support/tap.js';
import { main, signIn } from './browser-steps.js';
import { browserTest, isAccessible, type LiveSite } from './chromium.js';

/** Signs in an owner whose account has these people, all in Sales. */
async function open(page: Page, { api: { database } }: LiveSite, names: readonly string[]): Promise<void> {
  const { user, accountId } = await createScene(database);
  const people = makeEmployees(names.length, { department: 'Sales' }).map((person, index) => ({
    ...person,
    employeeNumber: `E${index}`,
    firstName: names[index] ?? '',
    lastName: 'Hopper',
  }));
  await database.prisma.$transaction((tx) => insertEmployees(tx, accountId, people));
  await signIn(page, user);
}

/** All people of the page are selected, and none again. */
async function selectAll(t: Test, page: Page): Promise<void> {
  const boxes = page.getByRole('checkbox');
  const checked = page.getByRole('checkbox', { checked: true });
  await page.getByRole('link', { name: 'Select all on this page' }).click();
  await page.getByText('3 selected').waitFor();
  t.equal(await checked.count(), await boxes.count());
  await page.getByRole('link', { name: 'Clear selection' }).click();
  await page.getByRole('link', { name: 'Select all on this page' }).waitFor();
  t.equal(await checked.count(), 0);
}

/** The checkbox of the heading selects all people of the page, and shows whether all or some are selected. */
async function selectByHeading(t: Test, page: Page): Promise<void> {
  const heading = page.getByRole('checkbox', { name: 'Select all people on this page' });
  const isPartial = () => heading.evaluate((box) => (box as { indeterminate?: boolean }).indeterminate);
  await heading.check();
  await page.getByText('3 selected').waitFor();
  await page.getByRole('checkbox', { name: 'Ada Hopper' }).uncheck();
  await page.getByText('2 selected').waitFor();
  t.equal(await isPartial(), true);
  await heading.check();
  await heading.uncheck();
  t.equal(await page.getByRole('checkbox', { checked: true }).count(), 0);
  t.equal(await isPartial(), false);
}

/** A checked box differs from one that is not, when the browser forces its colours. */
async function isVisiblyChecked(t: Test, page: Page): Promise<void> {
  await page.emulateMedia({ forcedColors: 'active' });
  const box = page.getByRole('checkbox').first();
  await box.focus();
  const unchecked = await box.screenshot();
  await page.keyboard.press('Space');
  t.equal(await box.isChecked(), true);
  t.notOk(unchecked.equals(await box.screenshot()), 'the check is visible');
  await page.keyboard.press('Space');
  await page.emulateMedia({ forcedColors: 'none' });
}

/** Two people get the first one as their manager, which the org chart shows then. */
async function changeManager(t: Test, page: Page, { scripts }: { scripts: boolean }): Promise<void> {
  for (const name of ['Ada Hopper', 'Bob Hopper']) await page.getByRole('checkbox', { name }).check();
  await page.getByRole('button', { name: 'Change selected people' }).click();
  await page.getByRole('radio', { name: 'Manager' }).check();
  const field = page.getByLabel('New manager');
  await field.pressSequentially('grace');
  if (scripts) {
    const option = page.locator('#suggestions option');
    await option.waitFor({ state: 'attached' });
    t.equal(await option.getAttribute('value'), 'Grace Hopper (E2)');
    await isAccessible(t, page, 'the form that changes several people');
  }
  await page.getByRole('button', { name: 'Continue' }).click();
  // The text is the start of a name: the form shows who matches.
  await page.getByRole('radio', { name: 'Grace Hopper (E2)' }).check();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Change the manager of 2 people?' }).waitFor();
  if (scripts) await isAccessible(t, page, 'the confirmation of a change of several people');
  await page.getByRole('button', { name: 'Change 2 people' }).click();
  await page.getByText('The selected people have the new value.').waitFor();
  await main(page).getByRole('link', { name: 'Org chart' }).click();
  await page.getByRole('heading', { name: 'Org chart of Grace Hopper' }).waitFor();
  t.same(await main(page).getByRole('list').last().getByRole('link').allTextContents(), [
    'Ada Hopper',
    'Bob Hopper',
  ]);
  if (scripts) await isAccessible(t, page, 'an org chart');
}

browserTest(
  'the directory shows results while the user types, and keeps the focus',
  async (t, page, site) => {
    await open(page, site, ['Ada', 'Bob', 'Grace']);
    const field = page.getByRole('searchbox');
    await field.pressSequentially('gra');
    await page.getByText('1 person for “gra”').waitFor();
    t.match(page.url(), 'q=gra');
    t.same(
      await page
        .getByRole('table')
        .getByRole('link', { name: /Hopper/ })
        .allTextContents(),
      ['Hopper, Grace'],
    );
    t.equal(await field.evaluate((element) => element === document.activeElement), true);
    await page.getByLabel('Department').selectOption('Sales');
    await page.getByRole('link', { name: 'Department: Sales' }).waitFor();
    await isAccessible(t, page, 'a search');
    await field.fill('');
    await page.getByText('3 people', { exact: true }).waitFor();
    await selectAll(t, page);
    await selectByHeading(t, page);
    t.notMatch(page.url(), 'select', 'the page was not loaded again');
    await isVisiblyChecked(t, page);
    await changeManager(t, page, { scripts: true });
  },
);

browserTest(
  'without JavaScript a submit shows the results, and several people are changed at once',
  async (t, page, site) => {
    await open(page, site, ['Ada', 'Bob', 'Grace']);
    await page.getByRole('searchbox').fill('gra');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('1 person for “gra”').waitFor();
    await page.goto('/people');
    await selectAll(t, page);
    await changeManager(t, page, { scripts: false });
  },
  { javaScriptEnabled: false },
);

browserTest(
  'on a phone, the filters are below a button, and the first person is in view, without JavaScript',
  async (t, page, site) => {
    await open(page, site, ['Ada', 'Bob']);
    await page.goto('/people');
    const person = await page.getByRole('link', { name: 'Hopper, Ada' }).boundingBox();
    t.ok(person !== null && person.y < 450, `the first person is at ${person?.y}`);
    t.equal(await page.getByLabel('Department').isVisible(), false);
    await page.getByText('Filters and order').click();
    await page.getByLabel('Department').selectOption('Sales');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: 'Department: Sales' }).waitFor();
    await page.goto('/people/settings/audit_log');
    t.equal(await page.getByLabel('First day').isVisible(), false);
    await page.goto('/people/settings/audit_log?from=x');
    t.ok(await page.getByLabel('First day').isVisible(), 'filters with errors are shown');
    await page.setViewportSize({ width: 1280, height: 900 });
    for (const address of ['/people', '/people/settings/audit_log']) {
      await page.goto(address);
      t.equal(await page.locator('form.search summary').isVisible(), false);
      t.ok(await page.locator('form.search select').first().isVisible(), `${address} shows its filters`);
    }
  },
  { javaScriptEnabled: false, viewport: { width: 390, height: 844 } },
);
