import { chaptersOf, rawOperation, slugOf, webhooksOf } from '../../../scripts/docs/reference/nodes.js';
import { contract } from '../../support/server/app.js';
import { browserTest, isAccessible, phone } from './chromium.js';

const operations = [...contract.operations.values()].map((operation) => ({
  ...operation,
  summary: rawOperation(contract, operation).summary,
}));

browserTest(
  'without JavaScript every operation can be read, is reached from the start page and links to its errors',
  async (t, page) => {
    await page.goto('/docs');
    for (const { id, summary } of operations) {
      await page.getByRole('article').getByRole('link', { name: summary, exact: true }).click();
      t.equal(new URL(page.url()).pathname, `/docs/operations/${id}`);
      t.ok(await page.getByRole('heading', { level: 1, name: summary }).isVisible(), summary);
      t.equal(await page.title(), `${summary} · API reference · People`);
      t.match(await page.locator('table a[href*="/errors/"]').first().innerText(), /^[a-z_-]+$/);
      t.ok(await page.locator('#sample-curl').isVisible(), 'the first sample is open');
      await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByText('Reference').click();
    }
  },
  { javaScriptEnabled: false },
);

browserTest('samples open one at a time and can be copied', async (t, page) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/docs/operations/createReport');
  t.ok(await page.locator('#sample-curl').isVisible());
  await page.getByText('Python', { exact: true }).click();
  await page.locator('#sample-Python').waitFor();
  t.notOk(await page.locator('#sample-curl').isVisible());
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByText('The sample in Python is copied.').waitFor();
  t.equal(
    await page.evaluate(() => navigator.clipboard.readText()),
    await page.locator('#sample-Python').textContent(),
  );
});

browserTest('the language of samples stays selected on the next page', async (t, page) => {
  await page.goto('/docs/operations/createReport');
  await page.getByText('Python', { exact: true }).click();
  await page.goto('/docs/operations/listReports');
  await page.locator('#sample-Python').waitFor();
  t.notOk(await page.locator('#sample-curl').isVisible());
  await page.evaluate(() => localStorage.setItem('sample-language', 'unknown'));
  await page.reload();
  await page.locator('#sample-curl').waitFor();
});

browserTest(
  'the search shows results while the user types, and removes them with the words',
  async (t, page) => {
    await page.goto('/docs/operations/getReport');
    const search = page.getByRole('search');
    const field = search.getByRole('searchbox');
    await field.pressSequentially('webhook');
    await search.getByRole('status').getByText('pages contain all words of “webhook”.').waitFor();
    const found = search.getByRole('link');
    t.equal(await found.count(), 8, 'the others are on the page of the search');
    await isAccessible(t, page, 'results beside a page');
    await field.fill('');
    await found.first().waitFor({ state: 'detached' });
    await field.fill('xyzzy');
    await search.getByText('No page contains all words of “xyzzy”.').waitFor();
    await field.fill('create a report');
    await search.getByRole('link', { name: 'Create a report', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Create a report' }).waitFor();

    await page.goto('/docs/search?q=csv');
    await field.fill('webhook');
    await page.getByRole('article').getByText('all words of “webhook”.').waitFor();
    t.equal(new URL(page.url()).search, '?q=webhook');
  },
);

browserTest(
  'the search finds operations, guides and errors without JavaScript',
  async (t, page) => {
    await page.goto('/docs');
    const field = page.getByRole('searchbox', { name: 'Search the reference' });
    await field.fill('idempotency');
    await field.press('Enter');
    t.match(await page.getByRole('status').innerText(), /^\d+ pages contain all words of “idempotency”\.$/);
    t.equal(await field.inputValue(), 'idempotency');
    await page.getByRole('article').getByRole('link', { name: 'Create a report' }).click();
    t.equal(new URL(page.url()).pathname, '/docs/operations/createReport');
  },
  { javaScriptEnabled: false },
);

browserTest(
  'fragments of the texts of the contract lead to the operation on the start page',
  async (t, page) => {
    const targets = new Set(
      [...JSON.stringify(contract.document).matchAll(/\]\((#[^)]*)\)/g)].map(([, target]) => String(target)),
    );
    t.not(targets.size, 0);
    await page.goto('/docs');
    const ids = await page.locator('[id^="/"]').evaluateAll((all) => all.map(({ id }) => `#${id}`));
    for (const target of targets) t.ok(ids.includes(target), target);
  },
);

browserTest('the other pages of the reference are accessible', async (t, page) => {
  const guides = chaptersOf(contract).map(({ name }) => `/docs/guides/${slugOf(name)}`);
  const webhooks = webhooksOf(contract).map(([name]) => `/docs/webhooks/${name}`);
  for (const address of ['/docs', '/docs/search?q=report', '/docs/guides/pagination', ...webhooks]) {
    await page.goto(address);
    await isAccessible(t, page, address);
  }
  // They differ only in their texts.
  for (const address of ['/docs/search?q=xyzzy', ...guides]) {
    await page.goto(address);
    await isAccessible(t, page, address, { looks: [phone] });
  }
});
