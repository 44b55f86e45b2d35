import { browserTest, isAccessible, phone } from '../support/browser/chromium.js';
import { contract } from '../support/server/app.js';

browserTest('the pages of operations are accessible with everything opened', async (t, page) => {
  // On a phone only: the pages have the same parts, and different texts.
  for (const id of contract.operations.keys()) {
    await page.goto(`/docs/operations/${id}`);
    await page.locator('details').evaluateAll((all) => {
      for (const details of all) {
        details.removeAttribute('name');
        (details as HTMLDetailsElement).open = true;
      }
    });
    await isAccessible(t, page, id, [phone]);
  }
  await page.goto('/docs/operations/createReport');
  await isAccessible(t, page, 'createReport');
});
