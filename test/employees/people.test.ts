import { expectRedirect, isPage } from '../support/browser/pages.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { makeEmployees, type TestEmployee } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database } = api;

/** A browser of a user whose account has these employees. */
async function directoryOf(people: readonly Partial<TestEmployee>[], role: 'owner' | 'member' = 'member') {
  const scene = await createScene(database, { role });
  const employees = people.map((person, index) => ({ ...makeEmployees(1)[0], ...person, index }));
  await insertEmployees(database.prisma, scene.accountId, employees as unknown as TestEmployee[]);
  return { scene, browser: await signedInBrowser(api, scene.user) };
}

/** Names in the order of the page. */
const namesOn = (html: string) =>
  [...html.matchAll(/data-label="Name"><div><strong><a [^>]*>([^<]*)</g)].map(([, name]) => name);

const person = (firstName: string, lastName: string, more: Partial<TestEmployee> = {}) => ({
  firstName,
  lastName,
  ...more,
});

t.test('shows the employees of the account, and no other, to every signed-in user', async (t) => {
  const { browser } = await directoryOf([person('Ada', 'Lovelace'), person('Alan', 'Turing')]);
  await directoryOf([person('Grace', 'Hopper')]);
  const page = await browser.open('/people');
  isPage(t, page);
  t.same(namesOn(page.body), ['Lovelace, Ada', 'Turing, Alan']);
  t.match(page.body, /2 people/);
  t.match(page.body, /<a href="\/people" aria-current="page">Directory/);
  isPage(t, await browser.open('/people?q=Grace'));
  t.same(namesOn((await browser.open('/people?q=Grace')).body), []);
});

t.test('shows job title and location, and a dash for those that are unknown', async (t) => {
  const { browser } = await directoryOf([
    person('Ada', 'Lovelace', { jobTitle: 'Head of <R&D>', location: 'London' }),
    person('Alan', 'Turing', { jobTitle: null, location: null }),
  ]);
  const page = await browser.open('/people');
  isPage(t, page);
  const cells = (label: string) =>
    [...page.body.matchAll(new RegExp(`data-label="${label}"><div>([^/]*)</div>`, 'g'))].map(
      ([, text]) => text,
    );
  t.same(cells('Job title'), ['Head of &lt;R&amp;D>', '–']);
  t.same(cells('Location'), ['London', '–']);
});

t.test('an account without employees shows how to import them', async (t) => {
  const { browser } = await directoryOf([]);
  const page = await browser.open('/people');
  isPage(t, page);
  t.match(page.body, /No people yet/);
});

t.test('finds employees by the start of name, e-mail address or number', async (t) => {
  const { browser } = await directoryOf([
    person('Ada', 'Lovelace', { email: 'ada@x.example', employeeNumber: 'E0001' }),
    person('Áine', "O'Brien", { email: 'aob@x.example', employeeNumber: 'E0002' }),
    person('Jean-Luc', 'van der Berg', { email: 'JL@x.example', employeeNumber: 'x9' }),
    person('Ronald', 'McDonald', { email: 'ron@x.example', employeeNumber: 'E0017' }),
    person('100%', 'Per_cent', { email: 'p@x.example', employeeNumber: 'E0018' }),
  ]);
  for (const [query, expected] of [
    ['ada', ['Lovelace, Ada']],
    ['LOVE', ['Lovelace, Ada']],
    ['ada lov', ['Lovelace, Ada']],
    ['Lovelace, Ada', ['Lovelace, Ada']],
    ['ada turing', []],
    ['áine', ["O'Brien, Áine"]],
    ["o'brien", ["O'Brien, Áine"]],
    ['van der', ['van der Berg, Jean-Luc']],
    ['jean-luc', ['van der Berg, Jean-Luc']],
    ['mcd', ['McDonald, Ronald']],
    ['ADA@X', ['Lovelace, Ada']],
    ['e000', ['Lovelace, Ada', "O'Brien, Áine"]],
    ['X9', ['van der Berg, Jean-Luc']],
    ['%', []],
    ['100%', ['Per_cent, 100%']],
    ['per_', ['Per_cent, 100%']],
    ['_', []],
    ["' OR 1=1 --", []],
    ['ove', []],
  ] as const) {
    const page = await browser.open(`/people?q=${encodeURIComponent(query)}`);
    isPage(t, page, 200, query);
    t.same(namesOn(page.body), expected, query);
  }
  t.match((await browser.open('/people?q=zzz')).body, /No people match “zzz”/);
});

t.test('sorts in both directions by each sortable column', async (t) => {
  const { browser } = await directoryOf([
    person('A', 'One', { department: 'B', status: 'active', employeeNumber: '3' }),
    person('B', 'Two', { department: 'A', status: 'terminated', employeeNumber: '1' }),
    person('C', 'Three', { department: 'C', status: 'on_leave', employeeNumber: '2' }),
  ]);
  const orders = { name: ['One', 'Three', 'Two'], number: ['Two', 'Three', 'One'] };
  const more = { department: ['Two', 'One', 'Three'], status: ['One', 'Three', 'Two'] };
  for (const [key, expected] of Object.entries({ ...orders, ...more })) {
    const lastNames = async (sort: string) =>
      namesOn((await browser.open(`/people?sort=${sort}`)).body).map((name) => name?.split(',')[0]);
    t.same(await lastNames(key), expected, key);
    t.same(await lastNames(`-${key}`), expected.toReversed(), `-${key}`);
  }
  const page = await browser.open('/people?sort=-status');
  t.match(page.body, /aria-sort="descending"><a href="\/people\?sort=status">/);
  t.match(page.body, 'On leave');
  t.same(
    namesOn((await browser.open('/people?sort=password_hash')).body).length,
    3,
    'an unknown sort key is ignored',
  );
});

t.test('pages keep search and sort order', async (t) => {
  const people = Array.from({ length: 60 }, (_, index) => person(`P${100 + index}`, 'Same'));
  const { browser } = await directoryOf(people);
  const seen: (string | undefined)[] = [];
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
  expectRedirect(t, await browser.open('/people?page=999999'), '/people?page=3');
  for (const page of ['0', '-1', '1e3', '0x2', '99999999999999999999', 'x', '']) {
    t.match((await browser.open(`/people?page=${page}`)).body, /Page 1 of 3/, page);
  }
});

t.test('responds to an invalid query without a 5xx', async (t) => {
  const { browser } = await directoryOf([person('Ada', 'Lovelace')]);
  isPage(t, await browser.open('/people?q=a&q=b'), 400);
  isPage(t, await browser.open('/people?q=%00'), 400);
  isPage(t, await browser.open(`/people?q=${'a%20'.repeat(3000)}`));
  isPage(t, await browser.open(`/people?q=${encodeURIComponent('\u{10FFFF}')}`));
  isPage(t, await browser.open('/people?q[x]=1&__proto__=2&unknown=3'));
});

t.test('redirects / and /people/settings by role, and responds 404 to unknown paths', async (t) => {
  const { browser: member } = await directoryOf([]);
  const { browser: owner } = await directoryOf([], 'owner');
  expectRedirect(t, await member.open('/'), '/people');
  expectRedirect(t, await member.open('/people/settings'), '/people/settings/connected_applications');
  expectRedirect(t, await owner.open('/people/settings'), '/people/settings/oauth_applications');
  isPage(t, await owner.open('/people/nowhere'), 404);
  t.match((await owner.open('/people/nowhere')).body, /There is no page at this address/);
});
