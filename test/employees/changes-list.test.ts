import { deleteEmployees } from '../../src/features/employees/employee-changes.js';
import { change } from '../../src/platform/changes/change.js';
import { hiddenFields } from '../support/browser/browser.js';
import { check, runImport, startUpload } from '../support/browser/import-pages.js';
import { confirm, expectRedirect } from '../support/browser/pages.js';
import { defineAttributes, setCustomValues } from '../support/records/custom-attributes.js';
import { changeReader, changesPath, summaryOf } from '../support/records/employee-changes.js';
import {
  type EmployeeScene,
  employeeScene,
  fieldValues,
  validForm,
} from '../support/records/employee-scene.js';
import { csvHeader, importText } from '../support/records/import.js';
import { createApplication, createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { importBatchSize: 20, environment: { RATE_LIMIT_FAILURES: '0' } });
const { prisma } = api.database;

/** The changes that an application of the account reads, which may read all attributes of the contract and these. */
async function readerOf(accountId: EmployeeScene['accountId'], custom: readonly string[] = []) {
  const standard = ['job_title', 'location', 'hire_date', 'termination_date', 'manager_id'];
  const readableAttributes = [...standard, ...custom.map((key) => `custom.${key}`)];
  const application = await createApplication(api.database, accountId, { readableAttributes });
  return changeReader(api, await api.token(application));
}

const idOf = async (accountId: string, employeeNumber: string) =>
  (await prisma.employee.findFirstOrThrow({ where: { accountId, employeeNumber } })).id;

t.test('a form: who created and updated the employee, with the values before and after', async (t) => {
  const scene = await employeeScene(api, []);
  const { browser, accountId, user } = scene;
  const form = hiddenFields((await browser.open('/people/employees/new')).body);
  expectRedirect(
    t,
    await browser.submit('/people/employees/new', { ...form, ...validForm }),
    /employee_created$/,
  );
  const id = await idOf(accountId, 'E100');
  const path = `/people/employees/${id}/edit`;
  const edited = fieldValues((await browser.open(path)).body);
  expectRedirect(
    t,
    await browser.submit(path, {
      ...edited,
      location: '',
      status: 'on_leave',
      termination_date: '1986-08-14',
    }),
    /employee_updated$/,
  );
  const { data, meta, links } = await (await readerOf(accountId)).page(id);
  t.same(data.map(summaryOf), [
    [
      'updated',
      'form',
      'status: "active" → "on_leave"',
      'location: "Arlington" → null',
      'termination_date: null → "1986-08-14"',
    ],
    [
      'created',
      'form',
      'employee_number: null → "E100"',
      'first_name: null → "Grace"',
      'last_name: null → "Hopper"',
      'email: null → "grace@x.example"',
      'status: null → "active"',
      'department: null → "Navy"',
      'job_title: null → "Rear admiral"',
      'location: null → "Arlington"',
      'hire_date: null → "1943-12-01"',
    ],
  ]);
  for (const { type, attributes } of data) {
    t.equal(type, 'employee_changes');
    t.same(attributes.actor, { type: 'user', client_id: null, user_id: user.id });
  }
  t.same({ meta, links }, { meta: { next_cursor: null }, links: { next: null } });
  const token = await api.token(await createApplication(api.database, accountId));
  const events = (await api.get('/v1/events', token)).json().data;
  const inFeed = (events as { id: string; occurred_at: string; resource: { id: string } }[]).filter(
    ({ resource }) => resource.id === id,
  );
  t.same(
    data.map(({ id, attributes: { occurred_at } }) => [id, occurred_at]),
    inFeed.map(({ id, occurred_at }) => [id, occurred_at]).toReversed(),
    'as in the feed',
  );
});

t.test('a command for single employees: of the operator', async (t) => {
  const { accountId, employeeIds } = await createTenant(api.database, {
    employees: makeEmployees(2, { department: 'Sales', email: '', jobTitle: null }),
  });
  const [id, other] = employeeIds;
  await prisma.employee.updateMany({
    where: { accountId, id: id ?? '' },
    data: { department: 'Marketing', email: 'a@x.example' },
  });
  const { all } = await readerOf(accountId);
  const { changes } = await all(id);
  t.same(
    changes.map(({ attributes }) => attributes.actor.type),
    ['operator', 'operator'],
  );
  t.same(summaryOf(changes[0] as never), [
    'updated',
    'command_line',
    'email: "" → "a@x.example"',
    'department: "Sales" → "Marketing"',
  ]);
  t.match(summaryOf(changes[1] as never), ['created', 'command_line', /employee_number: null → /]);
  t.equal((await all(other)).changes.length, 1, 'another employee has none of them');
});

t.test(
  'imports of a user and of the command line, and undoing one, for every employee of the file',
  async (t) => {
    const { browser, accountId, user } = await employeeScene(api, []);
    const header = `${csvHeader},job_title,manager_employee_number`;
    const rows = (department: string, manager: string) =>
      Array.from(
        { length: 45 },
        (_, index) => `E${index},F,L,e${index}@x.example,active,${department},,${index === 0 ? '' : manager}`,
      );
    await importText(api.database, accountId, [header, ...rows('IT', 'E0')].join('\n'));
    const address = await startUpload(
      browser,
      [header, ...rows('Sales', 'E1').slice(2), 'N1,F,L,n@x.example,active,IT,,E1'].join('\n'),
    );
    await check(api, browser, address);
    await runImport(api, browser, address);
    const { all } = await readerOf(accountId);
    const imported = await idOf(accountId, 'N1');
    t.match(
      (await all(imported)).changes.map(({ attributes: { kind, source, actor } }) => ({
        kind,
        source,
        actor,
      })),
      [
        { kind: 'updated', source: 'import', actor: { type: 'user', user_id: user.id } },
        { kind: 'created', source: 'import', actor: { type: 'user', user_id: user.id } },
      ],
    );
    await browser.submit(`${address}/undo`, hiddenFields((await browser.open(`${address}/undo`)).body));
    const [e0, e1] = [await idOf(accountId, 'E0'), await idOf(accountId, 'E1')];
    for (const number of ['E2', 'E25', 'E44']) {
      const { changes } = await all(await idOf(accountId, number));
      const found = changes.map((change) => {
        const [kind, source, ...values] = summaryOf(change);
        return {
          kind,
          source,
          values: kind === 'created' ? [] : values,
          actor: change.attributes.actor.type,
        };
      });
      const [newest, ...others] = found;
      const undone = found.filter(({ source }) => source === 'import_undo');
      t.equal(newest?.source, 'import_undo', number);
      t.same(
        undone.flatMap(({ values }) => values).toSorted(),
        ['department: "Sales" → "IT"', `manager_id: "${e1}" → "${e0}"`],
        number,
      );
      t.ok(undone.every(({ actor }) => actor === 'user'));
      t.same(
        others.filter((each) => !undone.includes(each)),
        [
          { kind: 'updated', source: 'import', values: [`manager_id: "${e0}" → "${e1}"`], actor: 'user' },
          { kind: 'updated', source: 'import', values: ['department: "IT" → "Sales"'], actor: 'user' },
          { kind: 'updated', source: 'import', values: [`manager_id: null → "${e0}"`], actor: 'operator' },
          { kind: 'created', source: 'import', values: [], actor: 'operator' },
        ],
        number,
      );
    }
    t.equal(
      (
        await api.get(
          changesPath(imported),
          await api.token(await createApplication(api.database, accountId)),
        )
      ).statusCode,
      404,
    );
  },
);

t.test(
  'the deletion of a manager is a change of the direct reports, with its actor and source',
  async (t) => {
    const scene = await employeeScene(api, [{}, {}, {}]);
    const { accountId, browser, ids, user } = scene;
    const [first = '', second = '', report = ''] = ids;
    const setManager = (managerId: string) =>
      prisma.employee.updateMany({ where: { accountId, id: report }, data: { managerId } });
    await setManager(first);
    expectRedirect(t, await confirm(browser, `/people/employees/${first}/delete`), /employee_deleted$/);
    await setManager(second);
    await change(
      prisma,
      { accountId, at: api.clock() },
      async () => {},
      (unit) => deleteEmployees(unit, [{ id: second }]),
    );
    const { changes } = await (await readerOf(accountId)).all(report);
    t.same(
      changes.slice(0, 4).map((each) => [...summaryOf(each), each.attributes.actor.user_id]),
      [
        ['updated', 'command_line', `manager_id: "${second}" → null`, null],
        ['updated', 'command_line', `manager_id: null → "${second}"`, null],
        ['updated', 'form', `manager_id: "${first}" → null`, user.id],
        ['updated', 'command_line', `manager_id: null → "${first}"`, null],
      ],
    );
  },
);

t.test('values of every type of custom attributes, sorted by name after the others', async (t) => {
  const {
    accountId,
    employeeIds: [id = ''],
  } = await createTenant(api.database, { employees: makeEmployees(1, { department: 'A' }) });
  const choices = ['B "x"', 'A', 'C'];
  await defineAttributes(api.database, accountId, [
    { key: 'z_text' },
    { key: 'long', type: 'long_text' },
    { key: 'a_number', type: 'number' },
    { key: 'a_date', type: 'date' },
    { key: 'flag', type: 'boolean' },
    { key: 'one', type: 'choice', choices },
    { key: 'some', type: 'choices', choices },
  ]);
  const keys = ['z_text', 'long', 'a_number', 'a_date', 'flag', 'one', 'some'];
  const before = {
    z_text: '"q" \\ ü',
    long: 'a\nb',
    a_number: -0.25,
    a_date: '2024-02-29',
    flag: false,
    one: 'A',
    some: ['B "x"'],
  };
  const after = {
    z_text: '→',
    long: 'a\nc',
    a_number: 99_999_999_999.9999,
    flag: true,
    some: ['B "x"', 'C'],
  };
  await setCustomValues(api.database, accountId, id, before);
  await prisma.employee.updateMany({ where: { accountId, id }, data: { custom: after, department: 'B' } });
  const { changes } = await (await readerOf(accountId, keys)).all(id);
  const sorted = [
    'custom.a_date',
    'custom.a_number',
    'custom.flag',
    'custom.long',
    'custom.one',
    'custom.some',
    'custom.z_text',
  ];
  const stored = (values: object, name: string) =>
    (values as Record<string, unknown>)[name.slice('custom.'.length)] ?? null;
  t.same(changes[0]?.attributes.changes, [
    { attribute: 'department', from: 'A', to: 'B' },
    ...sorted.map((attribute) => ({
      attribute,
      from: stored(before, attribute),
      to: stored(after, attribute),
    })),
  ]);
  t.same(
    changes[1]?.attributes.changes,
    sorted.map((attribute) => ({ attribute, from: null, to: stored(before, attribute) })),
  );
});

t.test('a creation has the custom values that the application may read', async (t) => {
  const { accountId } = await createTenant(api.database);
  await defineAttributes(api.database, accountId, [{ key: 'size', type: 'number' }, { key: 'note' }]);
  await importText(api.database, accountId, `${csvHeader},custom.size\nE1,F,L,e@x.example,active,IT,40\n`);
  const id = await idOf(accountId, 'E1');
  const created = (await (await readerOf(accountId, ['size', 'note'])).all(id)).changes.at(-1);
  t.same(created?.attributes.changes.at(-1), { attribute: 'custom.size', from: null, to: 40 });
  t.notOk(
    created?.attributes.changes.some(({ to }) => to === null),
    'no values that it did not get',
  );
  const without = (await (await readerOf(accountId)).all(id)).changes.at(-1);
  t.same(without?.attributes.changes, created?.attributes.changes.slice(0, -1));
});
