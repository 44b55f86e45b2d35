import { Browser, hiddenFields } from '../support/browser/browser.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import { employeeScene, fieldValues, validForm } from '../support/records/employee-scene.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });

const newPath = '/people/employees/new';
const pathOf = (id: string | undefined) => `/people/employees/${id}`;
const ada = { firstName: 'Ada', lastName: 'Lovelace' };

/** The forms that add, change and delete an employee. */
const formsOf = (id: string | undefined) => [newPath, `${pathOf(id)}/edit`, `${pathOf(id)}/delete`];

t.test('members see no links to the forms, and change nothing', async (t) => {
  const scene = await employeeScene(api, [ada], 'member');
  const { browser, ids } = scene;
  for (const address of ['/people', pathOf(ids[0])]) {
    const page = await browser.open(address);
    isPage(t, page);
    t.notMatch(page.body, /employees\/new|\/edit"|\/delete"/);
  }
  const token = hiddenFields((await browser.open('/people')).body);
  for (const path of formsOf(ids[0])) {
    isPage(t, await browser.open(path), 403, path);
    isPage(t, await browser.submit(path, { ...token, ...validForm }), 403, path);
  }
  t.match(await scene.stored(), [ada]);
  t.same(await scene.events(), []);
});

t.test('a form without the CSRF token of the user changes nothing', async (t) => {
  const scene = await employeeScene(api, [ada]);
  const stranger = await employeeScene(api, []);
  const foreign = hiddenFields((await stranger.browser.open(newPath)).body);
  for (const path of formsOf(scene.ids[0])) {
    const form = { ...fieldValues((await scene.browser.open(path)).body), ...validForm };
    for (const csrf_token of ['', foreign.csrf_token ?? ''])
      isPage(t, await scene.browser.submit(path, { ...form, csrf_token }), 403, path);
  }
  t.match(await scene.stored(), [ada]);
  t.same(await scene.events(), []);
});

t.test('an unknown, malformed or foreign id gets the same page, and changes nothing', async (t) => {
  const scene = await employeeScene(api, [ada]);
  const other = await employeeScene(api, [{ firstName: 'Secret', lastName: 'Person' }]);
  const known = String(scene.ids[0]);
  const form = {
    ...fieldValues((await other.browser.open(`${pathOf(other.ids[0])}/edit`)).body),
    ...hiddenFields((await scene.browser.open(newPath)).body),
    first_name: 'Mine',
  };
  const ids = [
    String(other.ids[0]),
    known.replace(/.$/, 'z'),
    known.slice(1),
    `${known}0`,
    known.toUpperCase(),
    `${known}%00`,
    `${known}%20`,
    'x'.repeat(200),
    '-1',
    '%F0%9F%98%80',
    "'--",
  ];
  for (const below of ['', '/edit', '/delete']) {
    const texts = new Set<string>();
    for (const id of ids) {
      const path = `${pathOf(id)}${below}`;
      const pages = [await scene.browser.open(path)];
      if (below !== '') pages.push(await scene.browser.submit(path, form));
      for (const page of pages) {
        isPage(t, page, 404, path);
        t.notMatch(page.body, 'Secret');
        texts.add(page.body.replaceAll(/req[a-z0-9_-]*|value="[^"]*"|<code>[^<]*<\/code>/gi, ''));
      }
    }
    t.equal(texts.size, 1, below);
  }
  t.match(await other.stored(), [{ firstName: 'Secret' }]);
  for (const { events } of [scene, other]) t.same(await events(), []);
  isPage(t, await other.browser.open(pathOf(other.ids[0])));
});

t.test('redirects a visitor to sign in', async (t) => {
  const { ids } = await employeeScene(api, [{}]);
  expectRedirect(t, await new Browser(api.app).open(pathOf(ids[0])), /^\/sign_in\?return_to=/);
});
