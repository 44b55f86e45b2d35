import { exportJWK, generateKeyPair } from 'jose';
import { confirm, credentialsOn, expectRedirect, isPage } from '../support/browser/pages.js';
import { useKeys } from '../support/oauth/client-keys.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

// The clock starts on 1 March 2026 at 9:00 UTC.
const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database, clock } = api;
const day = 86_400;

/** An owner, and the form that creates a second secret of a confidential application. */
async function openForm(zoneinfo: string | null = null) {
  const scene = await createScene(database, { clientType: 'confidential' });
  await database.prisma.user.updateMany({ where: { id: scene.user.id }, data: { zoneinfo } });
  const browser = await signedInBrowser(api, scene.user);
  const base = `/people/settings/oauth_applications/${scene.application.id}`;
  const page = () => browser.open(`${base}/credentials`);
  const create = async (fields: Record<string, string>) =>
    browser.submitForm(await page(), `${base}/secrets`, fields);
  const stored = () =>
    database.prisma.applicationSecret.findMany({
      where: { applicationId: scene.application.id },
      orderBy: { createdAt: 'asc' },
    });
  /** The secret that the form has created. */
  const created = async () => {
    const secrets = await stored();
    return secrets.find(({ lastCharacters }) => lastCharacters !== null);
  };
  return { ...scene, browser, base, page, create, stored, created };
}

t.test('a secret never expires unless the form says so', async (t) => {
  for (const fields of [{}, { expiry: 'never', expiry_date: '' }] as Record<string, string>[]) {
    const { create, created, page, accountId } = await openForm();
    isPage(t, await create(fields));
    t.match(await created(), { expiresAt: null, nextReminderAt: null });
    t.match((await page()).body, /data-label="Expiry"><div>Never expires</);
    const where = { accountId, type: 'application.secret_created' };
    t.same((await database.prisma.auditEvent.findFirstOrThrow({ where })).details, {});
  }
});

t.test(
  'a secret expires after the selected days, which its page, the list and the audit log name',
  async (t) => {
    for (const [days, reminder] of [
      [30, 23],
      [90, 60],
      [180, 150],
      [365, 335],
    ] as const) {
      const { create, created, page, accountId } = await openForm();
      const shown = await create({ expiry: String(days), expiry_date: '' });
      isPage(t, shown);
      const at = (after: number) => new Date(clock().getTime() + after * day * 1000);
      const iso = at(days).toISOString();
      t.match(shown.body, `It expires on <time datetime="${iso}">`);
      t.match(await created(), { expiresAt: at(days), nextReminderAt: at(reminder) });
      t.match((await page()).body, `Expires on <time datetime="${iso}">`);
      const where = { accountId, type: 'application.secret_created' };
      t.same((await database.prisma.auditEvent.findFirstOrThrow({ where })).details, { expires_at: iso });
    }
  },
);

t.test('a date is a day in the time zone of the user', async (t) => {
  for (const [zone, date, expiresAt] of [
    [null, '2026-03-02', '2026-03-02T00:00:00.000Z'],
    ['America/New_York', '2027-03-04', '2027-03-04T05:00:00.000Z'],
    ['Pacific/Auckland', '2036-03-01', '2036-02-29T11:00:00.000Z'],
  ] as const) {
    const { create, created } = await openForm(zone);
    isPage(t, await create({ expiry: 'date', expiry_date: date }));
    t.same((await created())?.expiresAt, new Date(expiresAt), date);
  }
});

t.test('a wrong expiry is reported beside its field, and creates no secret', async (t) => {
  const { create, stored, base, browser } = await openForm();
  for (const [expiry, expiry_date, field, message] of [
    ['date', '', 'expiry_date', 'Enter the day on which the secret expires'],
    ['date', '2026-02-30', 'expiry_date', 'Enter the day on which the secret expires'],
    ['date', '04.03.2027', 'expiry_date', 'Enter the day on which the secret expires'],
    ['date', '2026-02-28', 'expiry_date', 'must be in the future'],
    ['date', '2026-03-01', 'expiry_date', 'must be in the future'],
    ['date', '2036-03-02', 'expiry_date', 'at most 10 years'],
    ['date', '9999-12-31', 'expiry_date', 'at most 10 years'],
    ['31', '', 'expiry', 'Select when the secret expires'],
    ['-30', '', 'expiry', 'Select when the secret expires'],
    ['never', '2027-03-04', 'expiry', 'Select “On a date”'],
    ['30', '2027-03-04', 'expiry', 'Select “On a date”'],
  ] as const) {
    const label = `${expiry} ${expiry_date}`;
    const response = await create({ expiry, expiry_date });
    isPage(t, response, 400, label);
    const { body } = response;
    t.match(body, `<a href="#${field}">`, label);
    t.match(body, new RegExp(`id="${field}-error" class="field-error">[^<]*${message}`), label);
    t.match(body, new RegExp(`id="${field}"[^>]*aria-describedby="${field}-hint ${field}-error"`), label);
    if (expiry_date !== '')
      t.match(body, new RegExp(`id="expiry_date"[^>]*value="${expiry_date}"`), 'the input is kept');
    t.equal((await stored()).length, 1, label);
  }
  const rejected = await create({ expiry: 'date', expiry_date: '' });
  const again = await browser.submitForm(rejected, `${base}/secrets`, { expiry: '30', expiry_date: '' });
  isPage(t, again, 200, 'a corrected form is accepted');
  t.equal((await stored()).length, 2);
});

t.test('each field of the form has a label and a hint', async (t) => {
  const { page } = await openForm('Europe/Berlin');
  const { body } = await page();
  for (const field of ['expiry', 'expiry_date']) {
    t.match(body, `<label for="${field}">`);
    t.match(body, `id="${field}-hint"`);
    t.match(body, new RegExp(`id="${field}"[^>]*aria-describedby="${field}-hint"`));
  }
  t.match(body, 'in the time zone Europe/Berlin');
});

t.test('the last valid secret is kept, and an expired one can be revoked', async (t) => {
  const { create, base, user, stored } = await openForm();
  const { clientId, clientSecret } = credentialsOn(await create({ expiry: '30', expiry_date: '' }));
  clock.advanceSeconds(30 * day);
  // The session has expired meanwhile.
  const again = await signedInBrowser(api, user);
  const { body } = await again.open(`${base}/credentials`);
  t.match(body, /Expired on <time/);
  t.match(body, 'An expired secret is rejected. Revoke it before you create another');
  const token = await api.postForm('/v1/oauth/token', {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  });
  t.equal(token.statusCode, 401);
  const secrets = await stored();
  const [valid, expired] = [
    secrets.find(({ expiresAt }) => expiresAt === null),
    secrets.find(({ expiresAt }) => expiresAt !== null),
  ];
  const refused = await confirm(again, `${base}/secrets/${valid?.id}/revoke`);
  isPage(t, refused, 409);
  t.match(refused.body, 'This is the only secret that is valid.');
  expectRedirect(t, await confirm(again, `${base}/secrets/${expired?.id}/revoke`), /notice=secret_revoked$/);
});

t.test('a secret in place of keys can have an expiry', async (t) => {
  const { base, browser, stored, application } = await openForm();
  const { publicKey } = await generateKeyPair('ES256', { extractable: true });
  await useKeys(database, application, [await exportJWK(publicKey)]);
  const remove = `${base}/keys/remove`;
  const form = await browser.open(remove);
  const rejected = await browser.submitForm(form, remove, { expiry: 'date', expiry_date: '2020-01-01' });
  isPage(t, rejected, 400);
  t.match(rejected.body, 'must be in the future');
  t.equal((await stored()).length, 0);
  isPage(t, await browser.submitForm(rejected, remove, { expiry: '90', expiry_date: '' }));
  t.match(await stored(), [{ expiresAt: new Date(clock().getTime() + 90 * day * 1000) }]);
});

t.test('the first secret of a new application can have an expiry', async (t) => {
  const { browser, accountId } = await openForm();
  const path = '/people/settings/oauth_applications';
  const form = await browser.open(`${path}/new`);
  t.match(form.body, '<label for="expiry">The client secret expires</label>');
  const fields = { name: 'Payroll', client_type: 'confidential', scopes: 'reports:read' };
  const rejected = await browser.submitForm(form, path, {
    ...fields,
    expiry: 'date',
    expiry_date: '2020-01-01',
  });
  isPage(t, rejected, 400);
  t.match(rejected.body, /id="expiry_date-error" class="field-error">[^<]*must be in the future/);
  const where = { accountId, application: { name: 'Payroll' } };
  t.equal(await database.prisma.applicationSecret.count({ where }), 0);

  const created = await browser.submitForm(rejected, path, { ...fields, expiry: '365', expiry_date: '' });
  const expiresAt = new Date(clock().getTime() + 365 * day * 1000);
  isPage(t, created);
  t.match(created.body, `It expires on <time datetime="${expiresAt.toISOString()}">`);
  t.match(await database.prisma.applicationSecret.findMany({ where }), [{ expiresAt }]);
  const event = { accountId, type: 'application.created' };
  const { details } = await database.prisma.auditEvent.findFirstOrThrow({ where: event });
  t.match(details, { name: 'Payroll', expires_at: expiresAt.toISOString() });
});

t.test('a public application has no secret, whatever expiry is selected', async (t) => {
  const { browser, accountId } = await openForm();
  const path = '/people/settings/oauth_applications';
  const fields = {
    name: 'Browser',
    client_type: 'public',
    scopes: 'user:read',
    redirect_uris: 'https://app.example/',
  };
  const form = await browser.open(`${path}/new`);
  expectRedirect(
    t,
    await browser.submitForm(form, path, { ...fields, expiry: '30' }),
    /notice=application_created$/,
  );
  const where = { accountId, application: { name: 'Browser' } };
  t.equal(await database.prisma.applicationSecret.count({ where }), 0);
});
