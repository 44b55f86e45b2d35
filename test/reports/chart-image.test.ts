import sax from 'sax';
import { isPage } from '../support/browser/pages.js';
import { createdId, createReport, reportsPath } from '../support/browser/report-pages.js';
import { hostileNames } from '../support/input/hostile-names.js';
import { employeeScene } from '../support/records/employee-scene.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);

/** The elements, texts and values of attributes of an XML document. */
function readXml(xml: string) {
  const found = { elements: new Set<string>(), texts: [] as string[], values: [] as string[] };
  const parser = sax.parser(true);
  parser.onopentag = ({ name, attributes }) => {
    found.elements.add(name);
    found.values.push(...Object.entries(attributes).map(([key, value]) => `${key}=${value}`));
  };
  parser.ontext = (text) => found.texts.push(text);
  parser.onerror = (error) => {
    throw error;
  };
  parser.write(xml).close();
  return found;
}

t.test('the chart is an SVG file of shapes and texts only, also with hostile values', async (t) => {
  const { browser, ids, accountId } = await employeeScene(
    api,
    [...hostileNames, 'a\u0001b\uffff'].map((name, index) => ({
      department: name,
      location: index % 2 === 0 ? name : null,
      hireDate: `${2000 + (index % 7)}-01-01`,
      lastName: name,
    })),
  );
  const { prisma } = api.database;
  await prisma.employee.updateMany({ where: { accountId }, data: { managerId: ids[0] ?? '' } });
  for (const groups of [
    ['department'],
    ['department', 'location'],
    ['hire_year', 'status'],
    ['manager_id'],
  ]) {
    const numbered = Object.fromEntries(groups.map((group, index) => [`group_${index + 1}`, group]));
    const title = `${hostileNames.find((name) => name.includes('<script')) ?? '<script>'} ${'李x '.repeat(50)}`;
    const fields = { title: title.replaceAll(/\p{C}/gu, ''), kind: 'groups', ...numbered };
    const id = createdId(await createReport(browser, fields));
    const page = await browser.open(`${reportsPath}/${id}`);
    t.match(page.body, `href="${reportsPath}/${id}/chart.svg"`);
    t.match(page.body, `data-image="${reportsPath}/${id}/chart.svg"`);
    const file = await browser.open(`${reportsPath}/${id}/chart.svg`);
    t.equal(file.statusCode, 200);
    t.match(file.headers, {
      'content-type': 'image/svg+xml; charset=utf-8',
      'content-disposition': /^attachment; filename=".*\.svg"/,
      'content-security-policy': /^default-src 'none'/,
      'x-content-type-options': 'nosniff',
    });
    const { elements, texts, values } = readXml(file.body);
    for (const element of elements)
      t.ok(
        ['svg', 'title', 'defs', 'pattern', 'rect', 'path', 'text', 'line', 'g'].includes(element),
        element,
      );
    t.notMatch(values.join('\n'), /^(on\w+|style|class|href)=/m);
    t.notMatch(values.filter((value) => !value.startsWith('xmlns=')).join('\n'), /url\((?!#)|https?:/);
    t.match(texts.join('\n'), `Employees by ${groups.join(' and ').replaceAll('_', ' ').replace(' id', '')}`);
    t.match(texts.join('\n'), /UTC/);
  }
});

t.test('a list, a report without employees and a report of another account have no chart', async (t) => {
  const { browser } = await employeeScene(api, []);
  const other = await employeeScene(api, [{}]);
  const list = createdId(await createReport(other.browser, { title: 'List' }));
  const groups = createdId(await createReport(other.browser, { kind: 'groups', group_1: 'status' }));
  const empty = createdId(await createReport(browser, { kind: 'groups', group_1: 'status' }));
  isPage(t, await other.browser.open(`${reportsPath}/${list}/chart.svg`), 404);
  isPage(t, await browser.open(`${reportsPath}/${empty}/chart.svg`), 404);
  isPage(t, await browser.open(`${reportsPath}/${groups}/chart.svg`), 404);
  t.notMatch((await other.browser.open(`${reportsPath}/${list}`)).body, 'chart.svg');
});
