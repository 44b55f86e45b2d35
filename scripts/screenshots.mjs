// Takes the screenshots of the README into docs/images/, from a new server with the demo data. CHROMIUM is the path of
// Chromium; default: the installed one. Run `npm run build` first.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import path from 'node:path';
import { demoCallback, demoPassword, withDemoServer } from './demo-server.mjs';
import { installPackages } from './install.mjs';
import { root } from './modified.mjs';

installPackages('test/all');
const { chromium } = createRequire(path.join(root, 'test', 'all', 'package.json'))('playwright-core');

const authorization = new URLSearchParams({
  response_type: 'code',
  client_id: 'demospa',
  redirect_uri: demoCallback,
  scope: 'reports:read user:read user:write',
  state: 'state',
  code_challenge: createHash('sha256').update('verifier').digest('base64url'),
  code_challenge_method: 'S256',
});

/** Pages of the signed-in owner, by the name of the image. */
const pages = {
  directory: '/people',
  report: '/people/reports/demoheadcount',
  consent: `/v1/oauth/authorize?${authorization}`,
  reference: '/docs/operations/listEmployees',
};

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  await withDemoServer(takeAll);
} finally {
  await browser.close();
}

async function takeAll(base) {
  const context = await browser.newContext({
    locale: 'en-GB',
    reducedMotion: 'reduce',
    colorScheme: 'light',
  });
  const page = await context.newPage();
  await page.setViewportSize({ width: 1280, height: 600 });
  await page.goto(`${base}/people`);
  await page.getByLabel('E-mail address').fill('owner@acme.example');
  await page.getByLabel('Password').fill(demoPassword);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  for (const [name, address] of Object.entries(pages)) {
    await page.goto(`${base}${address}`);
    await page.waitForLoadState('networkidle');
    const image = path.join(root, 'docs', 'images', `${name}.png`);
    await page.screenshot({ path: image, fullPage: name === 'consent' });
  }
}
