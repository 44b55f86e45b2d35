import { hiddenFields } from '../support/browser/browser.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import { reportsPath } from '../support/browser/report-pages.js';
import { accountPath } from '../support/browser/user-pages.js';
import { createScene, grantTokens, signedInBrowser } from '../support/oauth/users.js';
import { employeeScene, fieldValues } from '../support/records/employee-scene.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { app, database } = api;
const { prisma } = database;

/** As it can be stored since before the rule for names. */
const stored = ' A\u202eda\u200b';
const other = 'B\u202eda';

t.test('an employee whose stored name breaks the rule keeps it until it is changed', async (t) => {
  const person = {
    firstName: stored,
    department: stored,
    jobTitle: stored,
    email: 'ad\u200ba@\uff58.example',
  };
  const { browser, ids, accountId, ...scene } = await employeeScene(api, [person]);
  const path = `/people/employees/${ids[0]}/edit`;
  const form = fieldValues((await browser.open(path)).body);
  isPage(t, await browser.submit(path, { ...form, first_name: other }), 400);
  isPage(t, await browser.submit(path, { ...form, email: 'b\u200b@x.example' }), 400);
  expectRedirect(t, await browser.submit(path, { ...form, location: 'Paris' }), /employee_updated$/);
  t.match(await scene.stored(), [{ ...person, location: 'Paris' }]);
});

t.test(
  'a user whose stored name breaks the rule keeps it until it is changed, and can be read',
  async (t) => {
    const scene = await createScene(database);
    await prisma.user.updateMany({
      where: { id: scene.user.id },
      data: { givenName: stored, nickname: stored },
    });
    const browser = await signedInBrowser(api, scene.user);
    const path = `${accountPath}/profile`;
    const form = fieldValues((await browser.open(path)).body);
    isPage(t, await browser.submit(path, { ...form, given_name: other }), 400);
    expectRedirect(t, await browser.submit(path, { ...form, locale: 'de' }), /profile_saved$/);
    const { accessToken } = await grantTokens(api, scene, { scope: 'user:read' });
    const headers = { authorization: `Bearer ${accessToken}` };
    const response = await app.inject({ url: '/v1/users/me', headers });
    t.equal(response.statusCode, 200);
    t.match(response.json().data.attributes, { given_name: stored, nickname: stored, locale: 'de' });
  },
);

t.test(
  'a report whose stored title breaks the rule keeps it until it is changed, and can be read',
  async (t) => {
    const scene = await createScene(database);
    const { accessToken } = await grantTokens(api, scene, { scope: 'reports:read reports:write' });
    const headers = { authorization: `Bearer ${accessToken}` };
    const created = await app.inject({
      method: 'POST',
      url: '/v1/reports',
      headers,
      payload: { title: 'x' },
    });
    const { id } = created.json().data;
    await prisma.report.updateMany({ where: { id }, data: { title: stored } });
    const browser = await signedInBrowser(api, scene.user);
    const path = `${reportsPath}/${id}/edit`;
    const { body } = await browser.open(path);
    const form = { ...hiddenFields(body), title: fieldValues(body).title ?? '', kind: 'list' };
    isPage(t, await browser.submit(path, { ...form, title: other }), 400);
    expectRedirect(t, await browser.submit(path, { ...form, description: 'Changed' }), /report_updated$/);
    const response = await app.inject({ url: `/v1/reports/${id}`, headers });
    t.match(response.json().data.attributes, { title: stored, description: 'Changed' });
  },
);

t.test('an application whose stored name breaks the rule keeps it until it is changed', async (t) => {
  const scene = await createScene(database, { name: stored });
  const browser = await signedInBrowser(api, scene.user);
  const path = `/people/settings/oauth_applications/${scene.application.id}/edit`;
  const { body } = await browser.open(path);
  const form = {
    ...{ ...hiddenFields(body), name: fieldValues(body).name ?? '' },
    ...{ redirect_uris: 'https://client.example/other', scopes: 'reports:read' },
  };
  isPage(t, await browser.submit(path, { ...form, name: other }), 400);
  expectRedirect(t, await browser.submit(path, form), /application_updated$/);
  t.match(await prisma.application.findFirst({ where: { id: scene.application.id } }), { name: stored });
});
