import { gzipSync } from 'node:zlib';
import { type DrawnChart, drawnChart } from '../support/browser/chart.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import {
  createdId,
  createReport,
  filterFields,
  reportsPath,
  tableRows,
} from '../support/browser/report-pages.js';
import { hostileNames } from '../support/input/hostile-names.js';
import { type EmployeeScene, employeeScene } from '../support/records/employee-scene.js';
import type { TestEmployee } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const api = await buildTestApp(t);

async function grouped({ browser }: EmployeeScene, ...groups: string[]) {
  const id = createdId(
    await createReport(browser, {
      kind: 'groups',
      title: 'Groups',
      ...Object.fromEntries(groups.map((group, index) => [`group_${index + 1}`, group])),
    }),
  );
  const page = await browser.open(`${reportsPath}/${id}`);
  isPage(t, page);
  return { id, html: page.body, chart: drawnChart(page.body, 'chart') };
}

const repeat = (count: number, values: Partial<TestEmployee>) => Array.from({ length: count }, () => values);

/** Numbers of each bar from the lengths of its parts, with a scale of one number for the whole picture. */
function numbersOf({ bars }: DrawnChart, perEmployee: number): number[][] {
  return bars.map((parts) =>
    parts.map(({ length }) => {
      const number = length / perEmployee;
      t.ok(Math.abs(number - Math.round(number)) < 0.05, `${number} is a whole number`);
      return Math.round(number);
    }),
  );
}

/** Expects the parts of each bar to follow each other without gaps. */
function isStacked(t: Test, { bars }: DrawnChart, columns = false): void {
  for (const parts of bars) {
    for (const [index, part] of parts.entries()) {
      const next = parts[index + 1];
      if (next === undefined) continue;
      const [end, start] = columns
        ? [next.start + next.length, part.start]
        : [part.start + part.length, next.start];
      t.ok(Math.abs(end - start) < 0.01, 'parts follow each other');
    }
  }
}

const labelsOf = ({ barTitles }: DrawnChart) =>
  barTitles.map((title) => title.replace(/: [\d,]+( \(.*)?$/, ''));

t.test('one group: bars as long as the numbers of the table, largest first, "None" for null', async (t) => {
  const account = await employeeScene(api, [
    ...repeat(7, { location: 'Berlin' }),
    ...repeat(11, { location: null }),
    ...repeat(3, { location: 'Lisbon' }),
    ...repeat(1, { location: '' }),
  ]);
  const { html, chart } = await grouped(account, 'location');
  t.same(labelsOf(chart), ['None', 'Berlin', 'Lisbon', 'Empty text']);
  t.same(numbersOf(chart, 100 / 11), [[11], [7], [3], [1]]);
  t.same(tableRows(html, '<caption>Groups').sort(), [
    ['', '1'],
    ['Berlin', '7'],
    ['Lisbon', '3'],
    ['None', '11'],
  ]);
  t.equal(chart.title, 'Employees by location');
  t.match(chart.description, 'Largest first. None is the highest location with 11 of 22 employees.');
  t.notMatch(html, 'combines the remaining');
});

t.test(
  'two groups: parts of each bar as long as the numbers of the table, in the order of the legend',
  async (t) => {
    const account = await employeeScene(
      api,

      Array.from({ length: 90 }, (_, index) => ({
        department: ['Sales', 'Legal', 'People'][(index * index) % 3] ?? '',
        location: ['Berlin', null, 'London', 'Lisbon', 'Porto', 'Oslo', 'Bern'][(index * 5) % 7] ?? null,
      })),
    );
    const employees = await account.stored();
    const { html, chart } = await grouped(account, 'department', 'location');
    const legend = [...html.matchAll(/<li>.*?<\/svg> ([^<]*)<\/li>/gs)].map(([, label]) => label);
    const expected = labelsOf(chart).map((department) =>
      legend.map((location) => {
        const value = location === 'None' ? null : location;
        return employees.filter((row) => row.department === department && row.location === value).length;
      }),
    );
    t.equal(legend.length, 7);
    const totals = expected.map((row) => row.reduce((sum, count) => sum + count, 0));
    t.same(
      totals,
      [...totals].sort((one, other) => other - one),
      'largest first',
    );
    const highest = Math.max(...totals);
    const drawn = numbersOf(chart, 100 / highest);
    for (const [index, row] of expected.entries()) {
      t.same(
        drawn[index],
        row.filter((count) => count > 0),
      );
      t.same(
        chart.bars[index]?.map(({ tone }) => tone),
        row.flatMap((count, tone) => (count > 0 ? [tone] : [])),
      );
    }
    isStacked(t, chart);
    for (const [department = '', location = '', count] of tableRows(html, '<caption>Groups')) {
      const bar = labelsOf(chart).indexOf(department);
      t.equal(String(expected[bar]?.[legend.indexOf(location)]), count);
    }
  },
);

/** Number of pixels of one employee, from the lines of the vertical axis. */
function scaleOf({ grid }: DrawnChart): number {
  const [zero, next] = grid;
  return ((zero?.y ?? 0) - (next?.y ?? 0)) / Number(next?.text);
}

for (const order of [
  ['hire_year', 'status'],
  ['status', 'hire_year'],
]) {
  t.test(`${order.join(' and ')}: stacked columns in the order of the years`, async (t) => {
    const account = await employeeScene(api, [
      ...repeat(5, { hireDate: '2019-05-01', status: 'active' }),
      ...repeat(2, { hireDate: '2019-12-31', status: 'inactive' }),
      ...repeat(4, { hireDate: '2022-01-01', status: 'active' }),
      ...repeat(3, { hireDate: null, status: 'inactive' }),
    ]);
    const { html, chart } = await grouped(account, ...order);
    t.same(labelsOf(chart), ['2019', '2020', '2021', '2022', 'None'], 'with the years between');
    t.same(numbersOf(chart, scaleOf(chart)), [[5, 2], [], [], [4], [3]]);
    t.same(
      chart.bars.map((parts) => parts.map(({ tone }) => tone)),
      [[0, 1], [], [], [0], [1]],
    );
    isStacked(t, chart, true);
    t.match(html, '<svg class="columns"');
    t.match(chart.description, '2019 is the highest hire year with 7 of 14 employees.');
  });
}

t.test(
  'more than 40 groups: the rest is stated outside the scale, and the table has all of them',
  async (t) => {
    const account = await employeeScene(
      api,

      Array.from({ length: 60 }, (_, index) =>
        repeat(index < 40 ? 4 : 1, { department: `D${index}` }),
      ).flat(),
    );
    const { id, html, chart } = await grouped(account, 'department');
    t.same(numbersOf(chart, 100 / 4), repeatRow(40, [4]));
    t.match(
      html,
      'The chart shows the 40 largest values of department. The remaining 20 have 20 employees (11 %); the table has all of them.',
    );
    t.match(html, '<span>4<small> (2 %)</small></span>');
    t.match(html, '60 groups, 1 to 50 on this page');
    t.equal(tableRows(html, '<caption>Groups').length, 50);
    const second = await account.browser.open(`${reportsPath}/${id}?page=2`);
    t.equal(tableRows(second.body, '<caption>Groups').length, 10);
    t.notMatch(second.body, 'chart-title', 'the chart is on the first page');
    expectRedirect(
      t,
      await account.browser.open(`${reportsPath}/${id}?page=9`),
      `${reportsPath}/${id}?page=2`,
    );
  },
);

const repeatRow = (count: number, row: number[]) => Array.from({ length: count }, () => row);

t.test('more than 40 years: the latest 40 are drawn', async (t) => {
  const account = await employeeScene(api, [
    ...Array.from({ length: 45 }, (_, index) => ({ hireDate: `${1980 + index}-01-01` })),
    { hireDate: '0001-01-01' },
    { hireDate: null },
  ]);
  const { html, chart } = await grouped(account, 'hire_year');
  t.same(labelsOf(chart), [...Array.from({ length: 40 }, (_, index) => String(1985 + index)), 'None']);
  t.same(numbersOf(chart, scaleOf(chart)), repeatRow(41, [1]));
  t.match(html, 'The chart shows the 40 latest values of hire year. The remaining 6 have 6 employees (13 %)');
});

t.test('each bar leads to the list of its employees, which is not saved', async (t) => {
  const account = await employeeScene(api, [
    ...repeat(2, { location: 'A & B=?#%', status: 'active', hireDate: '2020-01-01' }),
    ...repeat(1, { location: '', status: 'active', hireDate: '2020-12-31' }),
    ...repeat(3, { location: null, status: 'active', hireDate: null }),
    ...repeat(4, { location: 'A & B=?#%', status: 'inactive', hireDate: '2021-01-01' }),
  ]);
  const { browser } = account;
  const lists = async (...groups: string[]) => {
    const fields = { kind: 'groups', ...filterFields('status', 'in', 'active') };
    const numbered = groups.map((group, index) => [`group_${index + 1}`, group]);
    const id = createdId(await createReport(browser, { ...fields, ...Object.fromEntries(numbered) }));
    const { body } = await browser.open(`${reportsPath}/${id}`);
    t.match(body, /<svg class="\w+" role="group"/);
    const links = [...body.matchAll(/<a href="([^"]*)"><title>([^<]*)</g)];
    const shown = [];
    for (const [, href = '', label] of links) {
      const page = await browser.open(href.replaceAll('&amp;', '&'));
      isPage(t, page);
      t.match(page.body, 'Status is one of Active');
      shown.push([label, tableRows(page.body, '<caption>').length]);
    }
    return { id, shown };
  };
  t.same((await lists('location')).shown, [
    ['None: 3', 3],
    ['A &amp; B=?#%: 2', 2],
    ['Empty text: 1', 1],
  ]);
  const { id, shown } = await lists('status', 'hire_year');
  t.same(shown, [
    ['2020: 3 (Active: 3)', 3],
    ['None: 3 (Active: 3)', 3],
  ]);
  const address = `${reportsPath}/${id}/employees`;
  const list = await browser.open(`${address}?by=hire_year&value=2020`);
  t.match(list.body, '<h1>Hire year: 2020</h1>');
  t.match(list.body, 'Hire date is on or after 1 Jan 2020');
  t.match(list.body, `href="/people/employees/${account.ids[0]}"`, 'a name leads to the employee');
  for (const query of ['', '?by=department&value=x', '?by=hire_year&value=x', '?by=hire_year']) {
    expectRedirect(t, await browser.open(`${address}${query}`), `${reportsPath}/${id}`);
  }
  const none = await browser.open(`${address}?by=hire_year&value=1999`);
  t.match(none.body, '0 employees');
  const other = await employeeScene(api, []);
  isPage(t, await other.browser.open(`${address}?by=hire_year&value=2020`), 404);
});

t.test('hostile names as groups are text', async (t) => {
  const account = await employeeScene(
    api,
    hostileNames.map((name) => ({ department: name, location: name })),
  );
  for (const groups of [['department'], ['department', 'location']]) {
    const { html, chart } = await grouped(account, ...groups);
    t.equal(chart.bars.length, Math.min(hostileNames.length, groups.length === 1 ? 40 : 20));
    t.notMatch(html, /<script(?! src="\/assets\/)|<img|<h1>x|<!--/);
  }
});

t.test('20 groups × 20 stacks of hostile names with 255 characters are at most 30 KB', async (t) => {
  const longest = (index: number) => {
    const [first, second] = [
      hostileNames[(index * 2) % hostileNames.length],
      hostileNames[(index * 2 + 1) % hostileNames.length],
    ];
    return `${index} ${first} ${second} `
      .repeat(60)
      .slice(0, 254)
      .replace(/[\ud800-\udbff]$/, '');
  };
  const account = await employeeScene(
    api,

    Array.from({ length: 441 }, (_, index) => ({
      department: longest(index % 21),
      location: longest(40 + Math.floor(index / 21)),
    })),
  );
  const { html, chart } = await grouped(account, 'department', 'location');
  t.equal(chart.bars.length, 20);
  t.equal(chart.bars.flat().length, 420);
  t.match(html, /Each bar shows the 20 largest values of location. “Other” combines the remaining 1;/);
  const { length } = gzipSync(html);
  t.ok(length <= 30 * 1024, `${length} bytes`);
});
