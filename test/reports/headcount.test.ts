import { isPage } from '../support/browser/pages.js';
import { reportsPath, tableRows } from '../support/browser/report-pages.js';
import { createRandom } from '../support/input/random.js';
import { employeeScene } from '../support/records/employee-scene.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { createApplication, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

// Today is 1 March 2026.
const api = await buildTestApp(t);
const { prisma } = api.database;
const path = `${reportsPath}/headcount`;
const caption = 'Headcount by status';

t.test('the headcount at the end of a month is that of a report as of that day', async (t) => {
  const people = Array.from({ length: 20 }, (_, index) => ({ status: index < 15 ? 'active' : 'on_leave' }));
  const { accountId, browser, ids } = await employeeScene(api, people);
  await prisma.account.update({
    where: { id: accountId },
    data: { historySince: new Date('2025-06-10T08:00:00Z') },
  });
  let moved = 0n;
  const move = async (time: string) => {
    await prisma.event.updateMany({
      where: { accountId, position: { gt: moved } },
      data: { occurredAt: new Date(time) },
    });
    moved = (await prisma.accountTotals.findUniqueOrThrow({ where: { accountId } })).events;
  };
  await move('2025-06-15T00:00:00Z');
  const random = createRandom(3);
  for (const time of [
    ...[
      '2025-06-30T23:59:59.999Z',
      '2025-07-01T00:00:00.000Z',
      '2025-09-12T10:00:00Z',
      '2025-12-31T23:00:00Z',
    ],
    ...['2026-01-31T12:00:00Z', '2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00.000Z'],
  ]) {
    for (let change = 0; change < 6; change += 1) {
      const status = random.pick(['active', 'on_leave', 'terminated', 'x,y']);
      await prisma.employee.updateMany({ where: { accountId, id: random.pick(ids) }, data: { status } });
    }
    await prisma.employee.updateMany({
      where: { accountId, id: random.pick(ids) },
      data: { location: time },
    });
    ids.push(...(await insertEmployees(prisma, accountId, makeEmployees(2))));
    await move(time);
  }
  await prisma.employee.deleteMany({ where: { accountId, id: { in: random.some(ids, 3) } } });

  const page = await browser.open(path);
  isPage(t, page);
  const rows = tableRows(page.body, caption);
  const dates = [...page.body.slice(page.body.indexOf(caption)).matchAll(/<time datetime="([\d-]+)"/g)].map(
    ([, date = '']) => date,
  );
  const lastDays = ['06-30', '07-31', '08-31', '09-30', '10-31', '11-30', '12-31'].map(
    (day) => `2025-${day}`,
  );
  t.same(dates, [...lastDays, '2026-01-31', '2026-02-28', '2026-03-01'].toReversed());

  const token = await api.token(await createApplication(api.database, accountId));
  const created = await api.app.inject({
    method: 'POST',
    url: '/v1/reports',
    headers: { authorization: `Bearer ${token}` },
    payload: { title: 'x', group_by: ['status'] },
  });
  const { id } = created.json().data;
  const headings = [
    ...page.body.slice(page.body.indexOf(caption)).matchAll(/<th [^>]*columnheader[^>]*>([^<]*)/g),
  ]
    .map(([, heading = '']) => heading)
    .slice(1, -1);
  for (const [index, date] of dates.entries()) {
    const response = await api.get(`/v1/reports/${id}/results?filter[as_of]=${date}`, token);
    const counts = new Map<string, number>(
      response
        .json()
        .data.map(({ attributes }: { attributes: { status: string; count: number } }) => [
          attributes.status.replace('_', ' ').toLowerCase(),
          attributes.count,
        ]),
    );
    const expected = headings.map((heading) => String(counts.get(heading.toLowerCase()) ?? 0));
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    t.same(rows[index]?.slice(1), [...expected, String(total)], date);
  }
});

t.test('an account whose history starts today has the present number only', async (t) => {
  const { accountId, browser } = await employeeScene(api, [{ status: 'active' }, { status: 'active' }]);
  const at = new Date('2026-03-01T08:00:00Z');
  await prisma.account.update({ where: { id: accountId }, data: { historySince: at } });
  await prisma.event.updateMany({ where: { accountId }, data: { occurredAt: at } });
  const page = await browser.open(path);
  isPage(t, page);
  t.same(
    tableRows(page.body, caption).map((row) => row.slice(1)),
    [['2', '2']],
  );
});

t.test('an account without employees has a page, and members have none', async (t) => {
  const { browser } = await employeeScene(api, []);
  const page = await browser.open(path);
  isPage(t, page);
  t.same(
    tableRows(page.body, caption).map((row) => row.slice(1)),
    [['0']],
  );
  t.match((await browser.open(reportsPath)).body, `href="${path}"`);
  const member = await employeeScene(api, [], 'member');
  t.equal((await member.browser.open(path)).statusCode, 403);
});
