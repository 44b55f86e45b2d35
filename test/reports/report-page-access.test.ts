import { hiddenFields } from '../support/browser/browser.js';
import { isPage } from '../support/browser/pages.js';
import { createdId, createReport, reportsPath } from '../support/browser/report-pages.js';
import { createScene, createUser, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { database } = api;

async function ownerAtWork() {
  const scene = await createScene(database);
  return { scene, browser: await signedInBrowser(api, scene.user) };
}

const storedReports = (accountId: string) => database.prisma.report.findMany({ where: { accountId } });

t.test('members get 403 and no navigation entry, for each page and form', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const id = createdId(await createReport(browser, { title: 'Secret title' }));
  t.match((await browser.open('/people')).body, `href="${reportsPath}"`);
  const member = await signedInBrowser(api, await createUser(database, scene.accountId, { role: 'member' }));
  const home = await member.open('/people');
  t.notMatch(home.body, `href="${reportsPath}"`);
  const token = hiddenFields(home.body);
  for (const path of ['', '/new', `/${id}`, `/${id}/edit`, `/${id}/delete`, `/${id}/results.csv`]) {
    const page = await member.open(`${reportsPath}${path}`);
    isPage(t, page, 403, path);
    t.notMatch(page.body, 'Secret title');
  }
  for (const path of ['', `/${id}/edit`, `/${id}/delete`]) {
    isPage(t, await member.submit(`${reportsPath}${path}`, { ...token, title: 'x', kind: 'list' }), 403);
  }
  t.match(await storedReports(scene.accountId), [{ title: 'Secret title', version: 1 }]);
  const admin = await signedInBrowser(api, await createUser(database, scene.accountId, { role: 'admin' }));
  isPage(t, await admin.open(`${reportsPath}/${id}`));
});

t.test('rejects forms without the CSRF token', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const id = createdId(await createReport(browser, { title: 'Kept' }));
  for (const path of ['', `/${id}/edit`, `/${id}/delete`]) {
    for (const csrf_token of ['', 'x', `${scene.user.id}.x`]) {
      const response = await browser.submit(`${reportsPath}${path}`, {
        title: 'x',
        kind: 'list',
        csrf_token,
      });
      isPage(t, response, 403, path);
    }
  }
  t.match(await storedReports(scene.accountId), [{ title: 'Kept', version: 1 }]);
});

t.test('ids of other accounts, malformed and unknown ids get the same page', async (t) => {
  const { browser: owner } = await ownerAtWork();
  const foreign = createdId(await createReport(owner, { title: 'Foreign' }));
  const { browser } = await ownerAtWork();
  const token = hiddenFields((await browser.open(`${reportsPath}/new`)).body);
  const withoutId = (body: string) =>
    body.replaceAll(/request <code>[^<]*/g, '').replaceAll(/csrf_token" value="[^"]*/g, '');
  for (const path of ['', '/edit', '/delete', '/results.csv']) {
    const pages = await Promise.all(
      [foreign, 'unknown', 'A%2Fb', 'x'.repeat(65), '%E2%82%AC'].map((id) =>
        browser.open(`${reportsPath}/${id}${path}`),
      ),
    );
    for (const page of pages) {
      isPage(t, page, 404, path);
      t.equal(withoutId(page.body), withoutId(pages[0]?.body ?? ''));
    }
  }
  for (const path of ['/edit', '/delete']) {
    isPage(t, await browser.submit(`${reportsPath}/${foreign}${path}`, { ...token, kind: 'list' }), 404);
  }
  isPage(t, await owner.open(`${reportsPath}/${foreign}`));
});
