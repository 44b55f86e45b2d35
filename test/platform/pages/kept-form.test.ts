import { Sessions } from '../../../src/platform/accounts/sessions.js';
import { Browser, hiddenFields } from '../../support/browser/browser.js';
import { openTestDatabase } from '../../support/database/database.js';
import { createScene, createUser, signedInBrowser, type TestUser } from '../../support/oauth/users.js';
import { buildTestApp } from '../../support/server/app.js';
import t from '../../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });
const { app } = api;

const profile = '/people/settings/account/profile';
const entered = { given_name: 'Grace "Ace" & Co', family_name: 'Höpper' };

/** A browser with the profile form open, whose session was then revoked on the server. */
async function expiredForm(user: TestUser, address = profile) {
  const browser = await signedInBrowser(api, user);
  const fields = hiddenFields((await browser.open(address)).body);
  await new Sessions(database, api.clock).revoke(browser.cookies.get('session') ?? '');
  return { browser, fields };
}

const nameOf = async ({ id }: TestUser) =>
  (await database.prisma.user.findFirstOrThrow({ where: { id } })).givenName;

t.test('a form of an expired session is shown with its values after the same user signed in', async (t) => {
  const { user } = await createScene(database);
  const { browser, fields } = await expiredForm(user);
  const signIn = await browser.submit(profile, { ...fields, ...entered, new_password: 'never stored' });
  t.equal(signIn.statusCode, 401);
  t.equal(signIn.headers['cache-control'], 'no-store');
  t.match(signIn.body, 'Your session has expired');
  t.notMatch(signIn.body, 'never');
  const wrong = await browser.submitForm(signIn, '/sign_in', { email: user.email, password: 'wrong' });
  t.equal(wrong.statusCode, 401);

  const { email, password } = user;
  const signedIn = await browser.submitForm(wrong, '/sign_in', { email, password });
  t.equal(signedIn.statusCode, 200, 'the form is kept after a wrong password');
  t.notMatch(signedIn.body, password);
  t.equal(await nameOf(user), 'Ada', 'signing in saves nothing');

  const form = await browser.submitForm(signedIn, profile, {});
  t.equal(form.statusCode, 200);
  t.match(form.body, 'value="Grace &quot;Ace&quot; &amp; Co"');
  t.match(form.body, 'value="Höpper"');
  t.equal(await nameOf(user), 'Ada', 'showing the form saves nothing');
  t.equal((await browser.submitForm(form, profile, entered)).statusCode, 303);
  t.equal(await nameOf(user), entered.given_name);
});

t.test('another user does not see the form', async (t) => {
  const { user, accountId } = await createScene(database);
  const other = await createUser(database, accountId);
  const { browser, fields } = await expiredForm(user);
  const signIn = await browser.submit(profile, { ...fields, ...entered });
  const { email, password } = other;
  const response = await browser.submitForm(signIn, '/sign_in', { email, password });
  t.equal(response.statusCode, 303);
  t.equal(response.headers.location, profile);
  t.notMatch((await browser.open(profile)).body, 'Grace');
});

t.test('a form that another site may have submitted is not kept', async (t) => {
  const { user } = await createScene(database);
  const { browser, fields } = await expiredForm(user);
  const stranger = await expiredForm((await createScene(database)).user);
  const visitor = new Browser(app);
  const visitorFields = hiddenFields((await visitor.open('/sign_in')).body);
  const [id, signature] = (fields.csrf_token ?? '').split('.');
  const attempts = [
    [browser, entered],
    [browser, { ...entered, csrf_token: '' }],
    [browser, { ...entered, csrf_token: `${id}.${'x'.repeat(43)}` }],
    [browser, { ...entered, csrf_token: `${(await createScene(database)).user.id}.${signature}` }],
    [browser, { ...entered, csrf_token: `.${signature}` }],
    [browser, { ...entered, ...stranger.fields }],
    [new Browser(app), { ...entered, ...fields }],
    [visitor, { ...entered, csrf_token: visitorFields.csrf_token ?? '' }],
  ] as const;
  for (const [sender, form] of attempts) {
    const response = await sender.submit(profile, form);
    t.equal(response.statusCode, 303);
    t.equal(response.headers.location, `/sign_in?return_to=${encodeURIComponent(profile)}`);
  }
  t.equal(await nameOf(user), 'Ada');
});

t.test('a kept form of another browser is discarded at sign-in', async (t) => {
  const { user } = await createScene(database);
  const { browser, fields } = await expiredForm(user);
  const kept = hiddenFields((await browser.submit(profile, { ...fields, ...entered })).body).kept_form ?? '';
  const { email, password } = user;
  for (const kept_form of [kept, kept.replace(/csrf_token=[^&]*/, ''), 'x=1', 'x'.repeat(20_000)]) {
    const other = new Browser(app);
    const page = await other.open(`/sign_in?return_to=${encodeURIComponent(profile)}`);
    const response = await other.submitForm(page, '/sign_in', { email, password, kept_form });
    t.equal(response.statusCode, 303);
    t.equal(response.headers.location, profile);
  }
});

t.test('a kept form that is not percent-encoded UTF-8 is rejected before the sign-in', async (t) => {
  const { user } = await createScene(database);
  const browser = new Browser(app);
  const { email, password } = user;
  const page = await browser.open('/sign_in');
  const response = await browser.submitForm(page, '/sign_in', { email, password, kept_form: 'x=%FF' });
  t.equal(response.statusCode, 400);
  t.equal(await database.prisma.session.count({ where: { userId: user.id } }), 0);
});

t.test('large forms and password forms are not kept', async (t) => {
  const { user } = await createScene(database);
  const { browser, fields } = await expiredForm(user);
  const large = await browser.submit(profile, { ...fields, given_name: 'x'.repeat(20_000) });
  t.equal(large.statusCode, 303);
  const password = '/people/settings/account/password';
  const secret = await browser.submit(password, { ...fields, new_password: 'a new long password' });
  t.equal(secret.statusCode, 303);
  t.notMatch(secret.body, 'a new long');
});

t.test('a restored form needs a CSRF token, and changes nothing on any route', async (t) => {
  const { user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const restore = { ...entered, restore_form: 'yes' };
  t.equal((await browser.submit(profile, restore)).statusCode, 403);
  const page = await browser.open(profile);
  t.equal((await browser.submitForm(page, profile, restore)).statusCode, 200);
  t.equal(await nameOf(user), 'Ada');
  const sessions = '/people/settings/account/sessions';
  t.equal((await browser.submitForm(page, sessions, restore)).headers.location, sessions);
  t.equal((await browser.open(profile)).statusCode, 200, 'the session is not revoked');
});

t.test('every form with text fields is restored with its values', async (t) => {
  const { user, application } = await createScene(database);
  const applications = '/people/settings/oauth_applications';
  const cases = [
    [`${applications}/new`, applications, { name: 'Kept Name', scopes: 'reports:read' }, 'value="Kept Name"'],
    [`${applications}/${application.id}/edit`, undefined, { name: 'Kept Name' }, 'value="Kept Name"'],
    [
      '/people/settings/users/invite',
      '/people/settings/users/invitations',
      { email: 'a@b.example' },
      'a@b.e',
    ],
  ] as const;
  for (const [address, action = address, values, expected] of cases) {
    const { browser, fields } = await expiredForm(user, address);
    const signIn = await browser.submit(action, { ...fields, ...values });
    const { email, password } = user;
    const signedIn = await browser.submitForm(signIn, '/sign_in', { email, password });
    t.equal(signedIn.statusCode, 200, action);
    const form = await browser.submitForm(signedIn, action, {});
    t.equal(form.statusCode, 200, action);
    t.match(form.body, expected, action);
  }
});
