import type { Page } from 'playwright-core';
import { contract } from '../../support/server/app.js';
import { browserTest, isAccessible, phone } from './chromium.js';

async function openAllDetails(page: Page): Promise<void> {
  await page.locator('details').evaluateAll((all) => {
    for (const details of all) {
      details.removeAttribute('name');
      (details as HTMLDetailsElement).open = true;
    }
  });
}

browserTest(
  'the page of each operation is accessible on a phone, and fits 320 pixels with everything opened',
  async (t, page) => {
    for (const id of contract.operations.keys()) {
      await page.goto(`/docs/operations/${id}`);
      await isAccessible(t, page, id, { looks: [phone] });
      await page.setViewportSize({ width: 320, height: 900 });
      await openAllDetails(page);
      t.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), id);
    }
  },
);

browserTest('a page is accessible in all colours with everything opened', async (t, page) => {
  await page.goto('/docs/operations/createReport');
  await openAllDetails(page);
  await isAccessible(t, page, 'createReport');
});
