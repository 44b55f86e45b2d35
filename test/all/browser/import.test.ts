import type { Page } from 'playwright-core';
import { createScene } from '../../support/oauth/users.js';
import { makeRecords, storedRecords, toCsv } from '../../support/records/import.js';
import type { Test } from '../../support/tap.js';
import { signIn } from './browser-steps.js';
import { browserTest, isAccessible, type LiveSite } from './chromium.js';

const csvFile = (text: string) => ({
  name: 'Staff list.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(text),
});

/** A file with semicolons, common column names, and one invalid line. */
function staff(count: number): string {
  const lines = toCsv(makeRecords(count).map((record) => ({ ...record, lastName: 'Lovelace' })))
    .replaceAll(',', ';')
    .trimEnd()
    .split('\r\n');
  const header = 'Employee no.;First name;Surname;E-Mail;Status;Team';
  return [header, ...lines.slice(1), 'X1;F;L;no address;active;Sales'].join('\r\n');
}

/** An owner imports a file: upload, columns, check, import, directory. */
async function walk(t: Test, page: Page, { api }: LiveSite): Promise<void> {
  const { user, accountId } = await createScene(api.database);
  await signIn(page, user);
  await page.getByRole('link', { name: 'Import', exact: true }).click();
  await page.getByLabel('File').setInputFiles(csvFile('a,b\n'));
  await page.getByRole('button', { name: 'Upload' }).click();
  await page.getByRole('alert').getByText('no records after the header row').waitFor();
  t.equal(await page.evaluate(() => document.activeElement?.className), 'error-summary');
  await page.getByLabel('File').setInputFiles(csvFile(staff(1_200)));
  await page.getByRole('button', { name: 'Upload' }).click();
  await page.getByText('CSV with 6 columns, separated by semicolons').waitFor();
  t.equal(await page.getByLabel('Surname').inputValue(), 'last_name');
  await page.getByLabel('Team').selectOption({ label: 'Ignore' });
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByRole('alert').getByText('Missing: Department').waitFor();
  await page.getByLabel('Team').selectOption('department');
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByRole('heading', { name: 'Result of the check' }).waitFor();
  await page.reload();
  t.match(await page.getByRole('table', { name: 'Rejected rows' }).textContent(), /Row 1,202, F L.*E-mail/);
  t.same(await storedRecords(api.database, accountId), []);
  await page.getByRole('button', { name: 'Import 1,200 rows' }).click();
  await page.getByRole('heading', { name: 'Import complete' }).waitFor();
  await page.getByRole('status').getByRole('link', { name: 'Go to the directory' }).click();
  await page.getByText('1,000 of 1,200 shown; narrow your search.').waitFor();
  t.equal((await storedRecords(api.database, accountId)).length, 1_200);
}

browserTest('an owner imports employees from a file', (t, page, site) => walk(t, page, site));

browserTest(
  'without JavaScript an owner imports employees from a file',
  (t, page, site) => walk(t, page, site),
  { javaScriptEnabled: false },
);

browserTest('the import pages are accessible', async (t, page, { api }) => {
  const { user } = await createScene(api.database);
  await signIn(page, user);
  await page.goto('/people/employees/import');
  await isAccessible(t, page, 'upload');
  await page.getByLabel('File').setInputFiles(csvFile(''));
  await page.getByRole('button', { name: 'Upload' }).click();
  await isAccessible(t, page, 'upload with an error');
  await page.getByLabel('File').setInputFiles(csvFile(staff(30)));
  await page.getByRole('button', { name: 'Upload' }).click();
  await isAccessible(t, page, 'columns');
  await page.getByLabel('Team').selectOption('');
  await page.getByRole('button', { name: 'Check the file' }).click();
  await isAccessible(t, page, 'columns with an error');
  await page.getByLabel('Team').selectOption('department');
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByRole('heading', { name: 'Result of the check' }).waitFor();
  await isAccessible(t, page, 'result of the check');
  await page.getByRole('button', { name: 'Import 30 rows' }).click();
  await page.getByRole('heading', { name: 'Import complete' }).waitFor();
  await isAccessible(t, page, 'import complete');
  await page.goto('/people/employees/import');
  await isAccessible(t, page, 'upload with imports');
});
