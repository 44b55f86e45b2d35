import { nameTextRule } from '../../src/platform/accounts/name-rules.js';
import { createReportClient, refused } from '../support/records/reports.js';
import { makeEmployees, type TestEmployee } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);

const setUp = (employees: readonly TestEmployee[]) => createReportClient(api, { employees });

t.test('responds 200 or 400 to a forged cursor', async (t) => {
  const client = await setUp(makeEmployees(12));
  for (const definition of [
    { columns: ['id'], sort: ['updated_at', '-last_name'] },
    { group_by: ['updated_at', 'status'], sort: ['-count'] },
  ]) {
    const id = await client.saved({ title: 'x', ...definition });
    const { links } = (await client.send('GET', `/v1/reports/${id}/results?page[size]=3`)).json();
    const next = new URL(links.next);
    const [number, size, print, anchor] = JSON.parse(
      Buffer.from(next.searchParams.get('page[after]') ?? '', 'base64url').toString(),
    );
    const strange = [
      ...['', "' OR true --", '-1', '9'.repeat(20), 'a\u0000', '\ud800', 'infinity'],
      ...['2026-02-30T00:00:00.000Z', '+010000-01-01T00:00:00.000Z'],
    ];
    const values: unknown[] = strange.flatMap((text) =>
      anchor.values.map((_: string, index: number) => anchor.values.with(index, text)),
    );
    values.push([], null, 1, [1], [...anchor.values, 'x'], [{}], anchor.values.slice(1));
    for (const forged of values) {
      const marker = JSON.stringify([number, size, print, { ...anchor, values: forged }]);
      next.searchParams.set('page[after]', Buffer.from(marker).toString('base64url'));
      const response = await client.send('GET', `${next.pathname}${next.search}`);
      t.ok([200, 400].includes(response.statusCode), `${marker}: ${response.statusCode}`);
      if (response.statusCode === 400) t.equal(response.json().errors[0].parameter, 'page[after]');
    }
  }
});

const hostile = [
  ...["' OR '1'='1", "'; DROP TABLE employees; --", '" OR 1=1 --', '\u202e', '$1', "\\'", '%', '_', ':x'],
];

t.test(
  'treats hostile text in every member as data: it changes nothing and finds no record of others',
  async (t) => {
    const ours = await setUp(makeEmployees(4));
    const theirs = await setUp(makeEmployees(3, { department: 'Theirs' }));
    const own = new Set(ours.tenant.employeeIds);
    const before = await api.database.prisma.employee.count();
    for (const text of hostile) {
      // The test runner would interpret some of the text.
      const label = encodeURIComponent(text);
      // Titles have no invisible characters.
      const title = nameTextRule(text) === undefined ? text : 'x';
      for (const operator of ['eq', 'not_eq', 'in', 'not_in', 'contains', 'starts_with']) {
        const value = operator.endsWith('in') ? [text, 'x'] : text;
        const filters = [{ field: 'department', operator, value }];
        const response = await ours.create({ title, description: text, columns: ['id'], filters });
        t.equal(response.statusCode, 201, label);
        const rows = await ours.allRows(response.json().data.id);
        t.equal(rows.length, operator.startsWith('not') ? 4 : 0, `${operator} ${label}`);
        t.ok(rows.every(({ id }) => own.has(id)));
      }
      for (const body of [
        { columns: [text] },
        { sort: [text] },
        { sort: [`-${text}`] },
        { group_by: [text] },
        { filters: [{ field: text, operator: 'eq', value: 'x' }] },
        { filters: [{ field: 'id', operator: text, value: 'x' }] },
        { filters: [{ field: 'updated_at', operator: 'eq', value: text }] },
      ]) {
        refused(t, await ours.create({ title: 'x', ...body }), 'invalid_request', undefined, label);
      }
    }
    t.equal(await api.database.prisma.employee.count(), before);
    const id = await ours.saved({
      title: 'x',
      filters: [{ field: 'id', operator: 'in', value: [...theirs.tenant.employeeIds] }],
    });
    t.same(await ours.allRows(id), []);
    for (const definition of [{ group_by: ['department'] }, { group_by: ['id'] }, { columns: ['id'] }]) {
      const report = await ours.saved({ title: 'x', ...definition });
      const shown = JSON.stringify([await ours.allRows(report), await ours.csv(report)]);
      t.notMatch(shown, 'Theirs');
      for (const stranger of theirs.tenant.employeeIds) t.notMatch(shown, stranger);
    }
  },
);
