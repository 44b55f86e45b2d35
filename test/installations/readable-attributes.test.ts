import { hiddenFields } from '../support/browser/browser.js';
import { applicationsPath, expectRedirect, isPage } from '../support/browser/pages.js';
import {
  approvalOf,
  approveAs,
  createPublisher,
  createVisitor,
  submitApproval,
} from '../support/oauth/installations.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { clock, database } = api;
const { prisma } = database;

const scopes = ['reports:read', 'user:read'];

const chosenOn = (html: string) =>
  [...html.matchAll(/<input type="checkbox" name="attributes" value="([^"]*)" checked/g)].map(
    ([, name]) => name,
  );
const installationOf = (accountId: string) =>
  prisma.application.findFirstOrThrow({ where: { accountId, NOT: { installedClientId: null } } });
const suspend = async (accountId: string) =>
  prisma.application.updateMany({
    where: { accountId, NOT: { installedClientId: null } },
    data: { suspendedAt: clock() },
  });
const approvalDetails = async (accountId: string) => {
  const where = { accountId, type: 'application.approved' };
  const events = await prisma.auditEvent.findMany({ where, orderBy: { createdAt: 'asc' } });
  return events.map(({ details }) => details);
};

t.test(
  'the account that approves an application chooses the attributes that it may read there',
  async (t) => {
    const publisher = await createPublisher(database, { scopes });
    const { approval, authorization } = approvalOf(publisher);
    for (const [attributes, stored] of [
      [[], []],
      [
        ['hire_date', 'job_title', 'job_title'],
        ['job_title', 'hire_date'],
      ],
    ] as const) {
      const { accountId, browser } = await createVisitor(api, 'owner');
      const page = await browser.open(approval);
      t.match(page.body, 'Attributes of employees that it may read</legend>');
      t.same(chosenOn(page.body), [], 'at first nothing is selected');
      const approved = await submitApproval(browser, page, approval, scopes, attributes);
      expectRedirect(t, approved, authorization);
      t.match(await installationOf(accountId), { scopes });
      t.same((await installationOf(accountId)).readableAttributes, stored);
      t.match(await approvalDetails(accountId), [{ scopes, readable_attributes: stored }]);
    }
    const own = await prisma.application.findFirstOrThrow({ where: { id: publisher.application.id } });
    t.equal(own.readableAttributes.length, 5, 'the application of the publisher is not changed');
  },
);

t.test('a request is approved from the settings with attributes', async (t) => {
  const publisher = await createPublisher(database, { scopes });
  const owner = await createVisitor(api, 'owner');
  const member = await createVisitor(api, 'member', owner);
  const { approval } = approvalOf(publisher);
  await member.browser.submit(approval, hiddenFields((await member.browser.open(approval)).body));
  const path = `${applicationsPath}/requests/${publisher.application.clientId}`;
  const page = await owner.browser.open(path);
  t.same(chosenOn(page.body), []);
  const rejected = await submitApproval(owner.browser, page, path, [], ['location']);
  isPage(t, rejected, 400);
  t.same(chosenOn(rejected.body), ['location'], 'an error keeps the selection');
  const approved = await submitApproval(owner.browser, page, path, scopes, ['location']);
  expectRedirect(t, approved, /application_approved/);
  t.same((await installationOf(owner.accountId)).readableAttributes, ['location']);
});

t.test('an attribute that is not in the list approves nothing', async (t) => {
  const publisher = await createPublisher(database, { scopes });
  const { accountId, browser } = await createVisitor(api, 'owner');
  const { approval } = approvalOf(publisher);
  const page = await browser.open(approval);
  for (const unknown of ['salary', 'email', '__proto__']) {
    const rejected = await submitApproval(browser, page, approval, scopes, ['hire_date', unknown]);
    isPage(t, rejected, 400, unknown);
    t.match(rejected.body, '<a href="#attributes">Choose from the attributes in the list.</a>');
    t.same(chosenOn(rejected.body), ['hire_date']);
  }
  t.equal(await prisma.application.count({ where: { accountId, NOT: { installedClientId: null } } }), 0);
});

t.test('when an application is approved again, the chosen attributes are selected', async (t) => {
  const publisher = await createPublisher(database, { scopes });
  const { accountId, browser } = await createVisitor(api, 'owner');
  await approveAs(browser, publisher, scopes, ['location', 'hire_date']);
  await suspend(accountId);
  const { approval } = approvalOf(publisher);
  const page = await browser.open(approval);
  t.same(chosenOn(page.body), ['location', 'hire_date']);
  await submitApproval(browser, page, approval, scopes, ['hire_date']);
  t.match(await installationOf(accountId), { suspendedAt: null });
  t.same((await installationOf(accountId)).readableAttributes, ['hire_date']);
});

t.test(
  'without access to employees, the forms have no attributes and keep those that are stored',
  async (t) => {
    const publisher = await createPublisher(database, { scopes });
    const { accountId, browser } = await createVisitor(api, 'owner');
    await approveAs(browser, publisher, scopes, ['location']);
    await prisma.application.updateMany({
      where: { id: publisher.application.id },
      data: { scopes: ['user:read', 'user:write'] },
    });
    await suspend(accountId);
    const { approval } = approvalOf(publisher, { scope: 'user:read' });
    const page = await browser.open(approval);
    isPage(t, page);
    t.notMatch(page.body, 'name="attributes"');
    const approved = await submitApproval(browser, page, approval, ['user:read'], ['hire_date']);
    t.equal(approved.statusCode, 303, approved.body);
    const { id } = await installationOf(accountId);
    t.match(await installationOf(accountId), { scopes: ['user:read'], suspendedAt: null });
    t.same((await installationOf(accountId)).readableAttributes, ['location']);
    t.match((await approvalDetails(accountId)).at(-1), { readable_attributes: ['location'] });

    const path = `${applicationsPath}/${id}/edit`;
    const form = await browser.open(path);
    t.notMatch(form.body, 'name="attributes"');
    const saved = await browser.submit(path, [
      ...Object.entries(hiddenFields(form.body)),
      ['scopes', 'user:write'],
      ['attributes', 'hire_date'],
    ]);
    expectRedirect(t, saved, /application_updated/);
    t.match(await installationOf(accountId), { scopes: ['user:write'] });
    t.same((await installationOf(accountId)).readableAttributes, ['location']);
  },
);
