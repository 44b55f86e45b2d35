import type { LightMyRequestResponse } from 'fastify';
import { OAuthApplications } from '../../src/features/oauth-clients/index.js';
import { restrictableAttributes } from '../../src/platform/contract/employee-attributes.js';
import { randomId } from '../../src/platform/database/ids.js';
import { type Browser, hiddenFields } from '../support/browser/browser.js';
import {
  applicationsPath,
  confirm,
  connectedPath,
  expectRedirect,
  isPage,
} from '../support/browser/pages.js';
import { openTestDatabase } from '../support/database/database.js';
import {
  approvalOf,
  approveAs,
  createPublisher,
  createVisitor,
  storeDocument,
  submitApproval,
} from '../support/oauth/installations.js';
import { authorizationRequest, type Scene } from '../support/oauth/users.js';
import { buildMailingApp } from '../support/server/mailing-app.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const { prisma } = database;
const { api, mail } = await buildMailingApp(t, { database });
const { clock } = api;

const policyPath = `${applicationsPath}/policy`;
const requestPath = (clientId: string) => `${applicationsPath}/requests/${encodeURIComponent(clientId)}`;
const eventsOf = (accountId: string, type: string) =>
  prisma.auditEvent.findMany({ where: { accountId, type }, orderBy: { createdAt: 'asc' } });
const installationOf = (accountId: string) =>
  prisma.application.findFirstOrThrow({ where: { accountId, NOT: { installedClientId: null } } });
const installations = (accountId: string) =>
  prisma.application.count({ where: { accountId, NOT: { installedClientId: null } } });

/** A user asks for an application on the page of an authorization request. */
async function ask(browser: Browser, publisher: Scene, changes: Record<string, string> = {}): Promise<void> {
  const { approval } = approvalOf(publisher, changes);
  const sent = await browser.submit(approval, hiddenFields((await browser.open(approval)).body));
  if (sent.statusCode !== 303) throw new Error(`${sent.statusCode} ${sent.body}`);
}

/** An account that has approved an application of another one. */
async function installed(
  options: Parameters<typeof createPublisher>[1] = {},
  scopes: readonly string[] = ['reports:read', 'user:read'],
) {
  const publisher = await createPublisher(database, options);
  const owner = await createVisitor(api, 'owner');
  await approveAs(owner.browser, publisher, scopes);
  const application = await installationOf(owner.accountId);
  return { ...owner, publisher, application, path: `${applicationsPath}/${application.id}` };
}

/** Submits the form that edits an application, with these scopes and attributes. */
async function edit(
  browser: Browser,
  path: string,
  {
    scopes,
    attributes = restrictableAttributes,
    more = [],
  }: { scopes: readonly string[]; attributes?: readonly string[]; more?: string[][] },
) {
  const page = await browser.open(`${path}/edit`);
  return browser.submit(`${path}/edit`, [
    ...Object.entries(hiddenFields(page.body)),
    ...scopes.map((scope) => ['scopes', scope]),
    ...attributes.map((attribute) => ['attributes', attribute]),
    ...more,
  ]);
}

const connect = async (browser: Browser, publisher: Scene): Promise<LightMyRequestResponse> => {
  const { url } = authorizationRequest(publisher, { scope: 'user:read' });
  return browser.submitForm(await browser.open(url), url, { decision: 'allow' });
};

t.test('an administrator approves a request from the settings', async (t) => {
  const publisher = await createPublisher(database, { name: 'Payroll & Co' });
  const admin = await createVisitor(api, 'admin');
  const member = await createVisitor(api, 'member', admin);
  await ask(member.browser, publisher);
  const { clientId } = publisher.application;
  const list = await admin.browser.open(applicationsPath);
  isPage(t, list);
  t.match(list.body, /<section id="requests">/);
  t.match(list.body, 'Payroll &amp; Co');
  t.match(list.body, 'Published by Globex');
  t.match(list.body, member.user.email);
  t.match(list.body, `href="${requestPath(clientId)}"`);

  const page = await admin.browser.open(requestPath(clientId));
  isPage(t, page);
  t.match(page.body, 'Approve Payroll &amp; Co for your account?');
  t.match(page.body, /value="user:read" checked/);
  const empty = await submitApproval(admin.browser, page, requestPath(clientId), []);
  isPage(t, empty, 400);
  t.match(empty.body, 'Choose at least one scope.');
  t.equal((await submitApproval(admin.browser, page, requestPath(clientId), ['admin'])).statusCode, 400);
  clock.advanceSeconds(601);
  const asked = await submitApproval(admin.browser, page, requestPath(clientId), ['user:read']);
  t.match(asked.body, 'Confirm your password');
  t.equal(await installations(admin.accountId), 0);
  const approved = await admin.browser.submitForm(asked, requestPath(clientId), {
    confirm_password: admin.user.password,
  });
  expectRedirect(t, approved, /\?notice=application_approved$/);
  const application = await installationOf(admin.accountId);
  t.same(application.scopes, ['user:read']);
  t.match(await eventsOf(admin.accountId, 'application.approved'), [{ userId: admin.user.id }]);
  await mail.mailTo(member.user.email, /Payroll & Co is approved/);

  t.equal((await admin.browser.open(requestPath(clientId))).statusCode, 404, 'nothing is left to approve');
  const again = await submitApproval(admin.browser, page, requestPath(clientId), ['reports:read']);
  t.equal(again.statusCode, 404);
  t.same((await installationOf(admin.accountId)).scopes, ['user:read']);
});

t.test('the client ID of a metadata document is encoded in the path of its request', async (t) => {
  const clientId = await storeDocument(api, `https://notes.example/${randomId()}/client.json?a=1`);
  const owner = await createVisitor(api, 'owner');
  const member = await createVisitor(api, 'member', owner);
  await ask(member.browser, await createPublisher(database), { client_id: clientId });
  const page = await owner.browser.open(requestPath(clientId));
  isPage(t, page);
  t.match(page.body, 'From notes.example');
  const approved = await submitApproval(owner.browser, page, requestPath(clientId), ['user:read']);
  expectRedirect(t, approved, /application_approved/);
  const overview = await owner.browser.open(String(approved.headers.location));
  isPage(t, overview);
  t.match(overview.body, /<dt>From<\/dt><dd>notes\.example</);
  t.match(overview.body, clientId);
});

t.test('a declined request is final, and its users get a mail', async (t) => {
  const publisher = await createPublisher(database);
  const owner = await createVisitor(api, 'owner');
  const member = await createVisitor(api, 'member', owner);
  await ask(member.browser, publisher);
  const { accountId, browser } = owner;
  const action = `${requestPath(publisher.application.clientId)}/decline`;
  t.equal((await browser.submit(action, {})).statusCode, 403, 'without the CSRF token');
  t.equal(await prisma.approvalRequest.count({ where: { accountId, declinedAt: null } }), 1);

  const list = await browser.open(applicationsPath);
  expectRedirect(t, await browser.submitForm(list, action, {}), /approval_declined/);
  expectRedirect(t, await browser.submitForm(list, action, {}), /approval_decided/, 'again');
  t.equal((await eventsOf(accountId, 'application.approval_declined')).length, 1);
  t.notMatch((await browser.open(applicationsPath)).body, 'id="requests"');
  await mail.mailTo(member.user.email, /Payroll Sync is not approved/);
  const { approval } = approvalOf(publisher);
  const page = await member.browser.open(approval);
  t.match(page.body, 'The request was declined.');
  t.notMatch(page.body, 'Ask for approval');
  t.equal((await browser.open(requestPath(publisher.application.clientId))).statusCode, 404);
});

t.test('requests and installations of another account are not found', async (t) => {
  const { path, publisher, accountId } = await installed();
  const other = await createVisitor(api, 'owner');
  const member = await createVisitor(api, 'member', other);
  const stranger = await createVisitor(api, 'owner');
  const pending = await createPublisher(database);
  await ask(member.browser, pending);
  t.notMatch((await stranger.browser.open(applicationsPath)).body, 'id="requests"');
  const token = { csrf_token: hiddenFields((await stranger.browser.open(policyPath)).body).csrf_token ?? '' };
  for (const clientId of [pending.application.clientId, publisher.application.clientId, 'unknown', '%00']) {
    t.equal((await stranger.browser.open(requestPath(clientId))).statusCode, 404, clientId);
    t.equal((await stranger.browser.submit(requestPath(clientId), token)).statusCode, 404, clientId);
  }
  await stranger.browser.submit(`${requestPath(pending.application.clientId)}/decline`, token);
  const where = { accountId: other.accountId, declinedAt: null };
  t.equal(await prisma.approvalRequest.count({ where }), 1, 'not declined');
  for (const below of ['', '/edit', '/delete', '/revoke_access', '/usage', '/requests'])
    t.equal((await stranger.browser.open(`${path}${below}`)).statusCode, 404, below);
  t.equal((await stranger.browser.submit(`${path}/delete`, token)).statusCode, 404);
  t.equal(await installations(accountId), 1);
});

t.test('members see neither requests nor the policy', async (t) => {
  const { accountId, user, browser } = await createVisitor(api, 'member');
  const token = { csrf_token: hiddenFields((await browser.open(connectedPath)).body).csrf_token ?? '' };
  const publisher = await createPublisher(database);
  await ask(browser, publisher);
  const { clientId } = publisher.application;
  for (const path of [policyPath, requestPath(clientId), `${requestPath(clientId)}/decline`]) {
    t.equal((await browser.open(path)).statusCode, 403, path);
    t.equal((await browser.submit(path, { ...token, policy: 'none', scopes: 'user:read' })).statusCode, 403);
  }
  t.match(await prisma.approvalRequest.findMany({ where: { accountId } }), [
    { userId: user.id, declinedAt: null },
  ]);
});

t.test('the policy is a setting with a recent password; "requests" is the default', async (t) => {
  const { accountId, browser, user } = await createVisitor(api, 'admin');
  const member = await createVisitor(api, 'member', { accountId });
  const publisher = await createPublisher(database);
  await ask(member.browser, publisher);
  const page = await browser.open(policyPath);
  isPage(t, page);
  t.match(page.body, /id="policy_requests"[^>]* checked/);
  const stored = async () =>
    (await prisma.account.findUniqueOrThrow({ where: { id: accountId } })).applicationPolicy;
  for (const policy of ['', 'all'])
    isPage(t, await browser.submitForm(page, policyPath, { policy }), 400, policy);
  clock.advanceSeconds(601);
  const asked = await browser.submitForm(page, policyPath, { policy: 'administrators' });
  t.match(asked.body, 'Confirm your password');
  t.equal(await stored(), 'requests');
  const saved = await browser.submitForm(asked, policyPath, { confirm_password: user.password });
  expectRedirect(t, saved, /application_policy_saved/);
  t.equal(await stored(), 'administrators');
  t.equal(await prisma.approvalRequest.count({ where: { accountId } }), 0);
  t.match(await eventsOf(accountId, 'account.application_policy_changed'), [
    { userId: user.id, details: { from: 'requests', to: 'administrators' } },
  ]);
  t.match((await browser.open(applicationsPath)).body, 'Only owners and administrators');
});

t.test('the policy "none" does not approve a request whose page was open', async (t) => {
  const publisher = await createPublisher(database);
  const owner = await createVisitor(api, 'owner');
  const { accountId, browser } = owner;
  const member = await createVisitor(api, 'member', owner);
  await ask(member.browser, publisher);
  const path = requestPath(publisher.application.clientId);
  const page = await browser.open(path);
  await prisma.account.update({ where: { id: accountId }, data: { applicationPolicy: 'none' } });
  expectRedirect(t, await submitApproval(browser, page, path, ['user:read']), /approval_forbidden/);
  t.equal(await installations(accountId), 0);
});

t.test('an installation has the pages of an application, but no credentials', async (t) => {
  for (const clientType of ['public', 'confidential'] as const) {
    const { browser, path, publisher, application, accountId } = await installed({ clientType });
    const overview = await browser.open(path);
    isPage(t, overview);
    t.match(overview.body, /<dt>Published by<\/dt><dd>Globex</);
    t.match(overview.body, publisher.application.clientId);
    t.notMatch(overview.body, application.clientId, 'the internal client ID is not shown');
    t.match(overview.body, 'Approved scopes');
    t.match(overview.body, '<code>client.example</code>');
    t.match(overview.body, 'Remove application');
    t.notMatch(overview.body, 'Credentials');
    t.match((await browser.open(applicationsPath)).body, 'Other account');
    for (const tab of ['usage', 'requests']) isPage(t, await browser.open(`${path}/${tab}`), 200, tab);
    const webhooks = clientType === 'confidential' ? 200 : 404;
    t.equal((await browser.open(`${path}/webhooks`)).statusCode, webhooks);
    t.equal((await browser.open(`${path}/credentials`)).statusCode, 404);
    const created = await browser.submit(`${path}/secrets`, hiddenFields(overview.body));
    t.equal(created.statusCode, 404);
    t.equal(await prisma.applicationSecret.count({ where: { accountId, applicationId: application.id } }), 0);
  }
});

t.test(
  'only the approved scopes and the readable attributes of an installation can be changed',
  async (t) => {
    const { browser, path, publisher, application, accountId } = await installed({
      scopes: ['reports:read', 'user:read', 'user:write'],
    });
    const page = await browser.open(`${path}/edit`);
    isPage(t, page);
    t.notMatch(page.body, 'textarea');
    t.notMatch(page.body, 'webhooks:write');
    const more = [
      ['name', 'Evil'],
      ['redirect_uris', 'https://evil.example/'],
      ['in_development', 'yes'],
      ['require_client_secret', 'yes'],
    ];
    const scopes = ['user:read', 'user:write'];
    expectRedirect(
      t,
      await edit(browser, path, { scopes, attributes: ['hire_date'], more }),
      /application_updated/,
    );
    t.match(await installationOf(accountId), {
      name: 'Payroll Sync',
      redirectUris: [publisher.redirectUri],
      scopes,
      readableAttributes: ['hire_date'],
      inDevelopment: false,
      requireClientSecret: false,
      requireProofOfPossession: false,
      requirePushedRequests: false,
    });
    t.match(await eventsOf(accountId, 'application.updated'), [
      {
        applicationId: application.id,
        details: {
          scopes_added: ['user:write'],
          scopes_removed: ['reports:read'],
          readable_attributes_removed: ['job_title', 'location', 'termination_date', 'manager_id'],
        },
      },
    ]);
    for (const refused of [[], ['user:read', 'webhooks:write'], ['admin']])
      isPage(t, await edit(browser, path, { scopes: refused }), 400, refused.join(' '));
    const unknown = await edit(browser, path, { scopes, attributes: ['hire_date', 'salary'] });
    isPage(t, unknown, 400);
    t.match(unknown.body, '<a href="#attributes">Choose from the attributes in the list.</a>');
    t.match(await installationOf(accountId), { scopes, readableAttributes: ['hire_date'] });
    const where = { id: publisher.application.id };
    t.equal(
      (await prisma.application.findFirstOrThrow({ where })).name,
      'Payroll Sync',
      'not the published one',
    );
  },
);

t.test(
  'the service rejects other changes of an installation, and scopes that it does not request',
  async (t) => {
    const { accountId, application, user } = await installed({ scopes: ['reports:read', 'user:read'] });
    const { id, name, redirectUris, scopes, requireClientSecret, inDevelopment } = application;
    const { requireProofOfPossession, requirePushedRequests, postLogoutRedirectUris } = application;
    const { readableAttributes } = application;
    const stored = {
      name,
      redirectUris,
      postLogoutRedirectUris,
      scopes,
      readableAttributes,
      requireClientSecret,
      requireProofOfPossession,
      requirePushedRequests,
      backchannelLogoutUri: null,
      inDevelopment,
    };
    const origin = { address: '127.0.0.1', requestId: 'test' };
    const context = { accountId, userId: user.id, origin, at: clock() };
    const service = new OAuthApplications(database);
    for (const changes of [
      { name: 'Evil' },
      { redirectUris: ['https://evil.example/'] },
      { inDevelopment: true },
      { backchannelLogoutUri: 'https://evil.example/' },
      { scopes: [] },
      { scopes: ['user:read', 'user:write'] },
      { scopes: ['user:read'], name: 'Evil' },
      { readableAttributes: [], name: 'Evil' },
    ])
      t.equal(
        await service.update(context, { id, settings: { ...stored, ...changes } }),
        'not_permitted',
        JSON.stringify(changes),
      );
    t.match(await installationOf(accountId), stored);
    t.same(await eventsOf(accountId, 'application.updated'), []);
  },
);

t.test('a suspended installation is marked, and approved again from its page', async (t) => {
  const { browser, path, publisher, accountId, user } = await installed();
  t.match(String((await connect(browser, publisher)).headers.location), /[?&]code=/);
  const grant = await prisma.authorizationCode.findFirstOrThrow({ where: { accountId } });
  const grantId = randomId();
  await prisma.grant.create({
    data: {
      id: grantId,
      accountId,
      userId: user.id,
      applicationId: grant.applicationId,
      scopes: ['user:read'],
    },
  });
  await prisma.refreshToken.create({
    data: {
      ...{ accountId, grantId, tokenHash: Buffer.from(randomId(32)) },
      expiresAt: new Date(clock().getTime() + 3_600_000),
    },
  });
  t.notMatch((await browser.open(connectedPath)).body, 'Suspended');
  await prisma.application.updateMany({
    where: { id: publisher.application.id },
    data: { name: 'Payroll Plus' },
  });
  await browser.open(approvalOf(publisher).authorization);
  t.equal((await eventsOf(accountId, 'application.suspended')).length, 1);
  t.match((await browser.open(applicationsPath)).body, 'Suspended');
  t.match((await browser.open(connectedPath)).body, 'Suspended');
  const overview = await browser.open(path);
  t.match(overview.body, 'Its tokens are rejected');
  const address = requestPath(publisher.application.clientId);
  t.match(overview.body, `href="${address}"`);
  const page = await browser.open(address);
  t.match(page.body, 'It was approved with the name Payroll Sync.');
  t.match(page.body, `href="${path}"`);
  expectRedirect(t, await submitApproval(browser, page, address, ['user:read']), path);
  t.match(await installationOf(accountId), {
    suspendedAt: null,
    name: 'Payroll Plus',
    scopes: ['user:read'],
  });
});

t.test('an installation is removed with its grants, and the published application stays', async (t) => {
  const { browser, path, publisher, accountId } = await installed();
  await connect(browser, publisher);
  const page = await browser.open(`${path}/delete`);
  t.match(page.body, 'Remove Payroll Sync from your account?');
  t.notMatch(page.body, 'client secret');
  expectRedirect(t, await confirm(browser, `${path}/delete`), /application_removed/);
  t.equal(await installations(accountId), 0);
  t.equal(await prisma.authorizationCode.count({ where: { accountId } }), 0);
  t.ok(await prisma.sharedApplication.findUnique({ where: { clientId: publisher.application.clientId } }));
  t.equal(
    (await browser.open(approvalOf(publisher).authorization)).statusCode,
    302,
    'it must be approved again',
  );
});

t.test(
  'a published application says so, warns before deletion and cannot be put in development',
  async (t) => {
    const { browser: user, publisher, accountId } = await installed();
    const { browser } = await createVisitor(api, 'owner', publisher);
    const path = `${applicationsPath}/${publisher.application.id}`;
    t.match((await browser.open(path)).body, 'Other accounts can use it.');
    const form = await browser.open(`${path}/edit`);
    const fields = [
      ...Object.entries(hiddenFields(form.body)),
      ['name', 'Payroll Sync'],
      ['redirect_uris', publisher.redirectUri],
      ['scopes', 'user:read'],
      ['in_development', 'yes'],
    ];
    const rejected = await browser.submit(`${path}/edit`, fields);
    isPage(t, rejected, 400);
    t.match(rejected.body, 'A published application cannot be in development.');
    const where = { id: publisher.application.id };
    t.equal((await prisma.application.findFirstOrThrow({ where })).inDevelopment, false);

    t.match((await browser.open(`${path}/delete`)).body, 'all accounts that use it lose it');
    expectRedirect(t, await confirm(browser, `${path}/delete`), /application_deleted/);
    t.equal(await installations(accountId), 0);
    t.equal((await user.open(approvalOf(publisher).authorization)).statusCode, 401);
  },
);
