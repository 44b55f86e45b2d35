import type { LightMyRequestResponse } from 'fastify';
import { Sessions } from '../../../src/platform/accounts/sessions.js';
import { Browser, hiddenFields } from '../../support/browser/browser.js';
import { isPage } from '../../support/browser/pages.js';
import {
  accountPath,
  freshAddress,
  invite,
  newPassword,
  usersPath,
} from '../../support/browser/user-pages.js';
import { authorizationRequest, createScene, type Scene, signedInBrowser } from '../../support/oauth/users.js';
import { passkeyOptionsOn } from '../../support/second-factor/software-authenticator.js';
import { addPasskey, enterPassword, setUpApp, stepPath } from '../../support/second-factor/steps.js';
import { linkIn } from '../../support/server/mail-server.js';
import { buildMailingApp } from '../../support/server/mailing-app.js';
import { createSignOnScene, person, start } from '../../support/single-sign-on/scene.js';
import t, { type Test } from '../../support/tap.js';

const { api, mail } = await buildMailingApp(t);
const { app, clock, database } = api;

/** A page, and the form on it that is submitted twice. */
interface Form {
  readonly browser: Browser;
  readonly page: LightMyRequestResponse;
  readonly action: string;
  readonly fields: Record<string, string>;
}

const target = '/people/settings/account?notice=profile_saved';

async function signInForm(fields: Record<string, string>): Promise<Form> {
  const browser = new Browser(app);
  const page = await browser.open(`/sign_in?return_to=${encodeURIComponent(target)}`);
  return { browser, page, action: '/sign_in', fields };
}

async function consentForm(scene: Scene, decision: string): Promise<Form> {
  const browser = await signedInBrowser(api, scene.user);
  const { url } = authorizationRequest(scene);
  return { browser, page: await browser.open(url), action: url, fields: { decision } };
}

async function linkForm(link: string, fields: Record<string, string>): Promise<Form> {
  const browser = new Browser(app);
  return { browser, page: await browser.open(link), action: link, fields };
}

/** Each form, with where its first submission leads. */
const forms: Readonly<Record<string, readonly [(scene: Scene) => Promise<Form>, RegExp]>> = {
  'sign-in': [({ user: { email, password } }) => signInForm({ email, password }), /^\/people\/settings\/acc/],
  'sign-in before the second factor': [
    async ({ user }) => {
      await setUpApp(api, user);
      return signInForm({ email: user.email, password: user.password });
    },
    /^\/sign_in\/second_factor\?return_to=%2Fpeople%2Fsettings/,
  ],
  'second factor': [
    async ({ user }) => {
      const { codes } = await setUpApp(api, user);
      const { browser, page } = await enterPassword(api, user, target);
      return { browser, page, action: stepPath, fields: { code: codes[0] ?? '' } };
    },
    /^\/people\/settings\/account\?/,
  ],
  passkey: [
    async ({ user }) => {
      const { authenticator } = await addPasskey(api, user);
      clock.advanceSeconds(1);
      const { browser, page } = await signInForm({});
      const credential = authenticator.use(passkeyOptionsOn(page.body));
      return { browser, page, action: '/sign_in/passkey', fields: { credential } };
    },
    /^\/people\/settings\/account\?/,
  ],
  'sign-out': [
    async ({ user }) => {
      const browser = await signedInBrowser(api, user);
      return { browser, page: await browser.open('/people'), action: '/sign_out', fields: {} };
    },
    /^\/sign_in$/,
  ],
  Allow: [(scene) => consentForm(scene, 'allow'), /^https:\/\/client\.example\/callback\?code=/],
  Deny: [(scene) => consentForm(scene, 'deny'), /^https:\/\/client\.example\/callback\?error=access_denied/],
  invitation: [
    async ({ user }) => {
      const email = freshAddress();
      await invite(await signedInBrowser(api, user), email);
      const names = { given_name: 'Grace', family_name: 'Hopper' };
      return linkForm(linkIn(await mail.mailTo(email)), { ...names, new_password: newPassword });
    },
    /^\/people\/home\?notice=joined/,
  ],
  password: [
    async ({ user }) => {
      const browser = new Browser(app);
      await browser.submitForm(await browser.open('/forgot_password'), '/forgot_password', {
        email: user.email,
      });
      return linkForm(linkIn(await mail.mailTo(user.email)), { new_password: newPassword });
    },
    /^\/sign_in\?notice=password_set/,
  ],
};

/** Forms that reject a missing token, and the token of another browser. */
const withoutSession = ['sign-in', 'second factor', 'passkey', 'invitation', 'password'];
const { csrf_token: foreign = '' } = hiddenFields((await new Browser(app).open('/sign_in')).body);

/** Submits a form with a token, and expects that it is rejected. */
async function rejected(t: Test, { browser, action, fields }: Form, token: string) {
  const response = await browser.submit(action, { ...fields, csrf_token: token });
  t.equal(response.statusCode, 403, action);
}

for (const [name, [open, leads]] of Object.entries(forms)) {
  const isOpen = withoutSession.includes(name);
  const title = `${name}: ${isOpen ? 'rejects other tokens, and ' : ''}the second submission leads where the first one led`;
  t.test(title, async (t) => {
    const form = await open(await createScene(database));
    const { browser, page, action, fields } = form;
    if (isOpen) for (const token of ['', foreign]) await rejected(t, form, token);
    for (const time of ['first', 'second']) {
      const response = await browser.submitForm(page, action, fields);
      t.equal(response.statusCode, 303, `${time} ${response.body}`);
      t.match(response.headers.location, leads, time);
    }
  });
}

t.test('a confirmed e-mail address is shown again to the browser that confirmed it', async (t) => {
  const { user } = await createScene(database);
  const email = freshAddress();
  const own = await signedInBrowser(api, user);
  const path = `${accountPath}/email`;
  await own.submitForm(await own.open(path), path, { email });
  const { browser, page, action, fields } = await linkForm(linkIn(await mail.mailTo(email)), {});
  for (let time = 0; time < 2; time += 1) {
    const response = await browser.submitForm(page, action, fields);
    isPage(t, response);
    t.match(response.body, 'Address confirmed');
  }
  isPage(t, await new Browser(app).open(action), 404, 'another browser');
});

t.test('a sign-in of another user in a second tab replaces the session', async (t) => {
  const [first, second] = [await createScene(database), await createScene(database)];
  const { browser, page } = await signInForm({});
  for (const { user } of [first, second]) {
    const { email, password } = user;
    t.equal((await browser.submitForm(page, '/sign_in', { email, password })).statusCode, 303);
    t.match((await browser.open('/people')).body, email);
  }
  const wrong = { email: first.user.email, password: 'wrong' };
  isPage(t, await browser.submitForm(page, '/sign_in', wrong), 401);
});

t.test('a return from the identity provider that is sent again says who is signed in', async (t) => {
  const scene = await createSignOnScene(t, api);
  const claims = person(`grace@${scene.domain}`);
  const started = await start(api, scene);
  t.equal((await started.return(claims)).statusCode, 303);
  const again = await started.return(claims);
  t.match(again.body, 'You are already signed in');
  t.match(again.body, claims.email);
});

t.test('the form of an expired session is shown again after a second submission of sign-in', async (t) => {
  const { user } = await createScene(database);
  const { codes } = await setUpApp(api, user);
  const profile = `${accountPath}/profile`;
  const browser = await signedInBrowser(api, user);
  await database.prisma.session.updateMany({ where: { userId: user.id }, data: { secondFactorAt: clock() } });
  const fields = hiddenFields((await browser.open(profile)).body);
  await new Sessions(database, clock).revoke(browser.cookies.get('session') ?? '');
  const signIn = await browser.submit(profile, { ...fields, given_name: 'Grace', family_name: 'Hopper' });
  const { email, password } = user;
  await browser.submitForm(signIn, '/sign_in', { email, password });
  const step = await browser.submitForm(signIn, '/sign_in', { email, password });
  t.match(step.body, 'Second factor');
  for (let time = 0; time < 2; time += 1) {
    const response = await browser.submitForm(step, stepPath, { code: codes[0] ?? '' });
    t.equal(response.statusCode, 200);
    t.match(response.body, 'value="Grace"');
  }
});

t.test('a form of a session rejects the token of a form without one', async (t) => {
  const scene = await createScene(database);
  const { browser, page, fields } = await signInForm({
    email: scene.user.email,
    password: scene.user.password,
  });
  const { csrf_token: visitor = '' } = hiddenFields(page.body);
  t.equal((await browser.submitForm(page, '/sign_in', fields)).statusCode, 303);
  const { url } = authorizationRequest(scene);
  const needSession = [
    { action: url, fields: { decision: 'allow' } },
    { action: '/sign_out', fields: {} },
    { action: `${accountPath}/profile`, fields: { given_name: 'Grace', family_name: 'Hopper' } },
    { action: `${usersPath}/invitations`, fields: { email: freshAddress(), role: 'owner' } },
  ];
  for (const form of needSession) await rejected(t, { browser, page, ...form }, visitor);
  t.equal(await database.prisma.authorizationCode.count({ where: { userId: scene.user.id } }), 0);
});
