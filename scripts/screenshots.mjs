// Takes a screenshot of every page, wide and narrow, light and dark, into screenshots/, and the screenshots of the README into
// docs/images/. Starts a new server with the demo data, on PORT if it is set. CHROMIUM is the path of Chromium;
// default: the installed one. Run `npm run build` first.
import { createHash, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { TOTP } from 'otpauth';
import { demoCallback as callback, demoPassword as password, withDemoServer } from './demo-server.mjs';
import { installPackages } from './install.mjs';
import { root } from './modified.mjs';

installPackages('test/all');
const { chromium } = createRequire(path.join(root, 'test', 'all', 'package.json'))('playwright-core');

const screenshots = path.join(root, 'screenshots');
const readmeScreenshots = path.join(root, 'docs', 'images');
const widths = { 1440: 900, 390: 844 };
const applications = '/people/settings/oauth_applications';

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
  ],
});
let base;
try {
  await mkdir(screenshots, { recursive: true });
  await mkdir(readmeScreenshots, { recursive: true });
  await withDemoServer((address) => {
    base = address;
    return takeAll();
  }, process.env.PORT);
} finally {
  await browser.close();
}

async function takeAll() {
  const owner = await newPage();
  await owner.goto(`${base}/people`);
  await take(owner, 'sign-in');
  await signIn(owner, 'owner@acme.example', 'wrong');
  await take(owner, 'sign-in-error');
  await signIn(owner, 'owner@acme.example');
  await take(owner, 'people');
  await takeForReadme(owner, 'directory', `${base}/people`);
  await open(owner, 'people-no-match', '/people?q=zzz');
  await open(owner, 'people-filtered', '/people?q=a&department=Engineering&location=London');
  await open(owner, 'employee-new', '/people/employees/new');
  await owner.goto(`${base}/people`);
  const employee = await owner.locator('td a[href^="/people/employees/"]').first().getAttribute('href');
  await open(owner, 'employee', employee);
  await open(owner, 'employee-edit', `${employee}/edit`);
  await takeConflict(owner, employee);
  await open(owner, 'employee-delete', `${employee}/delete`);
  await open(owner, 'people-department', '/people?sort=-department&page=2');
  await takeImport(owner);

  await open(owner, 'connected-empty', '/people/settings/connected_applications');
  await consent(owner);
  await open(owner, 'connected', '/people/settings/connected_applications');
  await open(owner, 'disconnect', '/people/settings/connected_applications/appdemospa/disconnect');

  await open(owner, 'applications', applications);
  await open(owner, 'application-new', `${applications}/new`);
  await owner.getByLabel('Redirect URIs').fill('http://partner.example/callback#top');
  await owner.getByRole('button', { name: 'Create application' }).last().click();
  await take(owner, 'application-new-error');
  await owner.goto(`${base}${applications}/new`);
  await owner.getByLabel('Name', { exact: true }).fill('Payroll bridge');
  await owner.getByLabel('Redirect URIs').fill('https://payroll.partner.example/oauth/callback');
  await owner.getByLabel('reports:read').check();
  await owner.getByRole('button', { name: 'Create application' }).last().click();
  await take(owner, 'application-secret');
  await owner.getByRole('link', { name: /I have stored/ }).click();
  await take(owner, 'application-show');
  const address = owner.url();
  await owner.getByRole('button', { name: 'Create a second secret' }).click();
  await owner.goto(address);
  await take(owner, 'application-two-secrets');
  await owner.goto(`${address}/edit`);
  await take(owner, 'application-edit');
  await owner.getByLabel('Name', { exact: true }).fill('Payroll bridge 2');
  await owner.getByRole('button', { name: 'Save changes' }).last().click();
  await take(owner, 'application-saved');
  await owner.getByRole('link', { name: 'Revoke' }).first().click();
  await take(owner, 'secret-revoke');
  await open(owner, 'application-public', `${applications}/appdemospa`);
  await open(owner, 'application-revoke-access', `${applications}/appdemospa/revoke_access`);
  await open(owner, 'application-delete', `${applications}/appdemospa/delete`);
  await open(owner, 'usage', `${applications}/appdemospa/usage`);
  await takeWebhooks(owner);
  await takeUsers(owner);
  await takeReports(owner);
  await takeSecondFactor(owner);
  await open(owner, 'security', '/people/settings/security');
  await open(owner, 'single-sign-on', '/people/settings/single_sign_on');
  await owner.getByRole('button', { name: 'Save' }).first().click();
  await take(owner, 'single-sign-on-error');
  await open(owner, 'audit-log', '/people/settings/audit_log');
  await open(owner, 'audit-log-filtered', '/people/settings/audit_log?person=owner%40acme.example&tokens=on');
  await open(owner, 'audit-log-empty', '/people/settings/audit_log?type=application.deleted');
  await open(owner, 'not-found', `${applications}/appglobexbackend`);
  await open(owner, 'errors', '/errors');
  await open(owner, 'error', '/errors/invalid-grant');
  await open(owner, 'changelog', '/changelog');
  await open(owner, 'reference', '/docs');
  await open(owner, 'reference-operation', '/docs/operations/listEmployees');
  await open(owner, 'reference-guide', '/docs/guides/webhooks');
  await open(owner, 'reference-webhook', '/docs/webhooks/events');
  await open(owner, 'reference-search', '/docs/search?q=cursor');
  await owner.goto(`${base}/console`);
  await owner.getByRole('button', { name: 'Authorize', exact: true }).waitFor();
  await take(owner, 'console');
  await takeForReadme(await newPage(), 'reference', `${base}/docs/operations/listEmployees`);

  const member = await newPage();
  await member.goto(`${base}/people/settings`);
  await signIn(member, 'member@acme.example');
  await take(member, 'member-settings');
  await open(member, 'forbidden', applications);
  await member.goto(authorizeAddress('reports:read user:read').href);
  await take(member, 'consent-member');
}

/** The form of an employee that another user has changed in the meantime. */
async function takeConflict(owner, employee) {
  const other = await owner.context().newPage();
  for (const page of [owner, other]) await page.goto(`${base}${employee}/edit`);
  await other.getByLabel('Location').fill('Porto');
  await other.getByRole('button', { name: 'Save changes' }).click();
  await other.close();
  await owner.getByLabel('Location').fill('Lyon');
  await owner.getByRole('button', { name: 'Save changes' }).click();
  await take(owner, 'employee-conflict');
}

/** The pages of an import, with a rejected line. */
async function takeImport(owner) {
  await open(owner, 'import', '/people/employees/import');
  const header = 'Employee no.;First name;Surname;E-Mail;Status;Team;Shoe size';
  const upload = async (rows) => {
    const buffer = Buffer.from([header, ...rows].join('\r\n'));
    await owner.getByLabel('File').setInputFiles({ name: 'Staff list.csv', mimeType: 'text/csv', buffer });
    await owner.getByRole('button', { name: 'Upload' }).click();
  };
  await upload([]);
  await take(owner, 'import-error');
  const rows = Array.from(
    { length: 12 },
    (_, index) => `S${index};Ada;Lovelace;ada${index}@acme.example;active;Engineering;38`,
  );
  await upload([...rows, 'X1;;Hopper;no address;active;Sales;40']);
  await take(owner, 'import-columns');
  await owner.getByLabel('E-Mail').selectOption('');
  await owner.getByRole('button', { name: 'Check the file' }).click();
  await take(owner, 'import-columns-error');
  await owner.getByLabel('E-Mail').selectOption('email');
  await owner.getByRole('button', { name: 'Check the file' }).click();
  await owner.getByRole('heading', { name: 'Result of the check' }).waitFor();
  await take(owner, 'import-checked');
  await owner.getByRole('button', { name: 'Cancel import' }).click();
  await take(owner, 'import-cancelled');
  await owner.goto(`${base}/people/employees/import`);
  await upload(rows);
  await owner.getByRole('button', { name: 'Check the file' }).click();
  await owner.getByRole('heading', { name: 'Result of the check' }).waitFor();
  await owner.getByRole('button', { name: 'Import 12 records' }).click();
  await owner.getByRole('heading', { name: 'Import complete' }).waitFor();
  await take(owner, 'import-complete');
  await open(owner, 'import-list', '/people/employees/import');
  await owner.goto(`${base}/people/employees/import`);
  await upload(Array.from({ length: 30_000 }, (_, index) => rows[0].replaceAll('0', String(index))));
  await owner.getByRole('button', { name: 'Check the file' }).click();
  await owner.getByRole('link', { name: 'pause' }).click();
  await take(owner, 'import-checking');
  await owner.getByRole('button', { name: 'Cancel import' }).click();
}

/** The pages of webhooks, with an endpoint of an application whose server does not respond. */
async function takeWebhooks(owner) {
  await owner.goto(`${base}${applications}/new`);
  await owner.getByLabel('Name', { exact: true }).fill('Payroll sync');
  for (const scope of ['reports:read', 'webhooks:read', 'webhooks:write']) {
    await owner.getByLabel(scope).check();
  }
  await owner.getByRole('button', { name: 'Create application' }).last().click();
  const [id, secret] = await owner.locator('.copyable code').allTextContents();
  await owner.getByRole('link', { name: /I have stored/ }).click();
  const application = owner.url();
  await owner.getByRole('link', { name: 'Show webhooks' }).click();
  await take(owner, 'webhooks-empty');
  await createEndpoint({ client_id: id, client_secret: secret });
  await owner.goto(`${application}/webhooks`);
  await take(owner, 'webhooks');
  await owner.locator('td a').first().click();
  await take(owner, 'webhook-endpoint');
  await owner.getByRole('button', { name: 'Send test' }).click();
  await owner.getByLabel('After this event').check();
  await owner.getByRole('button', { name: 'Resume' }).click();
  await take(owner, 'webhook-endpoint-error');
}

async function createEndpoint(credentials) {
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...credentials });
  const token = await fetch(`${base}/v1/oauth/token`, { method: 'POST', body: form });
  const { access_token } = await token.json();
  const response = await fetch(`${base}/v1/webhook_endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'http://localhost:9/hooks/people', description: 'Payroll sync' }),
  });
  if (!response.ok) throw new Error(`The endpoint was not created: ${await response.text()}`);
}

/** The pages of users, of My account and of links. */
async function takeUsers(owner) {
  const users = '/people/settings/users';
  const account = '/people/settings/account';
  await open(owner, 'invite', `${users}/invite`);
  await owner.getByRole('button', { name: 'Create invitation' }).click();
  await take(owner, 'invite-error');
  await owner.getByRole('main').getByLabel('E-mail address').fill('grace.hopper@acme.example');
  await owner.getByRole('button', { name: 'Create invitation' }).click();
  await take(owner, 'invitation-link');
  const link = await owner.locator('#link').textContent();
  await open(owner, 'users', users);
  await open(owner, 'user', `${users}/demoacmemember`);
  await open(owner, 'user-disable', `${users}/demoacmemember/disable`);
  await open(owner, 'account', account);
  await open(owner, 'account-profile', `${account}/profile`);
  await open(owner, 'account-email', `${account}/email`);
  await open(owner, 'account-password', `${account}/password`);
  const invited = await newPage();
  await invited.goto(link);
  await take(invited, 'accept-invitation');
  await invited.getByRole('button', { name: 'Join' }).click();
  await take(invited, 'accept-invitation-error');
  await open(invited, 'link-invalid', '/set_password/unknown');
  await open(invited, 'forgot-password', '/forgot_password');
}

/** The pages of reports: a list, and charts with one group, two groups and years. */
async function takeReports(owner) {
  const reports = '/people/reports';
  await open(owner, 'reports', reports);
  await open(owner, 'report-list', `${reports}/demoengineering`);
  await open(owner, 'report-groups', `${reports}/demoheadcount`);
  await takeForReadme(owner, 'report', `${base}${reports}/demoheadcount`);
  await open(owner, 'report-edit', `${reports}/demoengineering/edit`);
  await open(owner, 'report-delete', `${reports}/demoheadcount/delete`);
  await open(owner, 'report-new', `${reports}/new`);
  await owner.getByRole('button', { name: 'Add a filter' }).click();
  await owner.getByRole('textbox', { name: 'Value' }).fill('2026');
  await owner.getByRole('button', { name: 'Create report' }).last().click();
  await take(owner, 'report-new-error');
  for (const [name, ...groups] of [
    ['report-stacked', 'Department', 'Location'],
    ['report-years', 'Hire year', 'Status'],
  ]) {
    await owner.goto(`${base}${reports}/new`);
    await owner.getByLabel('Title').fill(groups.join(' and '));
    await owner.getByLabel('Counts by group').check();
    await owner.getByLabel('Group 1').selectOption(groups[0]);
    await owner.getByLabel('Group 2').selectOption(groups[1]);
    await owner.getByRole('button', { name: 'Create report' }).last().click();
    await take(owner, name);
  }
}

/** The pages of second factors, with an authenticator app, and the sign-in that needs it. */
async function takeSecondFactor(owner) {
  const factors = '/people/settings/account/second_factor';
  await open(owner, 'second-factor', factors);
  await open(owner, 'passkey-new', `${factors}/passkeys`);
  await open(owner, 'authenticator-app', `${factors}/app`);
  const key = await owner.locator('code.key').textContent();
  await owner.getByRole('button', { name: 'Save' }).click();
  await take(owner, 'authenticator-app-error');
  await owner.getByLabel('Code').fill(new TOTP({ secret: key.replaceAll(' ', '') }).generate());
  await owner.getByRole('button', { name: 'Save' }).click();
  await take(owner, 'recovery-codes');
  await open(owner, 'second-factor-set-up', factors);
  const other = await newPage();
  await other.goto(`${base}/people`);
  await signIn(other, 'owner@acme.example');
  await take(other, 'second-factor-step');
  await other.getByRole('button', { name: 'Continue' }).click();
  await take(other, 'second-factor-step-error');
  await open(other, 'single-sign-on-start', '/sign_in/sso');
}

async function newPage() {
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
  await context.route(`${callback}**`, (route) => route.fulfill({ body: 'The page of the application.' }));
  return context.newPage();
}

async function signIn(page, email, secret = password) {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(secret);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Grants access to the single-page application of the demo account, and requests its tokens. */
async function consent(page) {
  const address = authorizeAddress('reports:read user:read user:write');
  await page.goto(address.href);
  await take(page, 'consent');
  await takeForReadme(page, 'consent', address.href);
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.waitForURL(`${callback}**`);
  const form = {
    grant_type: 'authorization_code',
    client_id: 'demospa',
    redirect_uri: callback,
    code_verifier: address.verifier,
    code: new URL(page.url()).searchParams.get('code'),
  };
  const response = await fetch(`${base}/v1/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  if (!response.ok) throw new Error(`The token request failed: ${await response.text()}`);
}

function authorizeAddress(scope) {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'demospa',
    redirect_uri: callback,
    scope,
    state: 'screenshot',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return { href: `${base}/v1/oauth/authorize?${query}`, verifier };
}

async function open(page, name, address) {
  await page.goto(`${base}${address}`);
  await take(page, name);
}

async function take(page, name) {
  for (const [width, height] of Object.entries(widths)) {
    await page.setViewportSize({ width: Number(width), height });
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(
        () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
      );
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wider > 0) process.stderr.write(`${name} is ${wider} px too wide at ${width}\n`);
      await page.screenshot({
        path: path.join(screenshots, `${name}-${width}-${colorScheme}.png`),
        fullPage: true,
      });
    }
  }
}

/** Takes a screenshot of the visible part of a page for the README. */
async function takeForReadme(page, name, address) {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(address);
  // Waits until the search is loaded and the menu is open.
  await page.getByText('Loading').waitFor({ state: 'hidden' });
  await page.waitForTimeout(1000);
  await page.screenshot({ path: path.join(readmeScreenshots, `${name}.png`) });
}
