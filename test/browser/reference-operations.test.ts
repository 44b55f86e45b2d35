import { browserTest, isAccessible } from '../support/browser/chromium.js';
import { contract } from '../support/server/app.js';

browserTest('the pages of operations are accessible with everything opened', async (t, page) => {
  // In the narrowest width only: the parts of the pages are the same, and their texts differ.
  for (const id of contract.operations.keys()) {
    await page.goto(`/docs/operations/${id}`);
    await page.locator('details').evaluateAll((all) => {
      for (const details of all) {
        details.removeAttribute('name');
        (details as HTMLDetailsElement).open = true;
      }
    });
    await isAccessible(t, page, id, ['zoom']);
  }
  await page.goto('/docs/operations/createReport');
  await isAccessible(t, page, 'createReport');
});
