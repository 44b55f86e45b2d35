import { UploadWorker } from '../../../src/features/imports/uploads/upload-worker.js';
import { createScene } from '../../support/oauth/users.js';
import { makeRecords, toCsv } from '../../support/records/import.js';
import { contract } from '../../support/server/app.js';
import { signIn } from './browser-steps.js';
import { browserTest, isAccessible } from './chromium.js';

browserTest(
  'the progress page refreshes until the import ends, survives a reload, and can be paused',
  async (t, page, { api }) => {
    const { user } = await createScene(api.database);
    await signIn(page, user);
    await page.goto('/people/employees/import');
    const buffer = Buffer.from(toCsv(makeRecords(20)));
    await page.getByLabel('File').setInputFiles({ name: 'Staff list.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('button', { name: 'Check the file' }).waitFor();
    // The check begins when another worker is started.
    await api.uploadWorker.stop();
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByRole('heading', { name: 'Checking the file' }).waitFor();
    await page.reload();
    await page.getByRole('progressbar').waitFor();
    // Without the wait of a click for a stable page: this one refreshes every two seconds.
    await page.getByRole('link', { name: 'pause' }).dispatchEvent('click');
    await page.waitForURL(/refresh=off/);
    await isAccessible(t, page, 'progress');
    await page.waitForTimeout(2_500);
    t.match(page.url(), /refresh=off/);
    await page.getByRole('link', { name: 'Refresh automatically' }).click();
    await page.waitForURL((url) => url.search === '');
    const worker = new UploadWorker({ database: api.database, clock: api.clock, contract });
    await worker.poll();
    await page.getByRole('heading', { name: 'Result of the check' }).waitFor();
    await worker.stop();
  },
);
