import { keyFor } from '../../src/platform/limits/counter.js';
import { Browser, hiddenFields } from '../support/browser/browser.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import { openTestDatabase } from '../support/database/database.js';
import { responseParameters } from '../support/oauth/authorize-responses.js';
import {
  approvalOf,
  approveAs,
  createPublisher,
  createVisitor,
  storeDocument,
  submitApproval,
} from '../support/oauth/installations.js';
import { authorizationRequest, createUser, signedInBrowser } from '../support/oauth/users.js';
import { buildMailingApp } from '../support/server/mailing-app.js';
import t from '../support/tap.js';
import { until } from '../support/until.js';

const database = await openTestDatabase(t);
const { prisma } = database;
const { api, mail } = await buildMailingApp(t, { database });
const { app, clock } = api;

const checkedOn = (html: string) =>
  [...html.matchAll(/<input type="checkbox" name="scopes"[^>]*>/g)]
    .filter(([input]) => / checked/.test(input))
    .map(([input]) => /value="([^"]*)"/.exec(input)?.[1]);
const installationsOf = (accountId: string) =>
  prisma.application.findMany({ where: { accountId, NOT: { installedClientId: null } } });
const requestsOf = (accountId: string) => prisma.approvalRequest.findMany({ where: { accountId } });
const eventsOf = (accountId: string, type: string) =>
  prisma.auditEvent.findMany({ where: { accountId, type }, orderBy: { createdAt: 'asc' } });
const setPolicy = (id: string, applicationPolicy: string) =>
  prisma.account.update({ where: { id }, data: { applicationPolicy } });

t.test(
  'an owner approves a published application, and the authorization request continues to the application',
  async (t) => {
    const publisher = await createPublisher(database, {
      scopes: ['reports:read', 'user:read', 'user:write'],
    });
    const { accountId, user, browser } = await createVisitor(api, 'owner');
    const { authorization, approval } = approvalOf(publisher, { scope: 'reports:read user:read' });
    const first = await browser.open(authorization);
    t.equal(first.statusCode, 302);
    t.equal(first.headers.location, approval);

    const page = await browser.open(approval);
    isPage(t, page);
    t.match(page.body, 'Approve Payroll Sync for your account?');
    t.match(page.body, 'Published by Globex');
    t.match(page.body, '<code>client.example</code>');
    t.match(page.body, user.email);
    t.notMatch(page.body, publisher.user.email);
    t.same(checkedOn(page.body), ['reports:read', 'user:read']);
    t.match(page.body, 'user:write');
    t.notMatch(page.body, 'webhooks:write', 'the application cannot request it');
    t.same(await installationsOf(accountId), [], 'opening the page approves nothing');

    const approved = await submitApproval(browser, page, approval, ['user:read', 'user:write']);
    expectRedirect(t, approved, /^\/v1\/oauth\/authorize\?/);
    t.equal(approved.headers.location, authorization);
    const [installation] = await installationsOf(accountId);
    t.match(installation, {
      installedClientId: publisher.application.clientId,
      name: 'Payroll Sync',
      scopes: ['user:read', 'user:write'],
      requestedScopes: ['reports:read', 'user:read', 'user:write'],
      suspendedAt: null,
    });
    const [event] = await eventsOf(accountId, 'application.approved');
    t.match(event, {
      userId: user.id,
      applicationId: installation?.id,
      details: { name: 'Payroll Sync', client_id: publisher.application.clientId },
    });

    const { url } = authorizationRequest(publisher, { scope: 'user:read' });
    const consent = await browser.open(url);
    t.equal(consent.statusCode, 200, consent.body);
    t.match(consent.body, 'Published by Globex.');
    const allowed = await browser.submitForm(consent, url, { decision: 'allow' });
    t.ok(responseParameters(t, allowed, publisher.redirectUri).get('code'));
    const own = await (await signedInBrowser(api, publisher.user)).open(url);
    t.notMatch(own.body, 'Published by', 'not in the account that has registered it');
  },
);

t.test('names the host of a metadata document, and every scope when the document lists none', async (t) => {
  const clientId = await storeDocument(api, 'https://notes.example/client.json');
  const { browser } = await createVisitor(api, 'admin');
  const { approval } = approvalOf(await createPublisher(database), {
    client_id: clientId,
    scope: 'user:read',
  });
  const page = await browser.open(approval);
  isPage(t, page);
  t.match(page.body, 'Approve Notes &amp; Co for your account?');
  t.match(page.body, 'From notes.example');
  t.same(checkedOn(page.body), ['user:read']);
  t.match(page.body, 'value="webhooks:write"');
  t.notMatch(page.body, 'In development');

  const local = await storeDocument(api, 'https://local.example/client.json', {
    redirectUris: ['http://localhost/callback'],
  });
  const changes = { client_id: local, redirect_uri: 'http://localhost:8080/callback' };
  const { approval: other } = approvalOf(await createPublisher(database), changes);
  t.match((await browser.open(other)).body, 'In development');
});

t.test(
  'both pages that approve an application in development say when the account forbids such applications',
  async (t) => {
    const clientId = await storeDocument(api, 'https://laptop.example/client.json', {
      redirectUris: ['http://localhost/callback', 'http://localhost/other'],
    });
    const publisher = await createPublisher(database);
    const visitor = await createVisitor(api, 'admin');
    const { accountId, browser } = visitor;
    const { browser: member } = await createVisitor(api, 'member', visitor);
    const changes = { client_id: clientId, redirect_uri: 'http://localhost:8080/callback' };
    const { authorization, approval } = approvalOf(publisher, changes);
    const asked = await member.open(approval);
    const request = { ...hiddenFields(asked.body), decision: 'request' };
    expectRedirect(t, await member.submit(approval, request), approval);
    const settings = '/people/settings/oauth_applications';
    const pages = [approval, `${settings}/requests/${encodeURIComponent(clientId)}`];
    const link = `Your account forbids applications in development, so it gets no access until you <a href="${settings}/development">allow them</a>.`;
    for (const path of pages) t.notMatch((await browser.open(path)).body, 'Your account forbids', path);

    await prisma.account.update({ where: { id: accountId }, data: { developmentAllowed: false } });
    for (const path of pages) t.match((await browser.open(path)).body, link, path);
    isPage(t, await browser.open(`${settings}/development`));
    const rejected = await submitApproval(browser, await browser.open(approval), approval, []);
    isPage(t, rejected, 400);
    t.match(rejected.body, link, 'with an error');

    const live = approvalOf(publisher).approval;
    t.notMatch((await browser.open(live)).body, 'Your account forbids', 'an application that is live');
    const page = await browser.open(approval);
    expectRedirect(t, await submitApproval(browser, page, approval, ['user:read']), authorization);
    const denied = responseParameters(t, await browser.open(authorization), changes.redirect_uri);
    t.equal(denied.get('error'), 'access_denied');
  },
);

t.test(
  'rejects an empty selection, a scope that is not offered, and an application that has changed',
  async (t) => {
    const publisher = await createPublisher(database, { scopes: ['reports:read', 'user:read'] });
    const { accountId, browser } = await createVisitor(api, 'owner');
    const { approval } = approvalOf(publisher);
    const page = await browser.open(approval);
    for (const [scopes, message] of [
      [[], 'Choose at least one scope.'],
      [['user:read', 'webhooks:write'], 'Choose from the scopes in the list.'],
      [['admin'], 'Choose from the scopes in the list.'],
    ] as const) {
      const rejected = await submitApproval(browser, page, approval, scopes);
      isPage(t, rejected, 400, message);
      t.match(rejected.body, message);
      t.match(rejected.body, '<title>Error: ');
      t.match(rejected.body, 'href="#scopes"');
    }
    const { shown: _, ...without } = hiddenFields(page.body);
    t.equal((await browser.submit(approval, { ...without, scopes: 'user:read' })).statusCode, 400);

    const redirectUris = ['https://client.example/callback', 'https://evil.example/'];
    await prisma.application.updateMany({ where: { id: publisher.application.id }, data: { redirectUris } });
    const changed = await submitApproval(browser, page, approval, ['user:read']);
    isPage(t, changed, 400);
    t.match(changed.body, 'The application has changed while this page was open.');
    t.match(changed.body, 'evil.example');
    t.same(await installationsOf(accountId), []);
    expectRedirect(t, await submitApproval(browser, changed, approval, ['user:read']), /authorize/);
  },
);

t.test('a form that is submitted twice creates one installation', async (t) => {
  const publisher = await createPublisher(database);
  const { accountId, browser } = await createVisitor(api, 'owner');
  const { approval, authorization } = approvalOf(publisher);
  const page = await browser.open(approval);
  const submit = () => submitApproval(browser, page, approval, ['user:read']);
  for (const response of [...(await Promise.all([submit(), submit()])), await submit()])
    t.equal(response.headers.location, authorization);
  t.equal((await installationsOf(accountId)).length, 1);
  t.equal((await browser.open(approval)).headers.location, authorization, 'nothing is left to approve');
});

t.test('approval needs a recent password, and asking for it does not', async (t) => {
  const publisher = await createPublisher(database);
  const owner = await createVisitor(api, 'owner');
  const member = await createVisitor(api, 'member', owner);
  const { approval, authorization } = approvalOf(publisher);
  const [page, ask] = [await owner.browser.open(approval), await member.browser.open(approval)];
  clock.advanceSeconds(601);
  const asked = await submitApproval(owner.browser, page, approval, ['user:read']);
  isPage(t, asked);
  t.match(asked.body, 'Confirm your password');
  t.same(await installationsOf(owner.accountId), []);
  const wrong = await owner.browser.submitForm(asked, approval, { confirm_password: 'wrong' });
  t.equal(wrong.statusCode, 401);
  t.same(await installationsOf(owner.accountId), []);
  const approved = await owner.browser.submitForm(asked, approval, { confirm_password: owner.user.password });
  t.equal(approved.headers.location, authorization);
  t.match(await installationsOf(owner.accountId), [{ scopes: ['user:read'] }]);

  const other = approvalOf(await createPublisher(database)).approval;
  expectRedirect(t, await member.browser.submit(other, hiddenFields(ask.body)), /^\/approve_application\?/);
  t.equal((await requestsOf(owner.accountId)).length, 1);
});

t.test(
  'rejects a form without the CSRF token, and a query that is not an authorization request',
  async (t) => {
    const publisher = await createPublisher(database);
    const { accountId, browser } = await createVisitor(api, 'owner');
    const { approval } = approvalOf(publisher);
    const page = await browser.open(approval);
    const { csrf_token, ...hidden } = hiddenFields(page.body);
    for (const token of [undefined, '', 'x'.repeat(43)]) {
      const form = { ...hidden, scopes: 'user:read', ...(token !== undefined && { csrf_token: token }) };
      t.equal((await browser.submit(approval, form)).statusCode, 403);
    }
    const queries = [
      '/approve_application',
      approval.replace('S256', 'plain'),
      approval.replace('response_type=code&', ''),
      `${approval}&state=again`,
    ];
    for (const url of queries) {
      t.equal((await browser.open(url)).statusCode, 400, url);
      const form = { ...hidden, csrf_token: csrf_token ?? '', scopes: 'user:read' };
      t.equal((await browser.submit(url, form)).statusCode, 400, url);
    }
    for (const [changes, status] of [
      [{ client_id: 'unknown' }, 401],
      [{ redirect_uri: 'https://evil.example/callback' }, 400],
    ] as const) {
      const rejected = await browser.open(approvalOf(publisher, changes).approval);
      t.equal(rejected.statusCode, status);
      t.notOk('location' in rejected.headers);
    }
    t.same(await installationsOf(accountId), []);
  },
);

t.test('an application that is not published stays unavailable to other accounts', async (t) => {
  const publisher = await createPublisher(database);
  await prisma.sharedApplication.delete({ where: { clientId: publisher.application.clientId } });
  const { accountId, browser } = await createVisitor(api, 'owner');
  const { approval } = approvalOf(publisher);
  const rejected = await browser.open(approval);
  t.equal(rejected.statusCode, 403);
  t.notMatch(rejected.body, 'Globex');
  t.equal((await browser.submitForm(rejected, approval, { decision: 'approve' })).statusCode, 403);
  t.same(await installationsOf(accountId), []);
});

t.test(
  'without a session, the page leads through the sign-in page to the authorization request',
  async (t) => {
    const { approval, authorization } = approvalOf(await createPublisher(database));
    for (const response of [
      await new Browser(app).open(approval),
      await new Browser(app).submit(approval, { decision: 'approve', scopes: 'user:read' }),
    ])
      t.equal(response.headers.location, `/sign_in?return_to=${encodeURIComponent(authorization)}`);
  },
);

t.test(
  'a member asks once; owners and administrators get a mail, and the requester one about the decision',
  async (t) => {
    const publisher = await createPublisher(database);
    const owner = await createVisitor(api, 'owner');
    const { accountId } = owner;
    const admin = await createUser(database, accountId, { role: 'admin' });
    const disabled = await createUser(database, accountId, { role: 'admin' });
    await prisma.user.updateMany({ where: { id: disabled.id }, data: { disabledAt: clock() } });
    const member = await createVisitor(api, 'member', owner);
    const colleague = await createVisitor(api, 'member', owner);
    const { approval } = approvalOf(publisher, { scope: 'user:read unknown:scope' });

    const page = await member.browser.open(approval);
    isPage(t, page);
    t.match(page.body, 'Payroll Sync needs the approval of an administrator');
    t.match(page.body, 'Published by Globex');
    t.match(page.body, '<code>user:read</code>');
    t.notMatch(page.body, 'unknown:scope');
    t.notMatch(page.body, 'type="checkbox"');
    const sent = await member.browser.submit(approval, hiddenFields(page.body));
    expectRedirect(t, sent, /^\/approve_application\?/);
    const after = await member.browser.open(String(sent.headers.location));
    t.match(after.body, '<h1>Request sent</h1>');
    t.notMatch(after.body, 'Ask for approval');
    await member.browser.submit(approval, hiddenFields(page.body));
    await colleague.browser.submit(approval, hiddenFields((await colleague.browser.open(approval)).body));
    t.same((await requestsOf(accountId)).map(({ userId, scopes }) => ({ userId, scopes })).length, 2);
    t.equal((await eventsOf(accountId, 'application.approval_requested')).length, 2);

    for (const { email } of [owner.user, admin]) {
      const { text } = await mail.mailTo(email, /Approval of Payroll Sync requested/);
      t.match(text, member.user.email);
      t.match(text, '/people/settings/oauth_applications#requests');
    }
    const form = await owner.browser.open(approval);
    await submitApproval(owner.browser, form, approval, ['user:read']);
    for (const { user } of [member, colleague]) await mail.mailTo(user.email, /Payroll Sync is approved/);
    const requestMails = mail.mails.filter(({ text }) => /Approval of Payroll Sync requested/.test(text));
    const sentTo = requestMails
      .flatMap(({ to }) => to)
      .filter((to) => [owner.user, admin, disabled].some(({ email }) => email === to));
    t.same(
      sentTo.toSorted(),
      [owner.user.email, admin.email].toSorted(),
      'one mail each, none to a disabled user',
    );
    t.same(await requestsOf(accountId), []);
  },
);

t.test(
  'the policy decides who can ask and approve, also when it changes while the page is open',
  async (t) => {
    const publisher = await createPublisher(database);
    const owner = await createVisitor(api, 'owner');
    const member = await createVisitor(api, 'member', owner);
    const { accountId } = owner;
    const { approval } = approvalOf(publisher);
    const forms = { owner: await owner.browser.open(approval), member: await member.browser.open(approval) };

    await setPolicy(accountId, 'administrators');
    const told = await member.browser.open(approval);
    t.match(told.body, 'An owner or administrator of your account must connect this application first.');
    t.notMatch(told.body, 'Ask for approval');
    t.match((await owner.browser.open(approval)).body, 'type="checkbox"');

    await setPolicy(accountId, 'none');
    for (const { browser } of [owner, member]) {
      const page = await browser.open(approval);
      isPage(t, page);
      t.match(page.body, 'Your account does not allow applications of other accounts.');
      t.equal(page.body.includes('oauth_applications/policy'), browser === owner.browser);
    }
    const refused = await submitApproval(owner.browser, forms.owner, approval, ['user:read']);
    t.equal(refused.headers.location, approval);
    t.equal(
      (await member.browser.submit(approval, hiddenFields(forms.member.body))).headers.location,
      approval,
    );
    t.same(await installationsOf(accountId), []);
    t.same(await requestsOf(accountId), []);
  },
);

t.test('a member cannot approve, and a user who is no longer an administrator cannot either', async (t) => {
  const publisher = await createPublisher(database);
  const admin = await createVisitor(api, 'admin');
  const { accountId, browser, user } = admin;
  const { approval } = approvalOf(publisher);
  const form = await browser.open(approval);
  await prisma.user.updateMany({ where: { id: user.id }, data: { role: 'member' } });
  const response = await submitApproval(browser, form, approval, ['user:read']);
  t.equal(response.headers.location, approval);
  t.same(await installationsOf(accountId), []);
  t.same(await requestsOf(accountId), [], 'the form of an administrator asks for nothing');
});

t.test(
  'an application that has changed shows what has changed, and keeps the approved scopes selected',
  async (t) => {
    const publisher = await createPublisher(database, { scopes: ['reports:read', 'user:read'] });
    const owner = await createVisitor(api, 'owner');
    const member = await createVisitor(api, 'member', owner);
    await approveAs(owner.browser, publisher, ['user:read']);
    await prisma.application.updateMany({
      where: { id: publisher.application.id },
      data: {
        name: 'Payroll Plus',
        redirectUris: [publisher.redirectUri, 'https://new.example/callback'],
        scopes: ['reports:read', 'user:read', 'user:write'],
      },
    });
    const { approval, authorization } = approvalOf(publisher, { scope: 'user:write' });
    t.equal((await owner.browser.open(authorization)).headers.location, approval);
    const page = await owner.browser.open(approval);
    t.match(page.body, 'It was approved with the name Payroll Sync.');
    t.match(page.body, /It can now send users to:.*new\.example/s);
    t.match(page.body, /It can now ask for:.*user:write/s);
    t.same(checkedOn(page.body), ['user:read', 'user:write']);
    t.match((await member.browser.open(approval)).body, 'has changed since your account approved it');
    t.match(await installationsOf(owner.accountId), [{ name: 'Payroll Sync', scopes: ['user:read'] }]);

    const again = await submitApproval(owner.browser, page, approval, ['user:read']);
    t.equal(again.headers.location, authorization);
    t.match(await installationsOf(owner.accountId), [
      { name: 'Payroll Plus', scopes: ['user:read'], suspendedAt: null },
    ]);
    t.equal(
      (await owner.browser.open(approvalOf(publisher).authorization)).statusCode,
      302,
      'reports:read is not approved',
    );
  },
);

t.test('the requests of a user cause mails about at most ten applications an hour', async (t) => {
  const owner = await createVisitor(api, 'owner');
  const member = await createVisitor(api, 'member', owner);
  const counts = { where: { key: keyFor(`mail approval_request user ${member.user.id}`) } };
  const mailed = () => mail.mails.filter(({ to }) => to.includes(owner.user.email)).length;
  for (let count = 0; count < 4; count += 1) {
    const { approval } = approvalOf(await createPublisher(database));
    const page = await member.browser.open(approval);
    expectRedirect(t, await member.browser.submit(approval, hiddenFields(page.body)), approval.slice(0, 20));
    if (count > 0) continue;
    await until(async () => (await prisma.failureCount.findFirst(counts))?.points === 1 && mailed() === 1);
    // The tenth mail is the next one.
    await prisma.failureCount.updateMany({ ...counts, data: { points: 9 } });
  }
  await until(async () => (await prisma.failureCount.findFirst(counts))?.points === 12 && mailed() === 2);
  t.equal(mailed(), 2, 'the first and the tenth');
  t.equal((await requestsOf(owner.accountId)).length, 4, 'all requests are stored');
});

t.test('names of publishers and applications are escaped', async (t) => {
  const hostile = `"><script>alert('x')</script> & Sons`;
  const publisher = await createPublisher(database, { name: hostile, accountName: hostile });
  const owner = await createVisitor(api, 'owner');
  const member = await createVisitor(api, 'member', owner);
  for (const { browser } of [owner, member]) {
    const page = await browser.open(approvalOf(publisher, { state: hostile }).approval);
    isPage(t, page);
    t.notMatch(page.body, /<script/i);
  }
});
