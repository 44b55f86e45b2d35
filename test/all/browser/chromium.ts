import { existsSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { patienceMs } from '../../support/patience.js';
import { buildTestApp, type TestApp } from '../../support/server/app.js';
import { createTestClock } from '../../support/server/clock.js';
import { freePort } from '../../support/server/free-port.js';
import root, { type Test } from '../../support/tap.js';

const executablePath = process.env.CHROMIUM || '/usr/bin/chromium';

/** Why browser tests are skipped; `false` if they run. In CI they run, or fail. */
const skip: string | false =
  existsSync(executablePath) || process.env.CI === 'true'
    ? false
    : `${executablePath} does not exist: install Chromium, or set CHROMIUM to its path`;

/** The service on its own port, and a browser. */
export interface LiveSite {
  readonly api: TestApp;
  readonly baseUrl: string;
  /** Opens a window with separate cookies. */
  open(t: Test, options?: BrowserContextOptions): Promise<Window>;
}

interface Window {
  readonly page: Page;
  /** Errors in the browser so far: violations of the content security policy, and script errors. */
  readonly complaints: readonly string[];
}

/** The site of each test file. Files that share a process have separate sites. */
const sites = new WeakMap<Test, Promise<LiveSite>>();

/** A test with a browser window. It fails if the browser reports an error. */
export function browserTest(
  title: string,
  body: (t: Test, page: Page, site: LiveSite) => Promise<void>,
  options: BrowserContextOptions = {},
): void {
  root.test(title, { skip }, async (t) => {
    const site = await siteOf(root);
    const { page, complaints } = await site.open(t, options);
    await body(t, page, site);
    t.same(complaints, [], 'no violation of the content security policy, and no error');
  });
}

function siteOf(file: Test): Promise<LiveSite> {
  const site = sites.get(file) ?? startLiveSite(file);
  sites.set(file, site);
  return site;
}

async function startLiveSite(t: Test): Promise<LiveSite> {
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  const api = await buildTestApp(t, {
    environment: { BASE_URL: baseUrl, RATE_LIMIT_FAILURES: '0' },
    // Codes of authenticator apps stay valid while a busy machine enters them.
    clock: createTestClock(new Date()),
  });
  await api.app.listen({ host: '127.0.0.1', port });
  const browser = await launch();
  t.teardown(() => browser.close());
  return {
    api,
    baseUrl,
    open: async (t, options = {}) => {
      const context = await browser.newContext({ baseURL: baseUrl, reducedMotion: 'reduce', ...options });
      t.teardown(() => context.close());
      // Far more than a busy machine needs.
      context.setDefaultTimeout(patienceMs);
      return watch(await context.newPage());
    },
  };
}

/** How a page is displayed during a check by axe. */
interface Look {
  readonly name: string;
  readonly width: number;
  readonly colorScheme: 'dark' | 'light';
  readonly forcedColors: 'none' | 'active';
}

/** A phone with dark colours. */
export const phone: Look = { name: 'dark colours', width: 390, colorScheme: 'dark', forcedColors: 'none' };

/** 320 pixels are 1280 at 400 % zoom. */
const media: readonly Look[] = [
  phone,
  { name: 'light colours', width: 1280, colorScheme: 'light', forcedColors: 'none' },
  { name: 'forced colours', width: 320, colorScheme: 'light', forcedColors: 'active' },
];

/**
 * Expects that axe finds no violation and that the page needs no horizontal scrolling: in light, dark and forced colours, on a
 * phone, and at 400 % zoom. Leaves the page 1280 pixels wide.
 *
 * @param options.exclude selectors of elements that axe does not check
 */
export async function isAccessible(
  t: Test,
  page: Page,
  label: string,
  { looks = media, exclude = [] }: { looks?: readonly Look[]; exclude?: readonly string[] } = {},
): Promise<void> {
  for (const { name, width, ...colors } of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia(colors);
    // The pages have no frames of other origins, so axe needs no extra page to collect the results.
    const axe = new AxeBuilder({ page }).setLegacyMode();
    for (const selector of exclude) axe.exclude(selector);
    // To preload style sheets, axe adds inline styles, which the content security policy blocks.
    const { violations } = await axe.options({ preload: false }).analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    t.same(found, [], `${label} in ${name}`);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    t.ok(wider <= 0, `${label} fits ${width} pixels`);
  }
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
  await page.setViewportSize({ width: 1280, height: 900 });
}

function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

function watch(page: Page): Window {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (/content security policy|refused to/i.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith('http://localhost:')) complaints.push(`requested ${request.url()}`);
  });
  return { page, complaints };
}
