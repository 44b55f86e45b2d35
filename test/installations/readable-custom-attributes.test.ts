import { CustomAttributeChanges } from '../../src/features/employees/custom-attribute-changes.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import {
  approvalOf,
  approveAs,
  createPublisher,
  createVisitor,
  submitApproval,
} from '../support/oauth/installations.js';
import { grantTokens } from '../support/oauth/users.js';
import { defineAttributes, setCustomValues } from '../support/records/custom-attributes.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { clock, database } = api;
const { prisma } = database;

const scopes = ['employees:read', 'reports:read', 'user:read'];

const choicesOn = (html: string) =>
  [...html.matchAll(/<input type="checkbox" name="attributes" value="(custom\.[^"]*)"( checked)?/g)].map(
    ([, name, checked]) => [name, checked !== undefined],
  );

/** An owner of an account with these custom attributes, in a browser. */
async function customer(keys: readonly string[]) {
  const visitor = await createVisitor(api, 'owner');
  const { accountId } = visitor;
  await defineAttributes(
    database,
    accountId,
    keys.map((key) => ({ key, sensitive: key === 'salary' })),
  );
  const where = { accountId, NOT: { installedClientId: null } };
  return {
    ...visitor,
    installation: () => prisma.application.findFirst({ where }),
    suspend: () => prisma.application.updateMany({ where, data: { suspendedAt: clock() } }),
    approvals: async () => {
      const events = await prisma.auditEvent.findMany({
        where: { accountId, type: 'application.approved' },
        orderBy: { createdAt: 'asc' },
      });
      return events.map(({ details }) => details);
    },
  };
}

t.test('the approval offers the custom attributes of the account, and selects none', async (t) => {
  const publisher = await createPublisher(database, { scopes });
  await defineAttributes(database, publisher.accountId, [{ key: 'of_publisher' }]);
  const { approval, authorization } = approvalOf(publisher);
  const { approvals, browser, installation } = await customer(['cost_center', 'salary']);
  const page = await browser.open(approval);
  t.same(choicesOn(page.body), [
    ['custom.cost_center', false],
    ['custom.salary', false],
  ]);
  t.match(page.body, /<bdi>Label of salary<\/bdi> \(sensitive\)/);
  t.notMatch(page.body, 'of_publisher');
  const approved = await submitApproval(browser, page, approval, scopes, ['custom.salary', 'hire_date']);
  expectRedirect(t, approved, authorization);
  t.same((await installation())?.readableAttributes, ['hire_date', 'custom.salary']);
  t.match(await approvals(), [{ readable_attributes: ['hire_date', 'custom.salary'] }]);

  const without = await customer([]);
  t.notMatch((await without.browser.open(approval)).body, /Custom attributes<|custom\./);
});

t.test('unknown and archived attributes, and those of the publisher, approve nothing', async (t) => {
  const publisher = await createPublisher(database, { scopes });
  await defineAttributes(database, publisher.accountId, [{ key: 'of_publisher' }]);
  const { accountId, approvals, browser, installation } = await customer(['salary', 'badge']);
  await new CustomAttributeChanges(database).archive({ accountId, at: clock() }, 'badge');
  const { approval } = approvalOf(publisher);
  const page = await browser.open(approval);
  for (const name of [
    'custom.unknown',
    'custom.badge',
    'custom.of_publisher',
    'custom.',
    'salary',
    'custom.*',
  ]) {
    const rejected = await submitApproval(browser, page, approval, scopes, ['custom.salary', name]);
    isPage(t, rejected, 400, name);
    t.match(rejected.body, '<a href="#attributes">Choose from the attributes in the list.</a>', name);
    t.same(choicesOn(rejected.body), [['custom.salary', true]], 'an error keeps the selection');
  }
  t.equal(await installation(), null);
  t.same(await approvals(), []);
});

t.test(
  'when an application is approved again, the choice is kept, also of archived attributes',
  async (t) => {
    const publisher = await createPublisher(database, { scopes });
    const { accountId, approvals, browser, installation, suspend } = await customer(['salary', 'badge']);
    await approveAs(browser, publisher, scopes, ['custom.salary', 'custom.badge']);
    await new CustomAttributeChanges(database).archive({ accountId, at: clock() }, 'badge');
    await suspend();
    const { approval } = approvalOf(publisher);
    const page = await browser.open(approval);
    t.same(choicesOn(page.body), [['custom.salary', true]]);
    await submitApproval(browser, page, approval, scopes, ['custom.salary']);
    t.match(await installation(), { suspendedAt: null });
    t.same((await installation())?.readableAttributes.toSorted(), ['custom.badge', 'custom.salary']);
    t.equal((await approvals()).length, 2);

    await suspend();
    await submitApproval(browser, await browser.open(approval), approval, scopes, []);
    t.same((await installation())?.readableAttributes, ['custom.badge']);
  },
);

t.test('each account chooses for itself what the same application reads there', async (t) => {
  const publisher = await createPublisher(database, { scopes });
  for (const [chosen, expected] of [
    [['custom.salary'], { salary: 'S' }],
    [['custom.cost_center'], { cost_center: 'C' }],
    [[], undefined],
  ] as const) {
    const { accountId, browser, installation, user } = await customer(['cost_center', 'salary']);
    const [employee = ''] = await insertEmployees(prisma, accountId, makeEmployees(1));
    await setCustomValues(database, accountId, employee, { salary: 'S', cost_center: 'C' });
    await approveAs(browser, publisher, scopes, chosen);
    const id = (await installation())?.id ?? '';
    const application = { ...publisher.application, id };
    const scene = { ...publisher, accountId, user, application };
    const { accessToken } = await grantTokens(api, scene, { scope: scopes.join(' ') });
    const response = await api.get(`/v1/employees/${employee}`, accessToken);
    t.equal(response.statusCode, 200, response.body);
    t.same(response.json().data.attributes.custom, expected);
  }
});
