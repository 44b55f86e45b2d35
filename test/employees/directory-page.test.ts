import { gzipSync } from 'node:zlib';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import { hostileNames } from '../support/input/hostile-names.js';
import { employeeScene } from '../support/records/employee-scene.js';
import { readWorkbook } from '../support/records/read-workbook.js';
import type { TestEmployee } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });

/** A browser of a member whose account has these employees. */
const directoryOf = async (people: readonly Partial<TestEmployee>[]) =>
  (await employeeScene(api, people, 'member')).browser;

/** Names in the order of the page. */
const namesOn = (html: string) =>
  [...html.matchAll(/data-label="Name"><div><div class="person">.*?<a [^>]*>([^<]*)</g)].map(
    ([, name = '']) => name,
  );

const lastNamesOn = (html: string) => namesOn(html).map((name) => name.split(',')[0]);

const named = (firstName: string, lastName: string, email: string, employeeNumber: string) => ({
  firstName,
  lastName,
  email: `${email}@x.example`,
  employeeNumber,
});

const grouped = (lastName: string, department: string, status: string, location: string | null) => ({
  firstName: 'A',
  lastName,
  department,
  status,
  location,
});

const groupedPeople = [
  grouped('One', 'Sales', 'active', 'Berlin'),
  grouped('Two', 'Sales', 'on_leave', null),
  grouped('Three', 'Legal & <Risk>', 'active', '-'),
  grouped('Four', 'Legal & <Risk>', 'active', 'Berlin'),
];

t.test('shows the employees of the account, and no other', async (t) => {
  const browser = await directoryOf([
    { firstName: 'Ada', lastName: 'Lovelace', jobTitle: 'Head of <R&D>', location: 'London' },
    { firstName: 'Alan', lastName: 'Turing', jobTitle: null, location: null },
  ]);
  await directoryOf([{ firstName: 'Grace', lastName: 'Hopper' }]);
  const page = await browser.open('/people');
  isPage(t, page);
  t.same(namesOn(page.body), ['Lovelace, Ada', 'Turing, Alan']);
  t.match(page.body, /<a href="\/people\/employees\/[a-z0-9]{16}">Lovelace, Ada<\/a>/);
  t.match(page.body, /2 people/);
  t.match(page.body, /<a href="\/people" aria-current="page"><svg .*<\/svg>People<\/a>/);
  const cells = (label: string) =>
    [...page.body.matchAll(new RegExp(`data-label="${label}"><div>([^/]*)</div>`, 'g'))].map(
      ([, text]) => text,
    );
  t.match(page.body, '<span class="hint"><bdi>Head of &lt;R&amp;D></bdi></span>');
  t.match(page.body, /<bdi class="avatar tint-\d" aria-hidden="true">AL<\/bdi>/);
  t.same(cells('Location'), ['London', '–']);
  t.same(namesOn((await browser.open('/people?q=Grace')).body), []);
});

t.test('an account without employees shows how to import them', async (t) => {
  const browser = await directoryOf([]);
  const page = await browser.open('/people');
  isPage(t, page);
  t.match(page.body, /No people yet/);
});

t.test('finds names without case and accents, e-mail addresses and numbers by their start', async (t) => {
  const browser = await directoryOf([
    named('Ada', 'Lovelace', 'ada', 'E0001'),
    named('Áine', "O'Brien", 'aob', 'E0002'),
    named('Jean-Luc', 'van der Berg', 'JL', 'x9'),
    named('100%', 'Per_cent', 'p', 'E0018'),
    named('Jürgen', 'Müller-Groß', 'jm', 'E1001'),
    named('Søren', 'Ørsted', 'so', 'E1002'),
    named('Łukasz', 'Æbelø', 'la', 'E1003'),
    named('Юлия', 'Жукова', 'yz', 'E1004'),
  ]);
  for (const [query, ...expected] of [
    ['ada', 'Lovelace'],
    ['ada lov', 'Lovelace'],
    ['Lovelace, Ada', 'Lovelace'],
    ['ada turing'],
    ['ove'],
    ['áine', "O'Brien"],
    ["o'br", "O'Brien"],
    ['van der', 'van der Berg'],
    ['jean-luc', 'van der Berg'],
    ['jean luc van der b', 'van der Berg'],
    ['MÜLLER', 'Müller-Groß'],
    ['gro mul', 'Müller-Groß'],
    ['lukasz aeb', 'Æbelø'],
    ['ЮЛИЯ', 'Жукова'],
    ['ADA@X', 'Lovelace'],
    ['e000', 'Lovelace', "O'Brien"],
    ['X9', 'van der Berg'],
    ['100%', 'Per_cent'],
    ['per_', 'Per_cent'],
    ['%'],
    ["' OR 1=1 --"],
  ] as const) {
    const page = await browser.open(`/people?q=${encodeURIComponent(query)}`);
    isPage(t, page, 200, query);
    t.same(lastNamesOn(page.body), expected, query);
  }
  t.match((await browser.open('/people?q=zzz')).body, /No people match “zzz”/);
});

t.test('filters by department, status and location, and shows their counts', async (t) => {
  const browser = await directoryOf(groupedPeople);
  for (const [query, ...expected] of [
    ['department=Sales', 'One', 'Two'],
    ['status=active', 'Four', 'One', 'Three'],
    ['location=Berlin', 'Four', 'One'],
    ['location=-', 'Two'],
    ['location=--', 'Three'],
    ['department=Sales&status=active', 'One'],
    ['department=Sales&location=Berlin', 'One'],
    ['department=Sales&status=active&location=-'],
    ['q=t&status=active', 'Three'],
    ['q=a&department=Sales&location=Berlin', 'One'],
    ['department=Nowhere'],
    ['department=sales'],
  ] as const) {
    const page = await browser.open(`/people?${query}`);
    isPage(t, page, 200, query);
    t.same(lastNamesOn(page.body), expected, query);
    t.match(page.body, expected.length === 1 ? '1 person' : `${expected.length} people`, query);
  }
  const { body } = await browser.open('/people');
  for (const option of ['Sales (2)', 'On leave (1)', 'Berlin (2)', 'No location (1)'])
    t.match(body, option, option);
  const { body: active } = await browser.open('/people?status=active');
  t.match(active, 'Sales (1)');
  t.match(active, /value="Berlin">Berlin<\/option>/, 'a count that the filter would change is omitted');
});

t.test('links remove one filter and keep the others, and the sort order keeps all', async (t) => {
  const browser = await directoryOf(groupedPeople);
  const { body } = await browser.open('/people?q=a&department=Sales&location=-&sort=-number');
  for (const query of [
    'department=Sales&amp;location=-&amp;sort=-number',
    'q=a&amp;location=-&amp;sort=-number',
    'q=a&amp;department=Sales&amp;sort=-number',
    'q=a&amp;department=Sales&amp;location=-&amp;sort=number',
  ]) {
    t.match(body, `href="/people?${query}"`);
  }
  t.match((await browser.open('/people?status=gone')).body, 'No people match the filters.');
});

t.test(
  'an export has the people of all pages of the view in its order, and is audited without the search',
  async (t) => {
    const many = Array.from({ length: 30 }, (_, index) => ({
      firstName: '=1+1',
      lastName: `P${10 + index}`,
      department: index === 3 ? 'Legal' : 'Sales',
      employeeNumber: `E${10 + index}`,
      status: 'on_leave',
    }));
    const { browser, accountId, user } = await employeeScene(api, many, 'admin');
    const { body } = await browser.open('/people?q=p&department=Sales&sort=-number');
    for (const format of ['excel', 'xlsx'])
      t.match(
        body,
        `href="/people/export.csv?q=p&amp;department=Sales&amp;sort=-number&amp;format=${format}"`,
      );
    const csv = await browser.open('/people/export.csv?q=p&department=Sales&sort=-number');
    t.equal(csv.statusCode, 200);
    t.match(csv.headers['content-disposition'], 'people.csv');
    const [header, ...lines] = csv.body.trim().split('\n');
    t.equal(header, 'Employee number,First name,Last name,E-mail,Status,Department,Job title,Location');
    t.same(
      lines.map((line) => line.split(',')[0]),
      many
        .filter(({ department }) => department === 'Sales')
        .map(({ employeeNumber }) => employeeNumber)
        .toReversed(),
    );
    t.equal((await browser.open('/people/export.csv?only=current')).statusCode, 200, 'a selection of Home');
    const workbook = await browser.open('/people/export.csv?format=xlsx');
    t.match(workbook.headers['content-type'], 'spreadsheetml.sheet');
    t.match(await readWorkbook(workbook.rawPayload), /,On leave,/, 'with the labels of statuses');
    t.match((await browser.open('/people/export.csv')).body, /,on_leave,/);
    const events = await api.database.prisma.auditEvent.findMany({
      where: { accountId, type: 'directory.exported' },
      orderBy: { id: 'asc' },
    });
    t.match(
      events.find(({ details }) => Object.hasOwn(Object(details), 'search')),
      { userId: user.id, details: { department: 'Sales', search: 'yes', rows: '29', complete: 'yes' } },
    );
    t.equal(events.length, 4);
  },
);

t.test('a search text without letters finds everyone, and suggests no one', async (t) => {
  const { browser } = await employeeScene(api, [{}, {}], 'admin');
  for (const text of [',', ' , ,', '%2C%2C']) {
    t.match((await browser.open(`/people?q=${text}`)).body, '2 people');
    t.equal((await browser.open(`/people/export.csv?q=${text}`)).statusCode, 200);
    const suggestions = await browser.open(`/people/employees/suggestions?q=${text}`);
    t.equal(suggestions.statusCode, 200);
    t.notMatch(suggestions.body, /<ul id="suggestions"><li/);
  }
});

t.test('a member can neither export the directory nor see the links', async (t) => {
  const browser = await directoryOf([{}]);
  t.notMatch((await browser.open('/people')).body, 'export.csv');
  isPage(t, await browser.open('/people/export.csv'), 403);
});

t.test('sorts in both directions by each sortable column', async (t) => {
  const browser = await directoryOf([
    { ...grouped('One', 'B', 'active', null), employeeNumber: '3' },
    { ...grouped('Two', 'A', 'terminated', null), employeeNumber: '1' },
    { ...grouped('Three', 'C', 'on_leave', null), employeeNumber: '2' },
  ]);
  const lastNames = async (sort: string) => lastNamesOn((await browser.open(`/people?sort=${sort}`)).body);
  for (const [key, expected] of Object.entries({
    name: ['One', 'Three', 'Two'],
    number: ['Two', 'Three', 'One'],
    department: ['Two', 'One', 'Three'],
    status: ['One', 'Three', 'Two'],
  })) {
    t.same(await lastNames(key), expected, key);
    t.same(await lastNames(`-${key}`), expected.toReversed(), `-${key}`);
  }
  const page = await browser.open('/people?sort=-status');
  t.match(page.body, /aria-sort="descending"><a href="\/people\?sort=status">/);
  t.match(page.body, 'On leave');
  t.equal((await lastNames('password_hash')).length, 3, 'an unknown sort key is ignored');
});

t.test('pages keep search and sort order', async (t) => {
  const browser = await directoryOf(
    Array.from({ length: 60 }, (_, index) => ({ firstName: `P${100 + index}`, lastName: 'Same' })),
  );
  const seen: string[] = [];
  for (const number of [1, 2, 3]) {
    const page = await browser.open(`/people?q=same&sort=-name&page=${number}`);
    isPage(t, page);
    t.match(page.body, `Page ${number} of 3`);
    seen.push(...namesOn(page.body));
  }
  t.equal(new Set(seen).size, 60);
  t.same(seen, [...seen].sort().reverse());
  const second = await browser.open('/people?q=same&sort=-name&page=2');
  t.match(second.body, /<a href="\/people\?q=same&amp;sort=-name" rel="prev">/);
  t.match(second.body, /<a href="\/people\?q=same&amp;sort=-name&amp;page=3" rel="next">/);
  expectRedirect(t, await browser.open('/people?page=40'), '/people?page=3');
  for (const page of ['0', '-1', '1e3', '0x2', '99999999999999999999', 'x', '']) {
    t.match((await browser.open(`/people?page=${page}`)).body, /Page 1 of 3/, page);
  }
});

t.test('lists at most a thousand people, states that there are more, and exports all', async (t) => {
  const { browser } = await employeeScene(
    api,
    Array.from({ length: 1030 }, (_, index) => ({ firstName: `Ann${index}`, lastName: 'Same' })),
    'admin',
  );
  const exported = (await browser.open('/people/export.csv')).body.trim().split('\n');
  t.equal(new Set(exported).size, 1031);
  const search = await browser.open('/people?q=ann&page=40');
  isPage(t, search);
  t.match(search.body, '1,000 of more than 1,000 shown; narrow your search.');
  t.match(search.body, 'Page 40 of 40');
  t.equal(namesOn(search.body).length, 25);
  t.match((await browser.open('/people?q=ann1029')).body, '1 person');
  const all = await browser.open('/people?page=40');
  const [note, table] = ['1,000 of 1,030 shown; narrow your search.', '<table'].map((text) =>
    all.body.indexOf(text),
  );
  t.ok(Number(note) > 0 && Number(note) < Number(table), 'the note is above the table');
  for (const page of ['41', '999999']) {
    const beyond = await browser.open(`/people?page=${page}`);
    isPage(t, beyond, 404);
    t.match(beyond.body, 'at most 1,000 people. Narrow your search');
  }
});

t.test('rejects a repeated parameter and NUL, and ignores unknown parameters', async (t) => {
  const browser = await directoryOf([{}]);
  for (const query of ['q=a&q=b', 'status=a&status=b', 'q=%00'])
    isPage(t, await browser.open(`/people?${query}`), 400, query);
  for (const query of [`q=${'a%20'.repeat(3000)}`, 'q=%F4%8F%BF%BF', 'q[x]=1&__proto__=2&unknown=3'])
    isPage(t, await browser.open(`/people?${query}`), 200, query);
});

/** Escaped text that looks like an attribute is rejected by the check for inline scripts. */
const names = hostileNames.filter((name) => !name.includes('onmouseover='));

t.test('a hostile name, search or filter is shown as text', async (t) => {
  const browser = await directoryOf(
    names.map((name) => ({ firstName: name, lastName: name, location: name, department: name })),
  );
  const page = await browser.open('/people');
  isPage(t, page);
  const { length } = gzipSync(page.body);
  t.ok(length <= 30 * 1024, `${length} bytes with ${names.length} choices of two filters`);
  const texts = [
    ...names.slice(0, 2),
    "' & | ! :* ( )",
    '\\',
    '%_',
    '\ufdfa'.repeat(100),
    'a b '.repeat(250),
  ];
  for (const text of texts) {
    for (const name of ['q', 'department', 'status', 'location']) {
      const value = encodeURIComponent(text);
      isPage(t, await browser.open(`/people?${name}=${value}`), 200, `${name} ${text.slice(0, 40)}`);
    }
  }
  for (const text of ['%00', '%ed%a0%80', '%ff']) {
    const { statusCode } = await browser.open(`/people?q=${text}`);
    t.ok(statusCode < 500, text);
  }
});

t.test('redirects / and /people/settings by role, and responds 404 to unknown paths', async (t) => {
  const member = await directoryOf([]);
  const { browser: owner } = await employeeScene(api, []);
  expectRedirect(t, await member.open('/'), '/people/home');
  expectRedirect(t, await member.open('/people/home'), '/people');
  expectRedirect(t, await member.open('/people/settings'), '/people/settings/connected_applications');
  expectRedirect(t, await owner.open('/people/settings'), '/people/settings/oauth_applications');
  const unknown = await owner.open('/people/nowhere');
  isPage(t, unknown, 404);
  t.match(unknown.body, /There is no page at this address/);
});

t.test('the table scrolls in a region with a name, and its numbers are marked', async (t) => {
  const browser = await directoryOf([{}]);
  const { body } = await browser.open('/people');
  t.match(body, '<section class="table" tabindex="0" aria-label="People of your account"><table');
  t.match(body, /<td role="cell" class="name" data-label="Name"><div><div class="person">/);
  t.match(body, /<td role="cell" class="short" data-label="Number">/);
});
