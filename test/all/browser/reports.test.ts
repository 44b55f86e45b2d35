import type { Page } from 'playwright-core';
import { hostileNames } from '../../support/input/hostile-names.js';
import { createScene, type Scene } from '../../support/oauth/users.js';
import { insertEmployees } from '../../support/records/insert-employees.js';
import { makeEmployees } from '../../support/records/tenant.js';
import type { Test } from '../../support/tap.js';
import { main, signIn } from './browser-steps.js';
import { browserTest, isAccessible, type LiveSite } from './chromium.js';

const reports = '/people/reports';

/** An account with employees in departments of hostile names. */
async function arrange({ api: { database } }: LiveSite): Promise<Scene> {
  const scene = await createScene(database);
  const employees = makeEmployees(200).map((employee, index) => ({
    ...employee,
    department: hostileNames[index % 2 === 0 ? index : 1] ?? 'Sales',
  }));
  await insertEmployees(database.prisma, scene.accountId, employees);
  return scene;
}

/** Adds an entry to a list of the form. */
async function add(page: Page, noun: string, name: string): Promise<void> {
  await page.getByLabel(`Add ${noun}`, { exact: true }).selectOption(name);
  await page.getByRole('button', { name: `Add the ${noun}` }).click();
  await page.getByRole('button', { name: `Remove ${name}` }).waitFor();
}

async function addFilter(page: Page, name: string): Promise<void> {
  await page.getByLabel('Add filter by').selectOption(name);
  await page.getByRole('button', { name: 'Add the filter' }).click();
  await page.getByRole('group', { name }).waitFor();
}

const titleOf = (page: Page) => page.getByLabel('Title', { exact: true });

async function useReports(t: Test, page: Page, { user }: Scene): Promise<void> {
  await signIn(page, user);
  await page.getByRole('link', { name: 'Reports' }).click();
  await page.getByRole('link', { name: 'New report' }).click();
  await titleOf(page).fill('By location');
  await page.getByLabel('Counts by group').check();
  t.equal(await page.getByLabel('Add column').isVisible(), false);
  await add(page, 'group', 'Location');
  t.equal(await page.evaluate(() => document.activeElement?.id), 'new_group');
  await addFilter(page, 'Status');
  t.equal(await page.evaluate(() => document.activeElement?.id), 'filter_1_operator');
  await page.getByLabel('Active', { exact: true }).check();
  await page.getByLabel('On leave', { exact: true }).check();
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByRole('heading', { name: 'Preview' }).waitFor();
  await titleOf(page).fill('');
  // The Enter key saves.
  await titleOf(page).press('Enter');
  await page.getByRole('link', { name: 'Title must have 1 to 255 characters.' }).click();
  t.equal(await page.evaluate(() => document.activeElement?.id), 'title');
  await titleOf(page).fill('By location');
  await titleOf(page).press('Enter');
  await page.getByText('Report created.').waitFor();
  const chart = page.getByRole('group', { name: 'Employees by location' });
  t.match(await chart.evaluate((svg) => svg.querySelector('desc')?.textContent), /is the highest location/);
  // Half of the employees are active or on leave: a quarter in Berlin, a quarter without a location.
  t.equal(await page.getByRole('cell', { name: '50', exact: true }).count(), 2);
  const widths = await chart
    .locator('rect.bar')
    .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
  t.equal(widths.length, 2);
  t.ok(Math.abs((widths[0] ?? 0) - (widths[1] ?? 1)) < 1, 'lengths are proportional to numbers');
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'CSV', exact: true }).click();
  t.match((await download).suggestedFilename(), /^By location\.csv$/);
  await main(page).getByRole('link', { name: 'Edit' }).click();
  await page.getByRole('button', { name: 'Remove filter 1' }).click();
  await page.getByRole('group', { name: 'Status' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Remove Location' }).click();
  await page.getByRole('button', { name: 'Remove Location' }).waitFor({ state: 'detached' });
  await add(page, 'group', 'Hire year');
  await main(page).getByRole('button', { name: 'Save changes' }).last().click();
  await page.getByText('Changes saved.').waitFor();
  t.equal(await page.getByRole('group', { name: 'Employees by hire year' }).count(), 1);
  await main(page).getByRole('link', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete report' }).click();
  await page.getByText('Report deleted.').waitFor();
  await page.getByText('No reports yet.').waitFor();
}

for (const javaScriptEnabled of [true, false]) {
  browserTest(
    `creates, runs, downloads, edits and deletes a report ${javaScriptEnabled ? 'with' : 'without'} JavaScript`,
    async (t, page, site) => useReports(t, page, await arrange(site)),
    { javaScriptEnabled },
  );
}

/** Creates a grouped report, and returns its address. */
async function createGrouped(page: Page, groups: readonly string[]): Promise<string> {
  await page.goto(`${reports}/new`);
  await titleOf(page).fill(groups.join(' and '));
  await page.getByLabel('Counts by group').check();
  for (const group of groups) await add(page, 'group', group);
  await main(page).getByRole('button', { name: 'Create report' }).last().click();
  await page.getByText('Report created.').waitFor();
  return new URL(page.url()).pathname;
}

browserTest('the preview follows the form while it is filled in', async (t, page, site) => {
  await signIn(page, (await arrange(site)).user);
  await page.goto(`${reports}/new`);
  const preview = page.locator('#preview');
  await preview.getByRole('columnheader', { name: 'Hire date' }).waitFor();
  await page.getByRole('button', { name: 'Remove Hire date' }).click();
  await preview.getByRole('columnheader', { name: 'Hire date' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Move First name up' }).click();
  await preview.getByRole('columnheader').first().getByText('First name').waitFor();
  await addFilter(page, 'Status');
  await page.getByLabel('Terminated', { exact: true }).check();
  await preview.getByText('The first 10 of 50 rows.').waitFor();
  await page.getByLabel('Condition of filter 1').focus();
  await page.getByLabel('Condition of filter 1').selectOption('contains');
  await page.getByRole('textbox', { name: 'Value of filter 1' }).waitFor();
  t.equal(await page.evaluate(() => document.activeElement?.id), 'filter_1_operator');
  t.equal(await page.getByText('No reports yet.').count(), 0);
});

browserTest('a successful preview removes the errors that it rules out', async (t, page, site) => {
  await signIn(page, (await arrange(site)).user);
  await page.goto(`${reports}/new`);
  const summary = page.getByRole('alert');
  await addFilter(page, 'First name');
  await page.getByLabel('Condition of filter 1').selectOption('is one of');
  await page.getByRole('button', { name: 'Preview' }).click();
  await summary.getByText('Filter 1: the value must have').waitFor();
  t.match(await page.title(), /^Error: /);
  const value = page.getByRole('textbox', { name: 'Value of filter 1' });
  await value.fill('First 1');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page
    .getByText('The report is not saved yet.')
    .or(page.getByText('The report has no rows.'))
    .waitFor();
  await summary.waitFor({ state: 'detached' });
  t.equal(await page.locator('.field-error').count(), 0);
  t.equal(await value.getAttribute('aria-invalid'), null);
  t.match(await page.title(), /^New report/);
  // Without a title, a preview is shown, but the report cannot be saved.
  await titleOf(page).press('Enter');
  await summary.getByText('Title must have').waitFor();
  await page.getByRole('button', { name: 'Remove First name' }).click();
  await page
    .locator('#preview')
    .getByRole('columnheader', { name: 'First name' })
    .waitFor({ state: 'detached' });
  t.equal(await summary.getByRole('link').count(), 1);
  await titleOf(page).fill('People');
  await titleOf(page).blur();
  await summary.waitFor({ state: 'detached' });
  t.equal(await titleOf(page).getAttribute('aria-invalid'), null);
});

for (const javaScriptEnabled of [true, false]) {
  browserTest(
    `relative dates are chosen, and bars lead to their employees, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`,
    async (t, page, site) => {
      await signIn(page, (await arrange(site)).user);
      await page.goto(`${reports}/new`);
      await titleOf(page).fill('By status');
      await page.getByLabel('Counts by group').check();
      await add(page, 'group', 'Status');
      await addFilter(page, 'Hire date');
      const [date, days] = [page.getByLabel('Value of filter 1'), page.getByLabel('Days')];
      const compared = page.getByLabel('Compare with (filter 1)');
      t.equal(await compared.inputValue(), 'start_of_year');
      t.same([await date.isVisible(), await days.isVisible()], [false, false]);
      await compared.selectOption('a date');
      t.same([await date.isVisible(), await days.isVisible()], [true, false]);
      await compared.selectOption('a number of days ago');
      t.same([await date.isVisible(), await days.isVisible()], [false, true]);
      await days.fill('50000');
      await main(page).getByRole('button', { name: 'Create report' }).last().click();
      await page.getByText('Report created.').waitFor();
      const image = page.getByRole('button', { name: 'Chart as PNG' });
      t.equal(await image.count(), javaScriptEnabled ? 1 : 0);
      if (javaScriptEnabled) {
        const download = page.waitForEvent('download');
        await image.click();
        t.equal((await download).suggestedFilename(), 'By status.png');
      }
      const bar = page.getByRole('link', { name: /^Active/ });
      await bar.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Status: Active' }).waitFor();
      await page.getByText('Hire date is on or after 50,000 days ago').waitFor();
      // The check runs in the page.
      if (javaScriptEnabled) await isAccessible(t, page, 'the employees of a bar');
    },
    { javaScriptEnabled },
  );
}

browserTest('the pages are accessible', async (t, page, site) => {
  await signIn(page, (await arrange(site)).user);
  const addresses = [
    await createGrouped(page, ['Department', 'Status']),
    await createGrouped(page, ['Hire year', 'Status']),
  ];
  await page.goto(`${reports}/new`);
  await addFilter(page, 'Department');
  await addFilter(page, 'Hire date');
  await addFilter(page, 'Manager');
  await main(page).getByRole('button', { name: 'Create report' }).last().click();
  await isAccessible(t, page, 'a form with errors');
  const [grouped = ''] = addresses;
  for (const address of [...addresses, reports, `${grouped}/edit`]) {
    await page.goto(address);
    for (const details of await main(page).locator('details').all()) {
      await details.evaluate((element) => element.setAttribute('open', ''));
    }
    await isAccessible(t, page, address);
  }
});

browserTest('a printed report has its chart, its table and no navigation', async (t, page, site) => {
  await signIn(page, (await arrange(site)).user);
  await createGrouped(page, ['Status']);
  await page.emulateMedia({ media: 'print' });
  t.equal(await page.getByRole('navigation').count(), 0);
  t.equal(await page.getByRole('link', { name: 'CSV', exact: true }).count(), 0);
  t.ok(await page.getByRole('group', { name: 'Employees by status' }).isVisible());
  t.equal(await page.getByRole('row').count(), 5);
});
