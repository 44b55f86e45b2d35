import { changedEntries } from '../support/browser/form-entries.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import { hostileNames } from '../support/input/hostile-names.js';
import { defineAttributes, setCustomValues } from '../support/records/custom-attributes.js';
import {
  type EmployeeScene,
  employeeScene,
  fieldErrors,
  validForm,
} from '../support/records/employee-scene.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database } = api;
const { prisma } = database;

const newPath = '/people/employees/new';
const editPath = ({ ids }: EmployeeScene) => `/people/employees/${ids[0]}/edit`;

const definitions = [
  { key: 'cost_center' },
  { key: 'notes', type: 'long_text' },
  { key: 'salary', type: 'number', sensitive: true },
  { key: 'birthday', type: 'date' },
  { key: 'remote', type: 'boolean' },
  { key: 'size', type: 'choice', choices: ['Small', 'Large'] },
  { key: 'languages', type: 'choices', choices: ['English', 'German', 'French'] },
] as const;

const filled = {
  cost_center: 'C1',
  notes: 'One\nTwo',
  salary: 1234.5,
  birthday: '1990-02-28',
  remote: false,
  size: 'Small',
  languages: ['English', 'French'],
};

type Changes = Readonly<Record<string, string | readonly string[]>>;

/** An account with custom attributes and an employee who has these values. */
async function sceneWith(values: object = {}, defined: Parameters<typeof defineAttributes>[2] = definitions) {
  const scene = await employeeScene(api, [{ employeeNumber: 'E1' }], 'admin');
  await defineAttributes(database, scene.accountId, defined);
  await setCustomValues(database, scene.accountId, String(scene.ids[0]), values);
  return scene;
}

const edit = async (scene: EmployeeScene, changes: Changes, html?: string) =>
  scene.browser.submit(
    editPath(scene),
    changedEntries(html ?? (await scene.browser.open(editPath(scene))).body, changes),
  );

const customOf = async (scene: EmployeeScene) => (await scene.stored()).map(({ custom }) => custom);

const change = (scene: EmployeeScene, key: string, data: object) =>
  prisma.customAttribute.updateMany({ where: { accountId: scene.accountId, key }, data });

t.test('the forms of an account without custom attributes have none of their fields', async (t) => {
  const scene = await employeeScene(api, [{}]);
  for (const path of [newPath, editPath(scene)]) t.notMatch((await scene.browser.open(path)).body, 'custom');
});

t.test(
  'the form has a field of its type for each attribute, in the order in which they were added',
  async (t) => {
    const scene = await sceneWith(filled, [
      ...definitions,
      { key: 'badge', required: true },
      { key: 'gone', archivedAt: new Date() },
    ]);
    await change(scene, 'salary', { description: 'Per year & gross' });
    for (const path of [newPath, editPath(scene)]) {
      const { body } = await scene.browser.open(path);
      const names = [...body.matchAll(/ id="(custom\.[a-z_]+)"/g)].map(([, name]) => name);
      t.same(names, [...definitions.map(({ key }) => `custom.${key}`), 'custom.badge']);
      t.match(body, '<label for="custom.cost_center">Label of cost_center (optional)</label>');
      t.match(body, '<label for="custom.badge">Label of badge</label>');
      t.match(body, /<input type="text" id="custom\.badge"[^>]* required/);
      t.match(body, '<p class="hint" id="custom.salary-hint">Per year &amp; gross</p>');
      t.match(
        body,
        /id="custom\.salary"[^>]* inputmode="decimal"[^>]* aria-describedby="custom\.salary-hint"/i,
      );
      t.match(body, '<textarea id="custom.notes" name="custom.notes"');
      t.match(body, '<input type="date" id="custom.birthday"');
      t.match(body, '<fieldset id="custom.languages"');
      t.notMatch(body, 'gone');
    }
    const { body } = await scene.browser.open(editPath(scene));
    t.match(body, /id="custom\.salary" name="custom\.salary" value="1234\.5"/);
    t.match(body, /<option (?=[^>]*selected)[^>]*value="no"[^>]*>No</);
    t.match(body, '>One\nTwo</textarea>');
  },
);

t.test('a new employee is stored with values of every type, and they are audited', async (t) => {
  const scene = await sceneWith();
  const page = await scene.browser.open(newPath);
  const given = {
    'custom.cost_center': ' C 1 ',
    'custom.notes': 'One\r\n\r\nTwo',
    'custom.salary': '-0.5',
    'custom.birthday': '2000-02-29',
    'custom.remote': 'yes',
    'custom.size': 'Large',
    'custom.languages': ['French', 'English'],
  };
  expectRedirect(
    t,
    await scene.browser.submit(newPath, changedEntries(page.body, { ...validForm, ...given })),
    /employee_created$/,
  );
  const custom = {
    ...{ cost_center: 'C 1', notes: 'One\n\nTwo', salary: -0.5, birthday: '2000-02-29' },
    ...{ remote: true, size: 'Large', languages: ['English', 'French'] },
  };
  t.same(await customOf(scene), [null, custom]);
  const [event] = await scene.events();
  t.match(event?.details, {
    'custom.salary': '-0.5',
    'custom.remote': 'yes',
    'custom.languages': 'English; French',
  });
});

t.test('an invalid value is rejected beside its field, and keeps all input', async (t) => {
  const scene = await sceneWith(filled);
  const form = (await scene.browser.open(editPath(scene))).body;
  const number =
    'Label of salary must be a number such as 1234.5, with at most 11 digits before the decimal point and 4 after it.';
  const date =
    'Label of birthday must be an existing date from 0001-01-01 to 9999-12-31, such as 2026-01-31.';
  for (const [key, value, message] of [
    ['cost_center', 'x'.repeat(256), 'Label of cost_center must have at most 255 characters.'],
    ['cost_center', 'a\u202eb', /must not contain control or invisible characters/],
    ['cost_center', 'a\nb', /must not contain control or invisible characters/],
    ['notes', 'x'.repeat(2001), 'Label of notes must have at most 2000 characters.'],
    ['notes', 'a\nb\u0001', /must not contain control or invisible characters/],
    ...['1,5', '1e3', '0x10', '123456789012', '1.23456', 'NaN', '--1', '１'].map(
      (text) => ['salary', text, number] as const,
    ),
    ...['2025-02-29', '29.02.2024', '0000-01-01', '20240229'].map(
      (text) => ['birthday', text, date] as const,
    ),
    ['remote', 'perhaps', 'Label of remote must be yes or no.'],
    ['size', 'Huge', 'Label of size must be one of Small, Large.'],
    ['size', ['Small', 'Large'], 'Label of size must be one of Small, Large.'],
    [
      'languages',
      ['English', 'Klingon'],
      'Label of languages must not have Klingon, which is no longer a choice.',
    ],
    ['languages', 'English;German', /must not have English;German/],
  ] as const) {
    const label = `${key} ${JSON.stringify(value).slice(0, 40)}`;
    const others = { 'custom.cost_center': 'Kept', location: 'Kept' };
    const page = await edit(scene, { ...others, [`custom.${key}`]: value }, form);
    isPage(t, page, 400, label);
    const errors = fieldErrors(page.body);
    t.same(Object.keys(errors), [`custom.${key}`], label);
    t.match(errors[`custom.${key}`], message, label);
    t.match(page.body, `<a href="#custom.${key}">`);
    t.match(page.body, /id="location" name="location" value="Kept"/);
    if (key !== 'cost_center') t.match(page.body, /name="custom\.cost_center" value="Kept"/);
  }
  t.same(await customOf(scene), [filled]);
  t.same(await scene.events(), []);
});

t.test('a required attribute needs a value when an employee is added and when one is edited', async (t) => {
  const required = definitions.map((definition) => ({ ...definition, required: true }));
  const scene = await sceneWith({}, required);
  const page = await scene.browser.open(newPath);
  const names = required.map(({ key }) => `custom.${key}`);
  const blank = Object.fromEntries(names.map((name) => [name, name === 'custom.cost_center' ? ' \t' : '']));
  for (const response of [
    await scene.browser.submit(newPath, changedEntries(page.body, validForm)),
    await scene.browser.submit(newPath, changedEntries(page.body, { ...validForm, ...blank })),
    await edit(scene, {}),
    await edit(scene, { location: 'Paris', ...blank }),
  ]) {
    isPage(t, response, 400);
    const errors = fieldErrors(response.body);
    t.same(Object.keys(errors), names);
    t.equal(errors['custom.languages'], 'Label of languages is required.');
  }
  t.same(await customOf(scene), [null]);
  const { languages, remote: _, salary: __, ...texts } = filled;
  const given = Object.fromEntries(Object.entries(texts).map(([key, value]) => [`custom.${key}`, value]));
  const others = { 'custom.languages': languages, 'custom.remote': 'no', 'custom.salary': '1234.50' };
  expectRedirect(t, await edit(scene, { ...given, ...others }), /employee_updated$/);
  t.same(await customOf(scene), [filled]);
  t.same(fieldErrors((await edit(scene, { 'custom.languages': [] })).body), {
    'custom.languages': 'Label of languages is required.',
  });
});

t.test('a form without changes changes nothing, however values are stored', async (t) => {
  const values = {
    ...filled,
    cost_center: 'Zoe\u0308',
    notes: ' Zoe\u0308 \r\n\tx  \ny',
    size: 'Sma\u0308ll',
    languages: ['E;F'],
  };
  const choices = { size: ['Sma\u0308ll'], languages: ['E;F'] };
  const scene = await sceneWith(
    values,
    definitions.map((definition) => ({
      ...definition,
      ...('choices' in definition && { choices: choices[definition.key] }),
    })),
  );
  expectRedirect(t, await edit(scene, {}), /employee_updated$/);
  t.same(await scene.events(), []);
  expectRedirect(t, await edit(scene, { location: 'Paris' }), /employee_updated$/);
  t.same(await customOf(scene), [values]);
  t.same(Object.keys(Object((await scene.events())[0]?.details)).sort(), [
    'employee',
    'employee_number',
    'location',
  ]);
});

t.test('values are changed and removed one by one, and audited with the values before', async (t) => {
  const scene = await sceneWith(filled);
  const changes = {
    'custom.cost_center': '',
    'custom.remote': '',
    'custom.languages': [],
    'custom.salary': '2',
  };
  expectRedirect(t, await edit(scene, changes), /employee_updated$/);
  const { cost_center: _, remote: __, languages: ___, ...others } = filled;
  t.same(await customOf(scene), [{ ...others, salary: 2 }]);
  const [event] = await scene.events();
  t.same(event?.details, {
    employee: scene.ids[0],
    employee_number: 'E1',
    'custom.cost_center': 'C1 → –',
    'custom.languages': 'English; French → –',
    'custom.remote': 'no → –',
    'custom.salary': '1234.5 → 2',
  });
});

t.test('a removed choice stays selected until the value is changed', async (t) => {
  const scene = await sceneWith(filled);
  await change(scene, 'size', { choices: ['Large'] });
  await change(scene, 'languages', { choices: ['German', 'French'] });
  const { body } = await scene.browser.open(editPath(scene));
  t.match(body, /<option (?=[^>]*selected)[^>]*value="Small"[^>]*>Small \(no longer a choice\)</);
  t.match(body, /value="English" checked[^>]*><span>English \(no longer a choice\)</);
  expectRedirect(t, await edit(scene, { location: 'Paris' }), /employee_updated$/);
  t.same(await customOf(scene), [filled]);
  const page = await edit(scene, { 'custom.languages': ['English', 'German'] });
  isPage(t, page, 400);
  t.same(fieldErrors(page.body), {
    'custom.languages': 'Label of languages must not have English, which is no longer a choice.',
  });
  expectRedirect(
    t,
    await edit(scene, { 'custom.languages': ['German'], 'custom.size': 'Large' }),
    /updated$/,
  );
  t.same(await customOf(scene), [{ ...filled, languages: ['German'], size: 'Large' }]);
  isPage(t, await edit(scene, { 'custom.size': 'Small' }), 400);
});

t.test(
  'an attribute that is archived or added while a form is open is ignored, and keeps its value',
  async (t) => {
    const scene = await sceneWith(filled);
    const opened = (await scene.browser.open(editPath(scene))).body;
    const openedNew = (await scene.browser.open(newPath)).body;
    await change(scene, 'cost_center', { archivedAt: new Date(), required: true });
    await defineAttributes(database, scene.accountId, [{ key: 'later' }]);
    await setCustomValues(database, scene.accountId, String(scene.ids[0]), { ...filled, later: 'Stored' });
    const changes = {
      'custom.cost_center': 'Changed',
      'custom.salary': '3',
      'custom.unknown': 'x',
      custom: '{}',
    };
    expectRedirect(
      t,
      await scene.browser.submit(editPath(scene), changedEntries(opened, changes)),
      /updated$/,
    );
    t.same(await customOf(scene), [{ ...filled, salary: 3, later: 'Stored' }]);
    const added = changedEntries(openedNew, { ...validForm, ...changes });
    expectRedirect(t, await scene.browser.submit(newPath, added), /created$/);
    t.same(await customOf(scene), [{ ...filled, salary: 3, later: 'Stored' }, { salary: 3 }]);
    t.notMatch(JSON.stringify(await scene.events()), 'Changed');
  },
);

t.test('two users who change the same value see both, and what only one has changed is merged', async (t) => {
  const scene = await sceneWith(filled);
  const opened = (await scene.browser.open(editPath(scene))).body;
  const theirs = {
    'custom.languages': ['German'],
    'custom.remote': 'yes',
    'custom.notes': 'A\nB',
    'custom.salary': '5',
  };
  expectRedirect(t, await edit(scene, theirs), /updated$/);
  const mine = {
    'custom.languages': ['French'],
    'custom.remote': '',
    'custom.notes': 'C',
    'custom.size': 'Large',
  };
  const page = await scene.browser.submit(editPath(scene), changedEntries(opened, mine));
  isPage(t, page, 409);
  const rows = [...page.body.matchAll(/data-label="(?:Attribute|Saved|Yours)"><div>(.*?)<\/div>/gs)];
  t.same(
    rows.map(([, cell = '']) => cell.replaceAll(/<[^>]*>/g, '')),
    [
      ...['Label of notes', 'A\nB', 'C', 'Label of remote', 'Yes', '–'],
      ...['Label of languages', 'German', 'French'],
    ],
  );
  t.same(Object.keys(fieldErrors(page.body)), ['custom.notes', 'custom.remote', 'custom.languages']);
  t.match(await customOf(scene), [{ languages: ['German'], size: 'Small' }], 'nothing is replaced yet');
  expectRedirect(t, await scene.browser.submit(editPath(scene), changedEntries(page.body, {})), /updated$/);
  const { remote: _, ...others } = filled;
  t.same(await customOf(scene), [{ ...others, notes: 'C', salary: 5, size: 'Large', languages: ['French'] }]);
});

t.test('all values together are limited', async (t) => {
  const keys = Array.from({ length: 10 }, (_, index) => `text_${index}`);
  const scene = await sceneWith(
    {},
    keys.map((key) => ({ key, type: 'long_text' })),
  );
  const fill = (chosen: readonly string[]) =>
    edit(scene, Object.fromEntries(chosen.map((key) => [`custom.${key}`, 'x'.repeat(1_950)])));
  for (const chosen of [keys, keys.slice(0, 4), keys.slice(4, 8), keys.slice(8)]) {
    const page = await fill(chosen);
    if (page.statusCode === 303) continue;
    isPage(t, page, 400);
    t.match(Object.values(fieldErrors(page.body)), [
      'The custom attributes together must have at most 16000 bytes of UTF-8.',
    ]);
  }
  t.same(Object.keys(Object((await customOf(scene))[0])), keys.slice(0, 8));
});

t.test('the values of archived attributes count for all values of an employee', async (t) => {
  const archived = Array.from({ length: 10 }, (_, index) => `old_${index}`);
  const active = ['notes', 'plan', 'text'];
  const scene = await sceneWith(
    Object.fromEntries(archived.map((key) => [key, 'x'.repeat(2_000)])),
    [...archived, ...active].map((key) => ({ key, type: 'long_text' })),
  );
  await prisma.customAttribute.updateMany({
    where: { accountId: scene.accountId, key: { in: archived } },
    data: { archivedAt: new Date() },
  });
  // Each has two bytes in UTF-8.
  const values = active.map((key) => [`custom.${key}`, 'é'.repeat(2_000)] as const);
  expectRedirect(t, await edit(scene, Object.fromEntries(values.slice(0, 2))), /updated$/);
  const page = await edit(scene, Object.fromEntries(values));
  isPage(t, page, 400);
  t.match(Object.values(fieldErrors(page.body)), [
    'The custom attributes together with those that are not shown here must have at most 30000 bytes of UTF-8.',
  ]);
  expectRedirect(t, await edit(scene, { 'custom.notes': 'short' }), /updated$/);
});

t.test('an employee of an account with 50 attributes is added and edited', async (t) => {
  const keys = Array.from({ length: 50 }, (_, index) => `text_${index}`);
  const scene = await sceneWith(
    {},
    keys.map((key) => ({ key })),
  );
  const fill = (value: string) => Object.fromEntries(keys.map((key) => [`custom.${key}`, value]));
  const opened = await scene.browser.open(newPath);
  const added = changedEntries(opened.body, { ...validForm, ...fill('A') });
  expectRedirect(t, await scene.browser.submit(newPath, added), /employee_created$/);
  expectRedirect(t, await edit(scene, fill('B')), /updated$/);
  const stored = await customOf(scene);
  t.same(stored.map((custom) => [...new Set(Object.values(Object(custom)))]).toSorted(), [['A'], ['B']]);
  t.same(
    stored.map((custom) => Object.keys(Object(custom)).length),
    [50, 50],
  );
});

t.test('all of 50 choices of two attributes are stored, and those of a new employee', async (t) => {
  const choices = Array.from({ length: 50 }, (_, index) => `Choice ${index}`);
  const scene = await sceneWith(
    {},
    ['skills', 'sites'].map((key) => ({ key, type: 'choices', choices })),
  );
  const all = { 'custom.skills': choices, 'custom.sites': choices };
  const opened = await scene.browser.open(newPath);
  const added = changedEntries(opened.body, { ...validForm, ...all });
  expectRedirect(t, await scene.browser.submit(newPath, added), /employee_created$/);
  expectRedirect(t, await edit(scene, all), /updated$/);
  const custom = { skills: choices, sites: choices };
  t.same(await customOf(scene), [custom, custom]);
  expectRedirect(t, await edit(scene, { 'custom.sites': [] }), /updated$/);
  t.strictSame((await customOf(scene)).map((one) => Object.keys(Object(one)).length).toSorted(), [1, 2]);
});

t.test('escapes labels, descriptions, choices and values', async (t) => {
  for (const hostile of hostileNames.filter((name) => /[<"&]/.test(name)).slice(0, 10)) {
    const scene = await sceneWith(
      {},
      definitions.map((definition) => ({
        ...definition,
        label: hostile,
        description: hostile,
        ...('choices' in definition && { choices: [hostile] }),
      })),
    );
    const text = hostile.trim();
    await prisma.$executeRaw`UPDATE employees SET custom = ${JSON.stringify({ cost_center: text, notes: text, size: hostile, languages: [hostile] })}::jsonb WHERE account_id = ${scene.accountId}`;
    for (const path of [newPath, editPath(scene), editPath(scene).replace(/\/edit$/, '')]) {
      const page = await scene.browser.open(path);
      isPage(t, page);
      t.notMatch(page.body, /<script>|<img|<h1>x/);
    }
    isPage(t, await edit(scene, { 'custom.salary': text, 'custom.size': text }), 400);
  }
});

t.test('the change of several people needs no value of a required attribute', async (t) => {
  const scene = await sceneWith({}, [{ key: 'badge', required: true }]);
  const path = '/people/employees/change';
  const [id = ''] = scene.ids;
  const page = await scene.browser.open(`${path}?employee=${id}`);
  isPage(t, page);
  t.notMatch(page.body, 'badge');
  const chosen = changedEntries(page.body, { attribute: 'department', department: 'Moved' });
  const confirmation = await scene.browser.submit(path, chosen);
  isPage(t, confirmation);
  const form = changedEntries(confirmation.body, {});
  expectRedirect(t, await scene.browser.submit(`${path}/confirm`, form), /employees_updated$/);
  t.match(await scene.stored(), [{ department: 'Moved', custom: null }]);
});
