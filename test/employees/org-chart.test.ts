import { expectRedirect, isPage } from '../support/browser/pages.js';
import { type EmployeeScene, employeeScene } from '../support/records/employee-scene.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { prisma } = api.database;

const path = '/people/org_chart';

/** An account with people whose managers are given by index; `null`: none. */
async function organisation(managers: readonly (number | null)[]): Promise<EmployeeScene> {
  const scene = await employeeScene(
    api,
    managers.map((_, index) => ({
      firstName: 'P',
      lastName: String(index).padStart(3, '0'),
      jobTitle: null,
    })),
    'member',
  );
  const reportsOf = new Map<number, string[]>();
  for (const [index, manager] of managers.entries()) {
    if (manager !== null)
      reportsOf.set(manager, [...(reportsOf.get(manager) ?? []), String(scene.ids[index])]);
  }
  for (const [manager, ids] of reportsOf)
    await prisma.employee.updateMany({
      where: { accountId: scene.accountId, id: { in: ids } },
      data: { managerId: String(scene.ids[manager]) },
    });
  return scene;
}

/** The chart as nested text: names, counts and links to deeper levels. */
const chartOn = (html: string) => {
  const [, chart = ''] = /<ul class="tree">(.*)<\/ul>/s.exec(html) ?? [];
  return chart
    .replaceAll(/<bdi class="avatar[^>]*>[^<]*<\/bdi>|<span class="unseen">.*?<\/span>/g, '')
    .replaceAll('<ul>', '(')
    .replaceAll('</ul>', ')')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('P 0', '')
    .trim();
};

t.test('a single top is shown with two levels, and deeper ones are linked', async (t) => {
  const { browser, ids } = await organisation([null, 0, 0, 1, 3, 4]);
  expectRedirect(t, await browser.open(path), `${path}/${ids[0]}`);
  const top = await browser.open(`${path}/${ids[0]}`);
  isPage(t, top);
  t.equal(chartOn(top.body), '00 2 direct reports ( 01 1 direct report ( 03 1 direct report ) 02 )');
  t.match(top.body, `<a href="${path}/${ids[3]}">1 direct report`);
  const deep = await browser.open(`${path}/${ids[4]}`);
  isPage(t, deep);
  t.equal(chartOn(deep.body), '04 1 direct report ( 05 )');
  t.same(
    [...deep.body.matchAll(/<li><a href="\/people\/org_chart\/([a-z0-9]+)"><bdi>/g)].map(([, id]) => id),
    [ids[0], ids[1], ids[3]],
    'the managers above',
  );
  t.match((await browser.open(`${path}/${ids[2]}`)).body, 'No direct reports.');
  t.match((await browser.open(`/people/employees/${ids[2]}`)).body, `href="${path}/${ids[2]}"`);
});

t.test('several tops are shown with their direct reports, and people without any are not', async (t) => {
  const { browser } = await organisation([null, 0, 1, null, 3, null]);
  const page = await browser.open(path);
  isPage(t, page);
  t.equal(chartOn(page.body), '00 1 direct report ( 01 1 direct report ) 03 1 direct report ( 04 )');
});

t.test('a level has a limit, and links to the others', async (t) => {
  const wide = [null, ...Array.from({ length: 53 }, () => 0), ...Array.from({ length: 12 }, () => 1)];
  const { browser, ids } = await organisation(wide);
  const { body } = await browser.open(`${path}/${ids[0]}`);
  t.match(body, '53 direct reports');
  t.match(body, `<a href="/people/employees/${ids[0]}">3 more`);
  t.match(body, `<a href="/people/employees/${ids[1]}">2 more`);
  t.equal(body.match(/class="person"/g)?.length, 1 + 50 + 10);
});

t.test('an account without managers, and another account, have no chart', async (t) => {
  const { ids } = await organisation([null, 0]);
  const { browser } = await organisation([null, null]);
  const page = await browser.open(path);
  isPage(t, page);
  t.match(page.body, 'No employee has a manager yet.');
  for (const id of [String(ids[0]), 'x', '%00']) isPage(t, await browser.open(`${path}/${id}`), 404, id);
});
