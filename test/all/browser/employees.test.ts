import type { Page } from 'playwright-core';
import { createScene } from '../../support/oauth/users.js';
import type { Test } from '../../support/tap.js';
import { main, signIn } from './browser-steps.js';
import { browserTest, isAccessible, type LiveSite } from './chromium.js';

/** Fills in the form for a new employee; the page shows the employee then. */
async function add(page: Page, number: string, firstName: string, manager = ''): Promise<void> {
  await page.goto('/people');
  await page.getByRole('link', { name: 'Add employee' }).click();
  await page.getByLabel('Employee number', { exact: true }).fill(number);
  await page.getByLabel('First name').fill(firstName);
  await page.getByLabel('Last name').fill('Lovelace');
  await page.getByLabel('Hire date').fill('2020-02-29');
  await page.getByLabel('Manager (optional)').fill(manager);
  await main(page).getByRole('button', { name: 'Add employee' }).click();
}

/** An owner adds two employees, changes one while another user does, and deletes it. axe needs JavaScript. */
async function walk(t: Test, page: Page, site: LiveSite, { axe }: { axe: boolean }): Promise<void> {
  const { user } = await createScene(site.api.database);
  await signIn(page, user);
  await add(page, 'E1', 'Ada');
  await page.getByRole('alert').getByRole('link', { name: 'Department is required.' }).click();
  t.equal(await page.evaluate(() => document.activeElement?.id), 'department');
  t.equal(await page.getByLabel('Hire date').inputValue(), '2020-02-29', 'the input is kept');
  if (axe) await isAccessible(t, page, 'a form with errors');
  await page.getByLabel('Department').fill('Engines');
  await main(page).getByRole('button', { name: 'Add employee' }).click();
  await page.getByText('Employee added.').waitFor();
  await add(page, 'E2', 'Byron', 'E1');
  await page.getByLabel('Department').fill('Engines');
  await page.getByLabel('E-mail').fill('byron@x.example');
  await main(page).getByRole('button', { name: 'Add employee' }).click();
  await main(page).getByRole('link', { name: 'Ada Lovelace' }).click();
  await page.getByRole('heading', { name: 'Ada Lovelace Active' }).waitFor();
  await main(page).getByRole('link', { name: 'Byron Lovelace' }).waitFor();
  t.match(await page.title(), 'Ada Lovelace');
  if (axe) await isAccessible(t, page, 'an employee');

  const { page: other } = await site.open(t);
  await signIn(other, user, page.url());
  await page.getByRole('link', { name: 'Edit' }).click();
  await other.getByRole('link', { name: 'Edit' }).click();
  await other.getByLabel('Job title').fill('Countess');
  await other.getByRole('button', { name: 'Save changes' }).click();
  await other.getByText('Changes saved.').waitFor();
  await page.getByLabel('Job title').fill('Analyst');
  await page.getByRole('button', { name: 'Save changes' }).click();
  t.match(
    await page.getByRole('table', { name: 'Values that differ' }).textContent(),
    /Job title.*Countess.*Analyst/,
  );
  if (axe) await isAccessible(t, page, 'a conflict');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Changes saved.').waitFor();
  await page.getByText('Analyst').first().waitFor();
  await page.getByRole('link', { name: 'Changes' }).click();
  await page.getByText('Analyst').first().waitFor();
  if (axe) await isAccessible(t, page, 'the changes of an employee');
  await page.getByRole('link', { name: 'Overview' }).click();

  await page.getByRole('link', { name: 'Delete' }).click();
  await page.getByText('1 direct report has no manager afterwards.').waitFor();
  if (axe) await isAccessible(t, page, 'the confirmation of a deletion');
  await page.getByRole('button', { name: 'Delete employee' }).click();
  await page.getByText('Employee deleted.').waitFor();
  t.equal(await page.getByRole('link', { name: 'Lovelace, Ada' }).count(), 0);
  await page.getByRole('link', { name: 'Lovelace, Byron' }).click();
  await page.getByText('No direct reports.').waitFor();
}

browserTest('an owner adds, changes and deletes employees', (t, page, site) =>
  walk(t, page, site, { axe: true }),
);

browserTest(
  'without JavaScript an owner adds, changes and deletes employees',
  (t, page, site) => walk(t, page, site, { axe: false }),
  { javaScriptEnabled: false },
);
