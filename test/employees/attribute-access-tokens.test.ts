import { restrictableAttributes } from '../../src/platform/contract/employee-attributes.js';
import { installedScene, publishedScene } from '../support/oauth/installations.js';
import { createScene, grantTokens } from '../support/oauth/users.js';
import {
  bodyShownTo,
  markedValues,
  markersIn,
  type Restricted,
  received,
  restrict,
} from '../support/records/attribute-access.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { createApplication, createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const api = await buildTestApp(t);
const { prisma } = api.database;
const employees = makeEmployees(3).map((employee, index) => ({ ...employee, ...markedValues(index) }));

/** Expects a response with an employee, from which these attributes are missing. */
async function expectAccess(t: Test, path: string, token: string, restricted: Restricted): Promise<void> {
  const response = await api.get(path, token);
  t.equal(response.statusCode, 200, response.body);
  const readable = restrictableAttributes.filter((name) => !restricted.includes(name));
  t.same(markersIn(received(response)), readable, `${path} without ${restricted}`);
  t.same(response.json().meta?.restricted ?? [], restricted);
}

const some: readonly Restricted[] = [
  ['hire_date', 'manager_id'],
  [],
  ['location'],
  restrictableAttributes,
  ['job_title', 'termination_date'],
];

t.test('a token has the access that its application has at the time of the request', async (t) => {
  const tenant = await createTenant(api.database, { employees });
  const token = await api.token(tenant.application);
  for (const restricted of some) {
    await restrict(api, tenant.application, restricted);
    await expectAccess(t, `/v1/employees/${tenant.employeeIds[0]}`, token, restricted);
    await expectAccess(t, '/v1/employees', token, restricted);
  }
});

t.test('stored names that are no attributes, and repeated ones, give no access to others', async (t) => {
  const tenant = await createTenant(api.database, { employees });
  const token = await api.token(tenant.application);
  const restricted: Restricted = ['location', 'hire_date', 'termination_date', 'manager_id'];
  await prisma.application.updateMany({
    where: { clientId: tenant.application.clientId },
    data: { readableAttributes: ['job_title', 'job_title', 'shoe_size', 'email', ''] },
  });
  await expectAccess(t, `/v1/employees/${tenant.employeeIds[0]}`, token, restricted);
  await expectAccess(t, '/v1/employees', token, restricted);
});

t.test('the access of an application applies to the tokens of its users', async (t) => {
  const scene = await createScene(api.database);
  const [id] = await insertEmployees(prisma, scene.accountId, employees);
  const { accessToken } = await grantTokens(api, scene, { scope: 'reports:read' });
  for (const restricted of some) {
    await restrict(api, scene.application, restricted);
    await expectAccess(t, `/v1/employees/${id}`, accessToken, restricted);
    await expectAccess(t, '/v1/employees', accessToken, restricted);
  }
});

t.test(
  'an installation has its own access, whatever the application of the publisher may read',
  async (t) => {
    const publisher = await publishedScene(api);
    const scene = await installedScene(api, publisher);
    const [id] = await insertEmployees(prisma, scene.accountId, employees);
    const { accessToken } = await grantTokens(api, scene, { scope: 'reports:read' });
    for (const restricted of some) {
      await restrict(api, scene.application, restricted);
      const others = restrictableAttributes.filter((name) => !restricted.includes(name));
      await restrict(api, publisher.application, others);
      await expectAccess(t, `/v1/employees/${id}`, accessToken, restricted);
    }
  },
);

t.test('concurrent requests of applications with different access have their own responses', async (t) => {
  const tenant = await createTenant(api.database, { employees });
  await restrict(api, tenant.application, []);
  const everything = await api.token(tenant.application);
  const readers = await Promise.all(
    some.map(async (restricted) => {
      const application = await createApplication(api.database, tenant.accountId);
      await restrict(api, application, restricted);
      return { restricted, token: await api.token(application) };
    }),
  );
  const [id] = tenant.employeeIds;
  const paths = ['/v1/employees', '/v1/employees?page[size]=2', `/v1/employees/${id}`, '/v1/events'];
  const whole = new Map<string, Parameters<typeof bodyShownTo>[0]>();
  for (const path of paths) whole.set(path, (await api.get(path, everything)).json());
  const sent = [1, 2, 3].flatMap(() =>
    paths.flatMap((path) => readers.map((reader) => ({ path, ...reader }))),
  );
  const responses = await Promise.all(sent.map(({ path, token }) => api.get(path, token)));
  for (const [index, { path, restricted }] of sent.entries()) {
    const body = whole.get(path);
    const expected = body && bodyShownTo(body, restricted);
    const { data, meta } = responses[index]?.json() ?? {};
    t.same(data, expected?.data, `${path} without ${restricted}`);
    t.same(meta?.restricted ?? [], restricted);
  }
});
