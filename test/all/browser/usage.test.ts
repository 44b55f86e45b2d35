import type { Page } from 'playwright-core';
import { randomId } from '../../../src/platform/database/ids.js';
import { hostileNames } from '../../support/input/hostile-names.js';
import { createScene, createUser, type Scene } from '../../support/oauth/users.js';
import { storeCalls, storeRejection } from '../../support/records/usage.js';
import type { Test } from '../../support/tap.js';
import { main, signIn } from './browser-steps.js';
import { browserTest, isAccessible, type LiveSite } from './chromium.js';

const hour = 3_600_000;
const usagePath = (scene: Scene) => `/people/settings/oauth_applications/${scene.application.id}/usage`;
const auditPath = '/people/settings/audit_log';

/** An account with calls in each of the last hours, rejected requests and events of hostile names. */
async function arrange({ api: { database, clock } }: LiveSite): Promise<Scene> {
  const longest = hostileNames.find((name) => name.length >= 100) ?? '';
  const scene = await createScene(database, { name: longest });
  const now = clock().getTime();
  const rows = Array.from({ length: 50 }, (_, index) => ({
    hour: new Date(now - (now % hour) - index * hour),
    calls: 40 + index,
    errors: index % 9,
    rateLimited: index % 5,
    operation: index % 2 === 0 ? 'listEmployees' : 'getEmployee',
  }));
  await storeCalls(database, scene, rows);
  await storeRejection(database, scene, { at: new Date(now), code: 'rate_limit_exceeded', status: 429 });
  for (const type of ['application.updated', 'token.issued']) {
    await database.prisma.auditEvent.create({
      data: {
        id: randomId(),
        type,
        accountId: scene.accountId,
        userId: scene.user.id,
        applicationId: scene.application.id,
        address: '192.0.2.1',
        requestId: `request of ${type}`,
      },
    });
  }
  return scene;
}

async function useUsage(t: Test, page: Page, { api }: LiveSite, scene: Scene): Promise<void> {
  await page.goto(usagePath(scene).replace('/usage', ''));
  await page.getByRole('link', { name: 'Usage', exact: true }).click();
  t.match(page.url(), /\/usage$/);
  const chart = page.getByRole('img', { name: 'Calls by day' });
  t.match(await chart.evaluate((svg) => svg.querySelector('desc')?.textContent), /in UTC: [\d,]+ calls/);
  await page.getByText('Table: Calls by day').click();
  const yesterday = new Date(api.clock().getTime() - 24 * hour);
  const name = yesterday.toLocaleDateString('en-GB', { timeZone: 'UTC', dateStyle: 'long' });
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { name: `By hour on ${name}` }).waitFor();
  await page.getByRole('link', { name: 'Requests', exact: true }).click();
  await page.getByRole('link', { name: 'rate_limit_exceeded' }).click();
  t.match(page.url(), /\/errors\/rate-limit-exceeded$/);
}

async function useFilters(t: Test, page: Page, scene: Scene): Promise<void> {
  await page.goto(auditPath);
  t.equal(await page.getByText('request of token.issued').count(), 0);
  await page.getByLabel('E-mail address').fill(scene.user.email);
  await page.getByLabel('Event type').selectOption('Application changed');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  t.equal(await page.getByText('request of application.updated').count(), 1);
  t.equal(await page.getByLabel('E-mail address').inputValue(), scene.user.email);
  await page.getByRole('link', { name: 'Remove the filters' }).click();
  await page.getByLabel('Show token events').check();
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  t.equal(await page.getByText('request of token.issued').count(), 1);
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'as CSV' }).click();
  t.match((await download).suggestedFilename(), /^audit-log-.*\.csv$/);
  await page.getByLabel('E-mail address').fill('unknown@acme.example');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByRole('link', { name: 'No user of your account has this e-mail address.' }).click();
  t.equal(await page.evaluate(() => document.activeElement?.id), 'person');
}

for (const javaScriptEnabled of [true, false]) {
  browserTest(
    `the usage page and the filters of the audit log work ${javaScriptEnabled ? 'with' : 'without'} JavaScript`,
    async (t, page, site) => {
      const scene = await arrange(site);
      await signIn(page, scene.user);
      await useUsage(t, page, site, scene);
      if (javaScriptEnabled) await useFilters(t, page, scene);
      else {
        await page.goto(`${auditPath}?person=${scene.user.email}`);
        t.equal(await page.getByText('request of application.updated').count(), 1);
      }
    },
    { javaScriptEnabled },
  );
}

/** Whether the page needs no horizontal scrolling. */
const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

browserTest('the pages are accessible', async (t, page, site) => {
  const scene = await arrange(site);
  await signIn(page, scene.user);
  for (const address of [
    usagePath(scene),
    usagePath(scene).replace('/usage', '/requests'),
    auditPath,
    `${auditPath}?tokens=1`,
    `${auditPath}?person=x&from=x`,
  ]) {
    await page.goto(address);
    for (const details of await main(page).locator('details').all()) {
      await details.evaluate((element) => element.setAttribute('open', ''));
    }
    await isAccessible(t, page, address);
  }
});

browserTest('the colours of the charts have a contrast of 3:1 to the background', async (t, page, site) => {
  const scene = await arrange(site);
  await signIn(page, scene.user);
  await page.goto(usagePath(scene));
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const contrasts = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement('i'));
      const luminance = (value: string) => {
        probe.className = '';
        const canvas = document.createElement('canvas').getContext('2d');
        if (canvas === null) return Number.NaN;
        canvas.fillStyle = value.trim();
        canvas.fillRect(0, 0, 1, 1);
        const [red = 0, green = 0, blue = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((channel) => {
          const part = channel / 255;
          return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      };
      const style = getComputedStyle(document.documentElement);
      const ground = luminance(style.getPropertyValue('--pico-background-color'));
      return [0, 1, 2, 3, 4, 5].map((tone) => {
        const own = luminance(style.getPropertyValue(`--chart-${tone}`));
        return (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05);
      });
    });
    for (const [tone, contrast] of contrasts.entries()) {
      t.ok(contrast >= 3, `tone ${tone} in ${colorScheme} colours: ${contrast}`);
    }
  }
});

browserTest(
  '200 hostile names of users and applications fit the audit log on a phone',
  async (t, page, site) => {
    const { api } = site;
    const scene = await arrange(site);
    for (const [index, name] of hostileNames.entries()) {
      const user = await createUser(api.database, scene.accountId, { role: 'member' });
      const data = { givenName: name.slice(0, 100), familyName: `${index}` };
      await api.database.prisma.user.updateMany({ where: { id: user.id }, data });
      await api.database.prisma.auditEvent.create({
        data: { id: randomId(), type: 'user.updated', accountId: scene.accountId, userId: user.id },
      });
    }
    await signIn(page, scene.user);
    await page.setViewportSize({ width: 390, height: 900 });
    let address: string | null = auditPath;
    for (let pages = 0; address !== null && pages < 10; pages += 1) {
      await page.goto(address);
      t.ok(await fits(page), address);
      const older = page.getByRole('link', { name: 'Older' });
      address = (await older.count()) === 0 ? null : await older.getAttribute('href');
    }
  },
);
