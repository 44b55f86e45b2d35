import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ClientCredentials } from '../../src/features/oauth-clients/client-credentials.js';
import { DevelopmentPolicy } from '../../src/features/oauth-clients/development-policy.js';
import { OAuthApplications } from '../../src/features/oauth-clients/oauth-applications.js';
import { replaceRecoveryCodes } from '../../src/features/second-factors/recovery-codes.js';
import { KnownBrowsers } from '../../src/features/sign-in/known-browsers.js';
import { UserAdministration } from '../../src/features/users/user-administration.js';
import { Grants } from '../../src/oauth/grants/grants.js';
import { insertLink, type LinkTarget } from '../../src/platform/accounts/one-time-links.js';
import { randomId } from '../../src/platform/database/ids.js';
import { linkPaths } from '../../src/platform/mail/link-delivery.js';
import { packageRoot } from '../../src/platform/package-root.js';
import { Browser } from '../support/browser/browser.js';
import { accountPath, newPassword } from '../support/browser/user-pages.js';
import { openTestDatabase } from '../support/database/database.js';
import {
  createUser,
  grantCode,
  grantTokens,
  refresh,
  revoke,
  signedInBrowser,
  type TestUser,
  tokensOf,
} from '../support/oauth/users.js';
import { sendJson } from '../support/records/send-json.js';
import { buildTestApp, testSecrets } from '../support/server/app.js';
import { createTestSecurityEmails } from '../support/server/test-security-emails.js';
import { type Claims, clientSecret, startFakeProvider } from '../support/single-sign-on/fake-provider.js';
import {
  createSignOnScene,
  person,
  type SignOnScene,
  signedInUser,
  start,
} from '../support/single-sign-on/scene.js';
import t, { type Test } from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '0' } });
const { app, clock } = api;
const { prisma } = database;
const securityEmails = createTestSecurityEmails(database, clock);
const users = new UserAdministration(database, securityEmails);
const origin = { address: '192.0.2.1', requestId: 'request' };
const singleSignOnPath = '/people/settings/single_sign_on';

const knownBrowsers = new KnownBrowsers({ appSecrets: testSecrets, baseUrl: api.config.baseUrl, clock });

/** The cookie of a browser in which a user has signed in. */
function knownBrowserOf(email: string): { cookies: Record<string, string> } {
  const cookies: Record<string, string> = {};
  const setCookie = (name: string, value: string) => {
    cookies[name] = value;
  };
  const request = { cookies } as unknown as FastifyRequest;
  knownBrowsers.remember(request, { setCookie } as unknown as FastifyReply, email);
  return { cookies };
}

/** A browser in which a user has signed in with single sign-on. */
async function signedInAtProvider(
  { accountId, idp: { issuer } }: SignOnScene,
  user: TestUser,
  { sub }: Claims,
): Promise<Browser> {
  await prisma.userIdentity.create({ data: { accountId, userId: user.id, issuer, subject: String(sub) } });
  return signedInBrowser(api, user, { issuer, secondFactor: true });
}

/** An account with a user who has access in every way, and another owner, who signs in with single sign-on. */
async function arrange(t: Test) {
  const scene = await createSignOnScene(t, api, { clientType: 'confidential' });
  const { accountId, application, user: owner } = scene;
  const subject = await createUser(database, accountId, { role: 'admin' });
  const identity = person(subject.email);
  const [ownerBrowser, signedIn] = [
    await signedInAtProvider(scene, owner, person(owner.email)),
    await signedInAtProvider(scene, subject, identity),
  ];
  const password = await signedInBrowser(api, subject);
  const inProgress = await start(api, scene);
  const tokens = { current: await grantTokens(api, { ...scene, user: subject }) };
  const { form } = await grantCode(api, { ...scene, user: subject });
  const ownToken = await api.token(application);
  const body = { url: 'https://partner.example/hook' };
  const endpoint = await sendJson(api, { url: '/v1/webhook_endpoints', token: ownToken, body });
  const { id: endpointId } = endpoint.json().data;
  const at = clock();
  const link = async (target: LinkTarget, createdById: string) => {
    const values = { target, accountId, createdById, mailed: true, at, lifetimeSeconds: 3600 };
    const token = await prisma.$transaction((tx) => insertLink(tx, values));
    return `${linkPaths[target.purpose]}/${token}`;
  };
  const target = { email: subject.email, userId: subject.id };
  const passwordLink = () => link({ purpose: 'password', ...target }, owner.id);
  const links = [
    await passwordLink(),
    await link({ purpose: 'email', ...target, email: `${randomId()}@users.example` }, subject.id),
    await link({ purpose: 'invitation', email: `${randomId()}@users.example`, role: 'member' }, subject.id),
  ] as const;
  const ssoStateCookie = knownBrowserOf(subject.email) as unknown as FastifyRequest;

  const isOpen = async (address: string) => (await new Browser(app).open(address)).statusCode === 200;
  const isSignedIn = async (browser: Browser) => (await signedInUser(browser)) !== null;
  const isAccepted = async (token: string) => (await api.get('/v1/employees', token)).statusCode === 200;
  /** Whether each still gives access. Some are consumed. */
  const channels: Readonly<Record<string, () => Promise<boolean>>> = {
    'Sessions with a password': () => isSignedIn(password),
    'Sessions with single sign-on': () => isSignedIn(signedIn),
    'Sign-ins in progress at the identity provider': async () => {
      await inProgress.return(identity);
      return await isSignedIn(inProgress.browser);
    },
    'Authorization codes': async () => (await api.postForm('/v1/oauth/token', form)).statusCode === 200,
    'Access tokens of users': () => isAccepted(tokens.current.accessToken),
    'Refresh tokens': async () =>
      (await refresh(api, application, tokens.current.refreshToken)).statusCode === 200,
    'Access tokens of the application': () => isAccepted(ownToken),
    'Webhook endpoints': async () => {
      const where = { accountId, id: endpointId, pausedAt: null };
      return (await prisma.webhookEndpoint.count({ where })) > 0;
    },
    'Password links': () => isOpen(links[0]),
    'E-mail links': () => isOpen(links[1]),
    Invitations: () => isOpen(links[2]),
    'Known browsers': async () => knownBrowsers.find(ssoStateCookie, subject.email) !== null,
  };
  return { ...scene, subject, tokens, channels, passwordLink, ownerBrowser };
}

type Scene = Awaited<ReturnType<typeof arrange>>;

const byOwner = ({ accountId, user }: Scene) => ({ accountId, userId: user.id, origin, at: clock() });
const bySubject = ({ accountId, subject }: Scene) => ({ accountId, userId: subject.id, origin, at: clock() });

/** Submits a form of a settings page as the owner. */
async function submit(
  { ownerBrowser }: Scene,
  { page = singleSignOnPath, action = page }: { page?: string; action?: string },
  fields: Record<string, string>,
) {
  const shown = await ownerBrowser.open(page);
  for (const name of Object.keys(fields))
    if (!shown.body.includes(` name="${name}"`)) throw new Error(`No field ${name}: ${shown.body}`);
  const response = await ownerBrowser.submitForm(shown, action, fields);
  if (response.statusCode !== 303) throw new Error(`${response.statusCode} ${response.body}`);
}

/** The events, by their names in SECURITY.md. `choice` has the checkbox of the page. */
const events: Readonly<Record<string, (scene: Scene, choice: Record<string, string>) => Promise<unknown>>> = {
  'A new password under My account': async (scene, choice) => {
    const browser = await signedInBrowser(api, scene.subject);
    const passwords = { current_password: scene.subject.password, new_password: newPassword };
    const applications = 'revoke_grants' in choice ? { sign_out_applications: 'yes' } : {};
    const path = `${accountPath}/password`;
    await browser.submitForm(await browser.open(path), path, { ...passwords, ...applications });
  },
  'A new password with a link': async ({ passwordLink }) => {
    const link = await passwordLink();
    const browser = new Browser(app);
    await browser.submitForm(await browser.open(link), link, { new_password: newPassword });
  },
  'A new password set by the operator': ({ accountId, subject }) =>
    users.setPassword({ accountId, at: clock() }, subject.id, newPassword),
  'Sign-out of all browsers': (scene) => users.revokeSessions(byOwner(scene), scene.subject.id),
  'User disabled': (scene) => users.disable(byOwner(scene), scene.subject.id),
  'Role lowered': (scene) => users.setRole(byOwner(scene), scene.subject.id, 'member'),
  'Second factor required': (scene, choice) =>
    submit(scene, { page: '/people/settings/security' }, { second_factor: 'all', ...choice }),
  'Second factor removed for a user': async (scene) => {
    const { accountId, subject } = scene;
    await prisma.passkey.create({
      data: {
        ...{ id: randomId(), accountId, userId: subject.id, credentialId: Buffer.from(subject.id) },
        ...{ publicKey: Buffer.from('key'), signCount: 0, name: 'Key' },
      },
    });
    await users.removeSecondFactors(byOwner(scene), subject.id);
  },
  'Only single sign-on': async (scene, choice) => {
    const { accountId, user } = scene;
    await prisma.$transaction((tx) => replaceRecoveryCodes(tx, { accountId, userId: user.id }));
    await submit(scene, { action: `${singleSignOnPath}/only` }, { only: 'on', ...choice });
  },
  'Issuer of the identity provider replaced': async (scene, choice) => {
    const { issuer } = await startFakeProvider(t);
    await submit(scene, {}, { issuer, client_id: 'people', client_secret: clientSecret, ...choice });
  },
  'Identity provider removed': (scene, choice) =>
    submit(scene, { page: `${singleSignOnPath}/remove` }, choice),
  'Link of a user with the identity provider removed': (scene) =>
    users.unlinkIdentity(byOwner(scene), scene.subject.id),
  'All access of an application revoked': (scene) =>
    new OAuthApplications(database).revokeAccess(byOwner(scene), scene.application.id),
  'Applications in development forbidden': async (scene) => {
    const where = { id: scene.application.id };
    await prisma.application.updateMany({ where, data: { inDevelopment: true } });
    await new DevelopmentPolicy(database).set(byOwner(scene), false);
  },
  'Client secret replaced': async (scene) => {
    const { accountId, application } = scene;
    const where = { accountId, applicationId: application.id };
    const { id: secretId } = await prisma.applicationSecret.findFirstOrThrow({ where });
    const credentials = new ClientCredentials(database);
    await credentials.createSecret(byOwner(scene), {
      applicationId: application.id,
      nonce: randomId(),
      expiresAt: null,
    });
    await credentials.revokeSecret(byOwner(scene), { applicationId: application.id, secretId });
  },
  'Application deleted': (scene) =>
    new OAuthApplications(database).delete(byOwner(scene), scene.application.id),
  'Application disconnected by the user': (scene) =>
    new Grants(database).disconnect(bySubject(scene), scene.application.id),
  'Permissions of an application removed by the user': (scene) =>
    new Grants(database).removeScopes(bySubject(scene), {
      applicationId: scene.application.id,
      scopes: ['user:read'],
      expected: ['reports:read', 'user:read'],
    }),
  'Application disconnected by an owner or administrator': (scene) =>
    users.disconnect(byOwner(scene), scene.subject.id, scene.application.id),
  'Refresh token used again after its successor': async ({ application, tokens }) => {
    const { refreshToken } = tokens.current;
    const successor = tokensOf(await refresh(api, application, refreshToken));
    tokens.current = tokensOf(await refresh(api, application, successor.refreshToken));
    await refresh(api, application, refreshToken);
  },
  'Refresh token revoked by the application': async ({ application, tokens }) => {
    const { clientSecret: secret } = application;
    await revoke(api, application, tokens.current.refreshToken, { client_secret: secret });
  },
};

const section = readFileSync(path.join(packageRoot, 'SECURITY.md'), 'utf8')
  .split('## What revokes access')[1]
  ?.split('\n## ')[0];
const [header = [], , ...rows] = [...(section ?? '').matchAll(/^\|(.*)\|$/gm)].map(([, cells = '']) =>
  cells.split('|').map((cell) => cell.trim()),
);
const [, ...columns] = header;

t.test('the table has every event, and a reason for all that is kept', async (t) => {
  t.same(
    rows.map(([event]) => event),
    Object.keys(events),
  );
  const reasons = new Set([...(section ?? '').matchAll(/^- \((.)\) /gm)].map(([, letter]) => letter));
  const cells = rows.flatMap(([, ...cells]) => cells);
  for (const cell of cells) t.match(cell, /^(revoked( \(.\))?|on request|kept \(.\))$/);
  t.same(reasons, new Set(cells.flatMap((cell) => /\((.)\)/.exec(cell)?.[1] ?? [])));
});

for (const [event = '', ...cells] of rows) {
  const choices = cells.includes('on request') ? [{}, { revoke_grants: 'yes' }] : [{}];
  for (const choice of choices) {
    const withGrants = 'revoke_grants' in choice;
    t.test(`${event}${withGrants ? ', with the checkbox' : ''}: revokes what SECURITY.md says`, async (t) => {
      const scene = await arrange(t);
      t.same(columns, Object.keys(scene.channels));
      await events[event]?.(scene, choice);
      const expected = cells.map((cell) => cell.startsWith('kept') || (cell === 'on request' && !withGrants));
      const actual: boolean[] = [];
      for (const isValid of Object.values(scene.channels)) actual.push(await isValid());
      const named = (valid: readonly boolean[]) =>
        Object.fromEntries(columns.map((column, index) => [column, valid[index] ? 'kept' : 'revoked']));
      t.same(named(actual), named(expected));
    });
  }
}

t.test('all of it gives access before an event', async (t) => {
  const { channels } = await arrange(t);
  for (const [name, isValid] of Object.entries(channels)) t.ok(await isValid(), name);
});
