import { isPage } from '../support/browser/pages.js';
import { createdId, createReport, filterFields, shownErrors } from '../support/browser/report-pages.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { columnKeys } from '../support/records/naive-report.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { prisma } = api.database;

async function ownerAtWork() {
  const scene = await createScene(api.database);
  return { scene, browser: await signedInBrowser(api, scene.user) };
}

const storedReports = (accountId: string) => prisma.report.findMany({ where: { accountId } });

/** Fields with this name at the first positions. */
const numbered = (count: number, name: string, value: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}_${index + 1}`, value]));

const filters = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      [`filter_${index + 1}_field`, 'email'],
      [`filter_${index + 1}_operator`, 'not_eq'],
      [`filter_${index + 1}_value`, `value ${index + 1}`],
    ]).flat(),
  );

type Rejected = [label: string, fields: Record<string, string>, ...messages: RegExp[]];

const rejected: Rejected[] = [
  ['an empty title', { title: ' ' }, /^title: Title .*1 to 255 characters/],
  ['a title that is too long', { title: 'x'.repeat(256) }, /^title: Title .*1 to 255/],
  ['a description that is too long', { description: 'x'.repeat(2001) }, /^description: .*2000/],
  ['an unknown kind', { kind: 'pie' }, /^kind_list: Choose/],
  ['an unknown column', { column_1: 'id', column_5: 'salary' }, /^column_2: Column 2 must be one of: ID;/],
  ['no group', { kind: 'groups' }, /^new_group: Groups must have/],
  ['three groups', { kind: 'groups', ...numbered(3, 'group', 'id') }, /^new_group: Groups must have .*2/],
  ['an unknown group', { kind: 'groups', group_2: 'salary' }, /^group_1: Group 1 must be one of/],
  ['six sort keys', numbered(6, 'sort', 'id'), /^new_sort: Sort by must have/],
  ['an unknown sort key', { sort_1: '--id' }, /^sort_1: Sort key 1 must be one of/],
  ['an order by count in a list', { sort_1: 'count' }, /^sort_1: /],
  [
    'an order by a column that is not a group',
    { kind: 'groups', group_1: 'status', sort_1: 'email' },
    /^sort_1: Sort key 1 must be count, one of the columns in the groups, or one of the measures/,
  ],
  ['one column too many', numbered(65, 'column', 'id'), /^new_column: Columns must have .*64/],
  ['21 filters', filters(21), /^new_filter: Filters must have .*20/],
  [
    'a filter without an attribute',
    filterFields('', 'eq', 'x'),
    /^filter_1_field: Filter 1: choose an attribute/,
  ],
  [
    'an unknown attribute of a filter',
    filterFields('salary', 'eq', 'x'),
    /^filter_1_field: Filter 1: the attribute must be one of/,
  ],
  [
    'an unknown condition',
    filterFields('email', 'like', 'x'),
    /^filter_1_operator: Filter 1: the condition must be one of: is; is not;/,
  ],
  [
    'a list without values',
    filterFields('email', 'in', ''),
    /^filter_1_value: Filter 1: the value must have/,
  ],
  [
    'a list of 101 values',
    filterFields('email', 'in', 'x\n'.repeat(101)),
    /^filter_1_value: .* must have .*100/,
  ],
  ['a value that is too long', filterFields('email', 'eq', 'x'.repeat(256)), /^filter_1_value: .*255/],
  [
    'a date that does not exist',
    filterFields('hire_date', 'before', '2026-02-30'),
    /^filter_1_value: Filter 1: the value must be an RFC 3339 date/,
  ],
  ['no date', filterFields('hire_date', 'before', ''), /^filter_1_value: Filter 1: enter a date\.$/],
  ...['', '0', '-5', '1.5', '100000', 'x'].map(
    (days): Rejected => [
      `${JSON.stringify(days)} days`,
      { ...filterFields('hire_date', 'before', ''), filter_1_when: 'days_ago', filter_1_days: days },
      /^filter_1_days: Filter 1: enter a number of days from 1 to 99,999\.$/,
    ],
  ),
  [
    'an unknown relative date',
    { ...filterFields('hire_date', 'before', '2026-01-01'), filter_1_when: 'soon' },
    /^filter_1_value: Filter 1: the value must be an RFC 3339 date/,
  ],
  ['no manager', filterFields('manager_id', 'eq', ''), /^filter_1_value: Filter 1: choose a manager\.$/],
  ['no status', filterFields('status', 'eq', ''), /^filter_1_value: Filter 1: choose a status\.$/],
  ['one wrong date in a list', filterFields('hire_date', 'in', '2026-02-03\n3.2.2026'), /^filter_1_value: /],
  [
    'a comparison of text with a date',
    filterFields('email', 'before', '2026-02-03'),
    /^filter_1_field: Filter 1: the attribute must be one of: Hire date; Termination date; Updated at/,
  ],
  [
    'a search in dates',
    filterFields('hire_date', 'starts_with', '2026'),
    /^filter_1_operator: .*must not be starts with for Hire date/,
  ],
  ['several errors', { title: '', sort_1: 'x' }, /^title: /, /^sort_1: /],
];

const { scene, browser } = await ownerAtWork();

for (const [label, fields, ...messages] of rejected) {
  t.test(`rejects ${label} and keeps the form`, async (t) => {
    const response = await createReport(browser, { description: 'is kept', ...fields });
    isPage(t, response, 400);
    const errors = shownErrors(response);
    t.equal(errors.length, messages.length, errors.join());
    for (const message of messages)
      t.ok(
        errors.some((error) => message.test(error)),
        errors.join(),
      );
    for (const [, field] of errors.join('\n').matchAll(/^(\w+): /gm)) {
      t.match(response.body, `id="${field}"`, 'the summary links to a field');
      t.match(response.body, `id="${field}-error"`, 'the field has the message');
    }
    if (fields.description === undefined) t.match(response.body, 'is kept');
    const typed = Object.values(fields).filter((value) => /^\w{3,40}$/.test(value) && value !== 'pie');
    for (const value of typed) t.match(response.body, value);
    t.same(await storedReports(scene.accountId), []);
    const where = { accountId: scene.accountId, type: { startsWith: 'report.' } };
    t.equal(await prisma.auditEvent.count({ where }), 0);
  });
}

t.test('rejects a form with more than 100 fields, one that is too large, and NUL', async (t) => {
  isPage(t, await createReport(browser, numbered(101, 'column', 'id')), 400);
  isPage(t, await createReport(browser, { description: 'x'.repeat(70_000) }), 413);
  isPage(t, await createReport(browser, { title: 'a\u0000b' }), 400);
  t.same(await storedReports(scene.accountId), []);
});

t.test('a form with 20 filters and every other field is accepted', async (t) => {
  const fields = {
    ...filters(20),
    ...numbered(columnKeys.length, 'column', 'id'),
    ...numbered(5, 'sort', 'id'),
    ...numbered(2, 'group', 'id'),
  };
  createdId(await createReport(browser, { ...fields, description: 'x' }));
  const [stored] = await storedReports(scene.accountId);
  t.same(stored?.columns, ['id'], 'the first occurrence of a repeated column counts');
  t.equal((stored?.filters as unknown[] | undefined)?.length, 20);
});
