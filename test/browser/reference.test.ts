import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { browserTest } from '../support/browser/chromium.js';
import { contract } from '../support/server/app.js';

interface Documented {
  readonly tags: readonly [string];
  readonly summary: string;
}

/** Operations with the address that the reference gives each. */
const operations = [...contract.operations.values()].map(({ id, path, method }) => {
  const item = contract.document.paths[path] as Record<string, unknown>;
  const { tags, summary } = item[method.toLowerCase()] as Documented;
  return { id, summary, fragment: `#/${tags[0]}/${id}`.toLowerCase() };
});

browserTest(
  'the reference describes every operation and loads nothing from another server',
  async (t, page) => {
    for (const { fragment, summary } of operations) {
      await page.goto(`/docs${fragment}`);
      const heading = page.getByRole('heading', { name: summary });
      await heading.waitFor();
      t.ok(await heading.isVisible(), summary);
    }
  },
);

browserTest('every link within the reference leads to an operation or a chapter', async (t, page) => {
  const text = JSON.stringify(contract.document);
  const targets = new Set([...text.matchAll(/\]\((#[^)]*)\)/g)].map(([, target]) => target));
  await page.goto('/docs');
  const chapters = await page.locator('[id^="/"]').evaluateAll((all) => all.map(({ id }) => `#${id}`));
  const known = new Set([...operations.map(({ fragment }) => fragment), ...chapters]);
  t.not(targets.size, 0);
  for (const target of targets) t.ok(known.has(String(target)), String(target));
});

browserTest('the menu of the reference leads to a chapter, also in a new window', async (t, page, site) => {
  await page.goto('/docs');
  const link = page.getByRole('link', { name: 'Pagination', exact: true }).first();
  const address = new URL((await link.getAttribute('href')) ?? '', page.url());
  t.equal(address.pathname, '/docs');
  const { page: other } = await site.open(t);
  await other.goto(address.href);
  await other.getByRole('heading', { name: 'Pagination' }).waitFor();
  await link.click();
  t.equal(new URL(page.url()).hash, '#/pagination');
});

browserTest('the reference can be searched', async (t, page) => {
  await page.goto('/docs');
  await page.getByText('Search').first().click();
  await page.getByPlaceholder('Search docs').fill('idempotency');
  const found = page.getByRole('link', { name: 'Create a report' }).first();
  await found.click();
  await page.getByRole('heading', { name: 'Create a report' }).waitFor();
  t.match(new URL(page.url()).hash, /^#\/reports\/createreport/);
});

browserTest('axe reports no serious violation in the reference', async (t, page) => {
  for (const [width, colorScheme] of [
    [390, 'dark'],
    [1280, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    for (const address of ['/docs', '/docs#/reports/createreport']) {
      await page.goto(address);
      await page
        .getByRole('heading', { name: address === '/docs' ? /^People API/ : 'Create a report' })
        .waitFor();
      await settled(page);
      const { violations } = await new AxeBuilder({ page }).analyze();
      const found = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      t.same(
        found.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
        [],
        `${address} in ${colorScheme} colours`,
      );
      t.ok(
        await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        `${address} fits ${width} pixels`,
      );
    }
  }
});

browserTest(
  'without JavaScript the reference shows its chapters and links to the rest',
  async (t, page) => {
    await page.goto('/docs');
    t.ok(await page.locator('noscript').getByRole('link', { name: 'the contract' }).isVisible());
    await page.getByRole('link', { name: 'Versioning and compatibility' }).first().click();
    t.equal(new URL(page.url()).hash, '#/versioning-and-compatibility');
    t.ok(await page.getByRole('heading', { name: 'Versioning and compatibility' }).isVisible());
  },
  { javaScriptEnabled: false },
);

/** Waits until transitions of colours have finished. Redoc animates even with `prefers-reduced-motion`. */
async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document.getAnimations().every(({ playState }) => playState === 'finished'),
  );
}
