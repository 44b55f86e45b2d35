import { gzipSync } from 'node:zlib';
import { isPage } from '../support/browser/pages.js';
import { hostileNames } from '../support/input/hostile-names.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { makeEmployees, type TestEmployee } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database } = api;

async function directoryOf(people: readonly Partial<TestEmployee>[]) {
  const scene = await createScene(database, { role: 'member' });
  const employees = makeEmployees(people.length).map((employee, index) => ({
    ...employee,
    ...people[index],
  }));
  await insertEmployees(database.prisma, scene.accountId, employees);
  return { scene, browser: await signedInBrowser(api, scene.user) };
}

const namesOn = (html: string) =>
  [...html.matchAll(/data-label="Name"><div><strong><a href="[^"]*">([^<,]*)/g)].map(([, name]) => name);

const person = (lastName: string, department: string, status: string, location: string | null) => ({
  firstName: 'A',
  lastName,
  department,
  status,
  location,
});

const people = [
  person('One', 'Sales', 'active', 'Berlin'),
  person('Two', 'Sales', 'on_leave', null),
  person('Three', 'Legal & <Risk>', 'active', '-'),
  person('Four', 'Legal & <Risk>', 'active', 'Berlin'),
];

t.test('filters by department, status and location, and shows their counts', async (t) => {
  const { browser } = await directoryOf(people);
  for (const [query, expected] of [
    ['department=Sales', ['One', 'Two']],
    ['status=active', ['Four', 'One', 'Three']],
    ['location=Berlin', ['Four', 'One']],
    ['location=-', ['Two']],
    ['location=--', ['Three']],
    ['department=Sales&status=active', ['One']],
    ['department=Sales&location=Berlin', ['One']],
    ['department=Sales&status=active&location=-', []],
    ['q=t&status=active', ['Three']],
    ['q=a&department=Sales&location=Berlin', ['One']],
    ['department=Nowhere', []],
    ['department=sales', []],
  ] as const) {
    const page = await browser.open(`/people?${query}`);
    isPage(t, page, 200, query);
    t.same(namesOn(page.body), expected, query);
    t.match(page.body, expected.length === 1 ? '1 person' : `${expected.length} people`, query);
  }
  const { body } = await browser.open('/people');
  for (const option of ['Sales (2)', 'On leave (1)', 'Berlin (2)', 'No location (1)'])
    t.match(body, option, option);
  const { body: active } = await browser.open('/people?status=active');
  t.match(active, 'Sales (1)');
  t.match(active, /value="Berlin">Berlin<\/option>/, 'a count that the filter would change is omitted');
  isPage(t, await browser.open('/people?status=a&status=b'), 400);
});

t.test('links remove one filter and keep the others, and the sort order keeps all', async (t) => {
  const { browser } = await directoryOf(people);
  const { body } = await browser.open('/people?q=a&department=Sales&location=-&sort=-number');
  t.match(body, 'href="/people?department=Sales&amp;location=-&amp;sort=-number"');
  t.match(body, 'href="/people?q=a&amp;location=-&amp;sort=-number"');
  t.match(body, 'href="/people?q=a&amp;department=Sales&amp;sort=-number"');
  t.match(body, 'href="/people?q=a&amp;department=Sales&amp;location=-&amp;sort=number"');
  t.match((await browser.open('/people?status=gone')).body, 'No people match the filters.');
});

t.test('finds names without case and accents, by the start of each word', async (t) => {
  const { browser } = await directoryOf(
    [
      ['Jürgen', 'Müller-Groß'],
      ['Søren', 'Ørsted'],
      ['Łukasz', 'Æbelø'],
      ['Ána', "O'Brien"],
      ['Юлия', 'Жукова'],
      ['Vincent', 'van der Berg'],
    ].map(([firstName = '', lastName = '']) => ({ firstName, lastName })),
  );
  for (const [query, expected] of [
    ['muller', ['Müller-Groß']],
    ['MÜLLER', ['Müller-Groß']],
    ['gross', ['Müller-Groß']],
    ['jur gr', ['Müller-Groß']],
    ['gro mul', ['Müller-Groß']],
    ['ller', []],
    ['orsted', ['Ørsted']],
    ['lukasz aeb', ['Æbelø']],
    ["o'br", ["O'Brien"]],
    ['o’br', ["O'Brien"]],
    ['bri', ["O'Brien"]],
    ['жук', ['Жукова']],
    ['ЮЛИЯ', ['Жукова']],
    ['berg', ['van der Berg']],
    ['vin ber', ['van der Berg']],
    ['vincent van der b', ['van der Berg']],
    ['vin orsted', []],
  ] as const) {
    const page = await browser.open(`/people?q=${encodeURIComponent(query)}`);
    t.same(namesOn(page.body), expected, query);
  }
});

t.test('lists at most a thousand people, and states that there are more', async (t) => {
  const { browser } = await directoryOf(
    Array.from({ length: 1030 }, (_, index) => ({ firstName: `Ann${index}`, lastName: 'Same' })),
  );
  const search = await browser.open('/people?q=ann&page=40');
  isPage(t, search);
  t.match(search.body, 'More than 1,000 people');
  t.match(search.body, 'Page 40 of 40');
  t.equal(namesOn(search.body).length, 25);
  t.match((await browser.open('/people?q=ann1029')).body, '1 person');
  const all = await browser.open('/people?page=40');
  t.match(all.body, '1,030 people');
  t.match(all.body, 'lists up to 1,000 people');
  t.equal((await browser.open('/people?page=41')).headers.location, '/people?page=40');
});

/** Escaped text that looks like an attribute is rejected by the check for inline scripts. */
const names = hostileNames.filter((name) => !name.includes('onmouseover='));

t.test('a hostile name, search or filter is shown as text', async (t) => {
  const { browser } = await directoryOf(
    names.map((name) => ({ firstName: name, lastName: name, location: name, department: name })),
  );
  const page = await browser.open('/people');
  isPage(t, page);
  const { length } = gzipSync(page.body);
  t.ok(length <= 30 * 1024, `${length} bytes with ${names.length} choices of two filters`);
  const texts = [
    ...names.slice(0, 5),
    "' & | ! :* ( )",
    '\\',
    '%_',
    '\ufdfa'.repeat(100),
    'a b '.repeat(2500),
  ];
  for (const text of texts) {
    for (const name of ['q', 'department', 'status', 'location']) {
      const value = encodeURIComponent(text.slice(0, 1000));
      isPage(t, await browser.open(`/people?${name}=${value}`), 200, `${name} ${text.slice(0, 40)}`);
    }
  }
  for (const text of ['%00', '%ed%a0%80', '%ff']) {
    const { statusCode } = await browser.open(`/people?q=${text}`);
    t.ok(statusCode < 500, text);
  }
});
