import { givenAttributes } from '../../src/features/employees/employee-attributes.js';
import { isPage } from '../support/browser/pages.js';
import { createdId, createReport, reportsPath, tableRows } from '../support/browser/report-pages.js';
import { createRandom, type Random } from '../support/input/random.js';
import { defineAttributes } from '../support/records/custom-attributes.js';
import { employeeScene } from '../support/records/employee-scene.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { createReportClient, type ReportClient } from '../support/records/reports.js';
import { createApplication, createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp, type TestApp } from '../support/server/app.js';
import t from '../support/tap.js';

// Today is 1 March 2026.
const api = await buildTestApp(t);
const { prisma } = api.database;

const beginHistory = (accountId: string, historySince: string) =>
  prisma.account.update({ where: { id: accountId }, data: { historySince: new Date(historySince) } });

/** Moves the events of an account that were added since the last call to a time. */
function eventMover(accountId: string) {
  let moved = 0n;
  return async (time: string) => {
    await prisma.event.updateMany({
      where: { accountId, position: { gt: moved } },
      data: { occurredAt: new Date(time) },
    });
    const totals = await prisma.accountTotals.findUniqueOrThrow({ where: { accountId } });
    moved = totals.events;
  };
}

/** Sets columns of an employee in one statement, unless it has these values. */
async function set(accountId: string, id: string, data: Record<string, unknown>): Promise<void> {
  const stored: Record<string, unknown> = await prisma.employee.findFirstOrThrow({
    where: { accountId, id },
  });
  const isStored = ([name, value]: [string, unknown]) =>
    name === 'updatedAt' || JSON.stringify(stored[name] ?? {}) === JSON.stringify(value ?? {});
  if (Object.entries(data).every(isStored)) return;
  await prisma.employee.updateMany({ where: { accountId, id }, data });
}

const definitions: readonly object[] = [
  {
    columns: ['id', ...givenAttributes.map(({ name }) => name), 'updated_at'],
    sort: ['last_name', '-updated_at'],
  },
  { columns: ['id', 'custom.bonus', 'custom.team', 'updated_at'], sort: ['custom.bonus'] },
  { columns: ['id'], filters: [{ field: 'status', operator: 'eq', value: 'active' }] },
  { columns: ['id'], filters: [{ field: 'location', operator: 'empty' }], sort: ['-email'] },
  { columns: ['id'], filters: [{ field: 'custom.bonus', operator: 'gte', value: '3' }] },
  {
    columns: ['id'],
    filters: [{ field: 'updated_at', operator: 'on_or_after', value: '2026-02-04T00:00:00Z' }],
  },
  { group_by: ['department', 'status'] },
  { group_by: ['location'], sort: ['-count'] },
  { group_by: ['hire_year'] },
  { group_by: ['manager_id', 'custom.team'] },
];

/** What a reader without most attributes runs. */
const restrictedDefinitions: readonly object[] = [
  { columns: ['id', 'first_name', 'hire_date', 'updated_at'], sort: ['updated_at', 'id'] },
  { columns: ['id'], filters: [{ field: 'updated_at', operator: 'after', value: '2026-02-04T00:00:00Z' }] },
];

function randomChange(random: Random, ids: readonly string[]): Record<string, unknown> {
  const changes: Record<string, () => unknown> = {
    status: () => random.pick(['active', 'on_leave', 'terminated']),
    department: () => random.pick(['Sales', 'Legal', 'a,b']),
    location: () => random.pick(['Berlin', 'Lisbon', null, '']),
    hireDate: () => random.pick([new Date('2020-02-29'), new Date('1999-12-31'), null]),
    managerId: () => random.pick([...ids, null]),
    lastName: () => random.pick(['Ng', 'O"Neil', 'Äbc']),
    jobTitle: () => random.pick(['Chef', null]),
    custom: () => random.pick([{ bonus: random.upTo(6) }, { bonus: 2.5, team: 'Red' }, { team: 'Blue' }, {}]),
  };
  const chosen = random.some(Object.keys(changes), 1 + random.upTo(3));
  return Object.fromEntries(chosen.map((name) => [name, changes[name]?.()]));
}

interface Saved {
  readonly id: string;
  readonly client: Pick<ReportClient, 'send'>;
}

/** All rows and the number of rows, and the table as CSV. */
async function shown({ id, client }: Saved, query: string, pages = ''): Promise<unknown> {
  const rows: unknown[] = [];
  let count: unknown;
  let next: string | null = `/v1/reports/${id}/results?${query}${pages}`;
  while (next !== null) {
    const response: Awaited<ReturnType<ReportClient['send']>> = await client.send(
      'GET',
      next.replace('http://api.test', ''),
    );
    if (response.statusCode !== 200) throw new Error(response.body);
    const { data, meta, links } = response.json();
    rows.push(...data);
    count = meta.record_count;
    next = links.next;
  }
  const csv = await client.send('GET', `/v1/reports/${id}/results.csv?${query}`);
  return { rows, count, csv: csv.body };
}

t.test('a report of each date has the rows that it had at the end of that date', async (t) => {
  const client = await createReportClient(api, { employees: makeEmployees(9) });
  const { accountId, application } = client.tenant;
  await beginHistory(accountId, '2026-01-20T12:00:00Z');
  await defineAttributes(api.database, accountId, [
    { key: 'bonus', type: 'number' },
    { key: 'team', type: 'choice', choices: ['Red', 'Blue'] },
  ]);
  await prisma.application.update({
    where: { accountId_id: { accountId, id: application.id } },
    data: { readableAttributes: { push: ['custom.bonus', 'custom.team'] } },
  });
  const restricted = await createApplication(api.database, accountId, { readableAttributes: ['hire_date'] });
  const token = await api.token(restricted);
  const restrictedClient = {
    send: (...[method, url]: Parameters<ReportClient['send']>) =>
      api.app.inject({ method, url, headers: { authorization: `Bearer ${token}` } }),
  };
  const saved: Saved[] = [];
  for (const definition of definitions)
    saved.push({ id: await client.saved({ title: 'x', ...definition }), client });
  for (const definition of restrictedDefinitions)
    saved.push({ id: await client.saved({ title: 'x', ...definition }), client: restrictedClient });

  const random = createRandom(7);
  const move = eventMover(accountId);
  await move('2026-02-01T10:00:00Z');
  const ids = [...client.tenant.employeeIds];
  const expected = new Map<string, unknown[]>();
  const record = async (date: string) => {
    const results: unknown[] = [];
    for (const report of saved) results.push(await shown(report, ''));
    expected.set(date, results);
  };
  await record('2026-02-01');
  // The first and the last millisecond of a day.
  for (const time of ['02-03T00:00:00.000Z', '02-04T23:59:59.999Z', '02-05T00:00:00.000Z']) {
    const at = `2026-${time}`;
    for (let change = 0; change < 9; change += 1)
      await set(accountId, random.pick(ids), { ...randomChange(random, ids), updatedAt: new Date(at) });
    ids.push(...(await insertEmployees(prisma, accountId, makeEmployees(1))));
    await move(at);
    await record(at.slice(0, 10));
  }
  const equals = async (date: string, index: number, results: unknown[] | undefined) => {
    const found = await shown(saved[index] as Saved, `filter[as_of]=${date}`, '&page[size]=7');
    t.same(found, results?.[index], `${date}, report ${index}`);
  };
  for (const [date, results] of expected)
    for (const index of saved.keys()) await equals(date, index, results);
  // Days without a change.
  for (const [date, same] of [
    ['2026-02-02', '2026-02-01'],
    ['2026-02-06', '2026-02-05'],
    ['2026-03-01', '2026-02-05'],
  ] as const)
    for (const index of [0, 1, 6]) await equals(date, index, expected.get(same));

  // Before its first event, an employee was not there.
  t.match(await shown(saved[0] as Saved, 'filter[as_of]=2026-01-31'), { rows: [], count: 0 });
  t.match(await shown(saved[7] as Saved, 'filter[as_of]=2026-01-20'), { rows: [], count: 0 });

  const [deleted, ...others] = ids;
  await prisma.employee.deleteMany({ where: { accountId, id: deleted ?? '' } });
  const left = (await shown(saved[2] as Saved, 'filter[as_of]=2026-02-04')) as { rows: { id: string }[] };
  const before = expected.get('2026-02-04')?.[2] as { rows: { id: string }[] };
  t.same(
    left.rows.map(({ id }) => id),
    before.rows.map(({ id }) => id).filter((id) => others.includes(id)),
    'a deleted employee is not in the history',
  );
});

t.test('relative dates of a report are those of the date', async (t) => {
  const employees = makeEmployees(3).map((employee, index) => ({
    ...employee,
    hireDate: ['2026-01-31', '2026-02-10', '2026-02-28'][index] ?? null,
  }));
  const client = await createReportClient(api, { employees });
  const { accountId } = client.tenant;
  await beginHistory(accountId, '2026-01-01T00:00:00Z');
  await eventMover(accountId)('2026-01-02T00:00:00Z');
  const id = await client.saved({
    title: 'x',
    columns: ['hire_date'],
    filters: [
      { field: 'hire_date', operator: 'on_or_after', value: 'start_of_month' },
      { field: 'hire_date', operator: 'on_or_before', value: 'today' },
    ],
  });
  const dates = async (asOf: string) =>
    (await client.follow(`/v1/reports/${id}/results?filter[as_of]=${asOf}`)).map(
      ({ attributes }) => attributes.hire_date,
    );
  t.same(await dates('2026-02-27'), ['2026-02-10']);
  t.same(await dates('2026-02-28'), ['2026-02-10', '2026-02-28']);
  t.same(await dates('2026-01-31'), ['2026-01-31']);
});

t.test('a date outside of the history is rejected, and the error names the oldest one', async (t) => {
  const client = await createReportClient(api);
  const { accountId } = client.tenant;
  const id = await client.saved({ title: 'x' });
  const get = (path: string, value: string) =>
    client.send('GET', `/v1/reports/${id}/${path}?filter[as_of]=${value}`);
  const isRefused = async (value: string, oldest: string) => {
    for (const path of ['results', 'results.csv']) {
      const response = await get(path, encodeURIComponent(value));
      t.equal(response.statusCode, 400, `${path} ${value}`);
      t.match(
        response.json().errors,
        [
          {
            parameter: 'filter[as_of]',
            code: 'out_of_range',
            detail: `filter[as_of] must be a date from ${oldest}, from which changes are kept, to 2026-03-01, which is today in UTC.`,
          },
        ],
        value,
      );
    }
  };
  await beginHistory(accountId, '2026-02-10T23:59:59.999Z');
  const malformed = [
    '',
    'today',
    '2026-2-11',
    '2026-02-30',
    '2026-02-11T00:00:00Z',
    '-1d',
    ' 2026-02-11',
    '٢٠٢٦-02-11',
  ];
  for (const value of ['2026-02-09', '2026-03-02', '9999-12-31', '0000-01-01', ...malformed])
    await isRefused(value, '2026-02-10');
  for (const value of ['2026-02-10', '2026-03-01'])
    t.equal((await get('results', value)).statusCode, 200, value);

  // 400 days before 1 March 2026.
  await beginHistory(accountId, '2020-01-01T00:00:00Z');
  await isRefused('2025-01-24', '2025-01-25');
  t.equal((await get('results', '2025-01-25')).statusCode, 200);

  // The clock of the database is ahead.
  await beginHistory(accountId, '2026-03-02T00:00:00Z');
  await isRefused('2026-02-28', '2026-03-01');

  const repeated = await get('results', '2026-03-01&filter[as_of]=2026-03-01');
  t.equal(repeated.statusCode, 400);
});

t.test('HISTORY_RETENTION_DAYS determines the oldest date', async (t) => {
  const own: TestApp = await buildTestApp(t, { environment: { HISTORY_RETENTION_DAYS: '3' } });
  const client = await createReportClient(own);
  await own.database.prisma.account.update({
    where: { id: client.tenant.accountId },
    data: { historySince: new Date('2026-01-01') },
  });
  const id = await client.saved({ title: 'x' });
  const status = async (date: string) =>
    (await client.send('GET', `/v1/reports/${id}/results?filter[as_of]=${date}`)).statusCode;
  t.same([await status('2026-02-25'), await status('2026-02-26')], [400, 200]);
});

t.test('a report of another account is not found, whatever the date is', async (t) => {
  const client = await createReportClient(api);
  const id = await client.saved({ title: 'x' });
  const other = await createTenant(api.database);
  const token = await api.token(other.application);
  for (const date of ['2026-03-01', '1999-01-01', 'x'])
    t.equal((await api.get(`/v1/reports/${id}/results?filter[as_of]=${date}`, token)).statusCode, 404, date);
});

t.test('a page of a report shows, links and downloads the employees of a date', async (t) => {
  const people = ['Oslo', 'Oslo', 'Rome'].map((location) => ({ location }));
  const { accountId, ids, browser } = await employeeScene(api, people);
  await beginHistory(accountId, '2026-02-01T00:00:00Z');
  const move = eventMover(accountId);
  await move('2026-02-02T00:00:00Z');
  await set(accountId, ids[0] ?? '', { location: 'Rome' });
  await move('2026-02-20T00:00:00Z');
  const id = createdId(await createReport(browser, { kind: 'groups', title: 'Places', group_1: 'location' }));
  const address = `${reportsPath}/${id}`;
  const rows = async (path: string, caption = 'Places') => {
    const page = await browser.open(path);
    isPage(t, page);
    return { html: page.body, rows: tableRows(page.body, caption).map((row) => row.join(' ')) };
  };
  const present = await rows(address);
  t.same(present.rows, ['Oslo 1', 'Rome 2']);
  t.notMatch(present.html, 'Employees as of');
  const earlier = await rows(`${address}?as_of=2026-02-19`);
  t.same(earlier.rows, ['Oslo 2', 'Rome 1']);
  t.match(earlier.html, /Employees as of <time datetime="2026-02-19">/);
  for (const path of ['results.csv', 'employees', 'chart.svg'])
    t.match(earlier.html, new RegExp(`${path}\\?[^"]*as_of=2026-02-19`), path);
  const csv = await browser.open(`${address}/results.csv?as_of=2026-02-19`);
  t.match(csv.body, /Oslo,2\n/);
  t.match(csv.headers['content-disposition'], 'Places 2026-02-19.csv');
  const group = await rows(`${address}/employees?by=location&value=Oslo&as_of=2026-02-19`, 'Location: Oslo');
  t.equal(group.rows.length, 2);
  t.match((await browser.open(`${address}/chart.svg?as_of=2026-02-19`)).body, /Oslo/);

  const invalid = await rows(`${address}?as_of=2026-01-31`);
  t.same(invalid.rows, present.rows, 'an invalid date shows the present employees');
  t.match(invalid.html, /role="alert"[^>]*>Date must be a date from 2026-02-01/);
  t.equal((await browser.open(`${address}/results.csv?as_of=2026-01-31`)).statusCode, 404);
});
