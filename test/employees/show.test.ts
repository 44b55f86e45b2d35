import { employeeAttributes } from '../../src/features/employees/employee-attributes.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import { hostileNames } from '../support/input/hostile-names.js';
import { employeeScene } from '../support/records/employee-scene.js';
import type { TestEmployee } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database } = api;

/** A browser of a user whose account has these employees, and their ids. */
async function scene(people: readonly Partial<TestEmployee>[], role: 'owner' | 'member' = 'member') {
  const made = await employeeScene(api, people, role);
  return { ...made, first: `/people/employees/${made.ids[0]}` };
}

const facts = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name = '', value = '']) => [
      name,
      value.replaceAll(/<[^>]*>/g, ''),
    ]),
  );

t.test('shows all attributes, with dates in words, to every signed-in user', async (t) => {
  for (const role of ['owner', 'member'] as const) {
    const { browser, first } = await scene(
      [
        {
          employeeNumber: 'E1',
          firstName: 'Ada',
          lastName: 'Lovelace',
          email: 'ada@x.example',
          status: 'on_leave',
          department: 'Engines',
          jobTitle: 'Analyst',
          location: null,
          hireDate: '2020-02-29',
          terminationDate: null,
          updatedAt: new Date('2026-03-04T05:06:07Z'),
        },
      ],
      role,
    );
    const page = await browser.open(first);
    isPage(t, page);
    t.match(page.body, '<title>Ada Lovelace');
    t.match(page.body, '<h1><bdi>Ada Lovelace</bdi> <span class="badge caution">On leave</span></h1>');
    t.match(page.body, '<bdi>Analyst</bdi> · <bdi>Engines</bdi></p>');
    t.equal(page.body.includes(`href="${first}/changes"`), role === 'owner', 'the tab of changes');
    t.match(page.body, '<a href="/people">People</a></li><li aria-current="page">Ada Lovelace</li>');
    t.same(new Set(Object.keys(facts(page.body))), new Set(employeeAttributes.map(({ label }) => label)));
    t.same(
      [...page.body.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, heading]) => heading),
      ['Employment', 'Contact', 'Organization', 'Direct reports'],
    );
    t.match(facts(page.body), {
      'Employee number': 'E1',
      'E-mail': 'ada@x.example',
      Status: 'On leave',
      'Job title': 'Analyst',
      Location: '–',
      'Hire date': '29 Feb 2020',
      'Termination date': '–',
      Manager: '–',
      'Updated at': /4 Mar 2026, 05:06/,
    });
    t.match(page.body, 'No direct reports.');
  }
});

t.test('a date is the same in every time zone, and in the language of the user', async (t) => {
  const { browser, first, user } = await scene([{ hireDate: '2021-01-01' }, { hireDate: '0001-01-01' }]);
  for (const [zoneinfo, locale, expected] of [
    ['Pacific/Honolulu', null, '1 Jan 2021'],
    ['Pacific/Kiritimati', 'de-CH', '1. Jan. 2021'],
    ['Asia/Tokyo', 'en-US', 'Jan 1, 2021'],
  ] as const) {
    await database.prisma.user.updateMany({ where: { id: user.id }, data: { zoneinfo, locale } });
    t.equal(facts((await browser.open(first)).body)['Hire date'], expected, zoneinfo);
  }
});

t.test('links to the manager and the direct reports', async (t) => {
  const { browser, ids, accountId } = await scene([
    { firstName: 'Grace', lastName: 'Hopper' },
    { firstName: 'Ada', lastName: 'Lovelace' },
    { firstName: 'Alan', lastName: 'Turing', jobTitle: 'Engineer' },
  ]);
  const [grace, ada, alan] = ids;
  for (const id of [ada, alan])
    await database.prisma.employee.updateMany({
      where: { accountId, id: String(id) },
      data: { managerId: String(grace) },
    });
  const manager = await browser.open(`/people/employees/${grace}`);
  isPage(t, manager);
  t.match(manager.body, '2 people');
  t.match(manager.body, `<a href="/people/employees/${ada}"><bdi>Ada Lovelace</bdi></a>`);
  t.match(
    manager.body,
    `<a href="/people/employees/${alan}"><bdi>Alan Turing</bdi></a><span class="hint"><bdi>Engineer</bdi></span>`,
  );
  t.match(
    (await browser.open(`/people/employees/${ada}`)).body,
    `<dd><a href="/people/employees/${grace}"><bdi>Grace Hopper</bdi></a></dd>`,
  );
});

t.test('shows 50 direct reports on a page', async (t) => {
  const { browser, ids, first, accountId } = await scene(
    Array.from({ length: 53 }, () => ({ lastName: 'Same' })),
  );
  await database.prisma.employee.updateMany({
    where: { accountId, id: { in: ids.slice(1) } },
    data: { managerId: String(ids[0]) },
  });
  const linked = async (address: string) => {
    const page = await browser.open(address);
    isPage(t, page);
    t.match(page.body, '52 people');
    return [...page.body.matchAll(/<div><a href="\/people\/employees\/([a-z0-9]+)">/g)].map(([, id]) => id);
  };
  const one = await linked(first);
  const two = await linked(`${first}?page=2`);
  t.equal(one.length, 50);
  t.equal(two.length, 2);
  t.same(new Set([...one, ...two]), new Set(ids.slice(1)));
  expectRedirect(t, await browser.open(`${first}?page=9`), `${first}?page=2`);
});

t.test('escapes hostile names', async (t) => {
  const people = hostileNames
    .slice(0, 60)
    .map((name) => ({ firstName: name, lastName: name, jobTitle: name, status: name.slice(0, 64) }));
  const { browser, ids, accountId } = await scene(people, 'owner');
  await database.prisma.employee.updateMany({
    where: { accountId, id: { in: ids.slice(1) } },
    data: { managerId: String(ids[0]) },
  });
  for (const id of ids.slice(0, 12)) {
    const page = await browser.open(`/people/employees/${id}`);
    isPage(t, page);
    t.notMatch(page.body, /<script|<img|<h1>x/);
  }
});
