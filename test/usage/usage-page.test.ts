import { gzipSync } from 'node:zlib';
import { storedRejections } from '../../src/features/usage/unstored-usage.js';
import { drawnChart } from '../support/browser/chart.js';
import { applicationsPath, isPage } from '../support/browser/pages.js';
import { tableRows } from '../support/browser/report-pages.js';
import { openTestDatabase } from '../support/database/database.js';
import { hostileNames } from '../support/input/hostile-names.js';
import { createScene, createUser, signedInBrowser } from '../support/oauth/users.js';
import { createApplication } from '../support/records/tenant.js';
import { type StoredCalls, storeCalls, storeRejection } from '../support/records/usage.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

// The clock of a test starts at 2026-03-01T09:00:00Z.
const hour = 3_600_000;
const day = 24 * hour;
const today = Date.parse('2026-03-01');
const database = await openTestDatabase(t);
const api = await buildTestApp(t, {
  database,
  environment: {
    RATE_LIMIT_API: '1234',
    RATE_LIMIT_TOKEN: '77',
    MAX_REPORTS_PER_ACCOUNT: '42',
    MAX_IDEMPOTENCY_KEYS: '0',
  },
});

async function pageOf(rows: readonly StoredCalls[], query = '') {
  const scene = await createScene(database);
  await storeCalls(database, scene, rows);
  const browser = await signedInBrowser(api, scene.user);
  const page = await browser.open(`${applicationsPath}/${scene.application.id}/usage${query}`);
  isPage(t, page);
  return { scene, browser, html: page.body };
}

/** The rows of a table of calls: the first cell, then the numbers. */
const tableOf = (html: string, caption: string): (string | number)[][] =>
  tableRows(html, `<caption>${caption}`).map((row) =>
    row.map((text) => (/^[\d,]+$/.test(text) ? Number(text.replaceAll(',', '')) : text)),
  );

const near = (one: number, other: number, tolerance = 0.002) => Math.abs(one - other) <= tolerance;

t.test(
  'draws a column for each of 30 days, whose parts are as long as the numbers in the table',
  async (t) => {
    const rows: StoredCalls[] = [];
    for (let index = 0; index < 30; index += 1) {
      if (index % 7 === 3) continue;
      for (const operation of ['listEmployees', 'getEmployee']) {
        for (const userId of ['', 'someone']) {
          const calls = 5 + ((index * 37 + operation.length) % 101);
          const at = new Date(today - index * day + ((index * 5) % 24) * hour);
          const rateLimited = calls > 60 ? 20 : 0;
          rows.push({ hour: at, operation, userId, calls, errors: index % 4, rateLimited });
        }
      }
    }
    const { html } = await pageOf(rows);
    const expected = Array.from({ length: 30 }, (_, index) => {
      const start = today - (29 - index) * day;
      const ofDay = rows.filter((row) => row.hour.getTime() >= start && row.hour.getTime() < start + day);
      const sum = (value: (row: StoredCalls) => number) =>
        ofDay.reduce((total, row) => total + value(row), 0);
      const calls = sum((row) => row.calls);
      const errors = sum((row) => row.errors ?? 0);
      const limited = sum((row) => row.rateLimited ?? 0);
      return [calls, calls - errors - limited, errors, limited];
    });
    t.same(
      tableOf(html, 'Calls by day').map(([, ...numbers]) => numbers),
      expected,
    );
    const chart = drawnChart(html, 'days');
    t.equal(chart.bars.length, 30);
    const [zero, first] = chart.grid;
    const perCall = ((zero?.y ?? 0) - (first?.y ?? 0)) / Number(first?.text);
    for (const [index, parts] of chart.bars.entries()) {
      const numbers = expected[index]?.slice(1) ?? [];
      let top = zero?.y ?? 0;
      for (const [tone, value] of numbers.entries()) {
        const part = parts.find((drawn) => drawn.tone === tone);
        t.ok(
          near(part?.length ?? 0, value * perCall),
          `day ${index}, series ${tone}: ${part?.length} for ${value}`,
        );
        top -= value * perCall;
        if (part !== undefined)
          t.ok(near(part.start, top, 0.01), `day ${index}, series ${tone} starts on the one below`);
      }
    }
    const total = expected.reduce((sum, [calls = 0]) => sum + calls, 0).toLocaleString('en');
    t.match(chart.description, `${total} calls`);
    t.match(chart.title, 'Calls by day');
  },
);

t.test('draws the hours of the selected day, and links to the adjacent days', async (t) => {
  const from = today - 5 * day;
  const rows = [0, 7, 23].map((index) => ({
    hour: new Date(from + index * hour),
    calls: 10 + index,
    errors: index,
  }));
  const others = [new Date(from - hour), new Date(from + day)].map((at) => ({ hour: at, calls: 500 }));
  const { html } = await pageOf([...rows, ...others], '?day=2026-02-24');
  const hours = tableOf(html, 'Calls by hour on 24 February 2026');
  t.equal(hours.length, 24);
  t.same(
    hours.filter(([, calls]) => calls !== 0),
    [
      ['00:00', 10, 10, 0, 0],
      ['07:00', 17, 10, 7, 0],
      ['23:00', 33, 10, 23, 0],
    ],
  );
  const chart = drawnChart(html, 'hour');
  t.same(
    chart.bars.map((parts) => parts.length).filter((count) => count > 0),
    [1, 2, 2],
  );
  t.match(chart.barTitles[7], '07:00: 10 successful, 7 errors, 0 over the limit');
  t.match(html, /usage\?day=2026-02-23#hours" rel="prev"/);
  t.match(html, /usage\?day=2026-02-25#hours" rel="next"/);
});

t.test('draws a bar for each operation, the most called first', async (t) => {
  const at = new Date(today);
  const { html } = await pageOf([
    { hour: at, operation: 'getEmployee', calls: 40, errors: 10 },
    { hour: at, operation: 'listEmployees', calls: 100, rateLimited: 25 },
    { hour: new Date(today - 20 * day), operation: 'getEmployee', calls: 40 },
    { hour: new Date(today - 30 * day), operation: 'createToken', calls: 9999 },
  ]);
  t.same(tableOf(html, 'Calls by operation'), [
    ['List employees', 100, 75, 0, 25],
    ['Get an employee', 80, 70, 10, 0],
  ]);
  t.same(drawnChart(html, 'operations').bars, [
    [
      { tone: 0, start: 0, length: 75 },
      { tone: 2, start: 75, length: 25 },
    ],
    [
      { tone: 0, start: 0, length: 70 },
      { tone: 1, start: 70, length: 10 },
    ],
  ]);
});

t.test(
  'shows the calls that the service has recorded, and a summary on the page of the application',
  async (t) => {
    const scene = await createScene(database, { clientType: 'confidential' });
    const token = await api.token(scene.application);
    for (const url of ['/v1/employees', '/v1/employees/unknown']) await api.get(url, token);
    await api.usage.flush();
    const browser = await signedInBrowser(api, scene.user);
    const address = `${applicationsPath}/${scene.application.id}`;
    const { body } = await browser.open(`${address}/usage`);
    t.same(tableOf(body, 'Calls by operation'), [
      ['Issue or refresh a token', 1, 1, 0, 0],
      ['Get an employee', 1, 0, 1, 0],
      ['List employees', 1, 1, 0, 0],
    ]);
    const requests = await browser.open(`${address}/requests`);
    t.match(requests.body, /<a href="\/errors\/not-found">not_found<\/a>/);
    const page = await browser.open(address);
    t.match(page.body, 'Last 30 days</dt><dd>3 calls: 2 successful, 1 error, 0 over the limit</dd>');
    t.match(page.body, `href="${address}/usage"`);
  },
);

t.test('starts with calls, errors, rejections by the limit and the last call', async (t) => {
  const { html, scene } = await pageOf([
    { hour: new Date(today - day), calls: 1_200, errors: 30, rateLimited: 70 },
    { hour: new Date(today - 40 * day), calls: 5 },
  ]);
  const facts = [...html.matchAll(/<dt>([^<]*)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name, value = '']) => [
    name,
    value.replaceAll(/<[^>]*>/g, ''),
  ]);
  t.match(facts, [
    ['Calls in the last 30 days', '1,200'],
    ['Successful', '1,100'],
    ['Errors', /^30\. The service could not do what was requested\. See the last rejected requests/],
    ['Over the limit', /^70\. Rejected, .*: the limit is 1,234 a minute$/],
    ['Last call', /^in the hour from 28 Feb 2026, 00:00 UTC/],
  ]);
  t.match(html, `href="${applicationsPath}/${scene.application.id}/requests">See the last`);
});

t.test('shows an application without calls', async (t) => {
  const { html } = await pageOf([]);
  t.match(html, '<dt>Last call</dt><dd>Never</dd>');
  t.match(html, 'No calls in the last 30 days.');
  t.notMatch(html, 'class="chart"');
});

t.test('shows the last 20 rejected requests, newest first, with their request ids', async (t) => {
  const { scene, browser } = await pageOf([]);
  const ids: string[] = [];
  for (let index = 0; index < storedRejections; index += 1) {
    ids.unshift(
      await storeRejection(database, scene, {
        at: new Date(today + index * 1000),
        code: index === 5 ? 'retired_code' : null,
      }),
    );
  }
  const { body } = await browser.open(`${applicationsPath}/${scene.application.id}/requests`);
  t.same(
    tableOf(body, 'Last rejected requests').map((cells) => cells[4]),
    ids,
  );
  t.match(body, 'retired_code');
  t.notMatch(body, /errors\/retired/);
});

t.test('finds a rejected request of the application by its request id', async (t) => {
  const { scene, browser } = await pageOf([]);
  const other = await createScene(database);
  const address = `${applicationsPath}/${scene.application.id}/requests`;
  const at = new Date(today);
  for (const owner of [scene, other])
    await storeRejection(database, owner, { at, requestId: 'wanted', code: null });
  const failure = { code: 'invalid_client', status: 401, operation: 'createToken' };
  await storeRejection(database, scene, { at, requestId: 'failed', failedAuthentication: true, ...failure });
  const found = async (requestId: string) => {
    const page = await browser.open(`${address}?request_id=${encodeURIComponent(requestId)}`);
    isPage(t, page, 200, requestId);
    return tableOf(page.body, 'Requests with this request ID');
  };
  t.match(await found('wanted'), [[/./, 'listEmployees', 400, '–', 'wanted']]);
  t.equal((await found('wanted')).length, 1, 'not the request of another account');
  t.match(await found('failed'), [[/./, 'createToken', 401, 'invalid_client', 'failed']]);
  const none = await browser.open(`${address}?request_id=%3Cb%3E%27--`);
  isPage(t, none);
  t.match(none.body, 'No rejected request of this application has this request ID.');
  t.match(none.body, 'value="&lt;b>\'--"');
});

t.test('shows the last failed client authentications, and the hours with more than are stored', async (t) => {
  const { scene, browser } = await pageOf([]);
  const { accountId, application } = scene;
  const ids: string[] = [];
  for (let index = 0; index < 3; index += 1) {
    const at = new Date(today + index * 1000);
    ids.unshift(await storeRejection(database, scene, { at, failedAuthentication: true }));
  }
  const counts = [
    [0, 4711],
    [1, 100],
    [9 * 24, 999],
  ].map(([hours = 0, failures = 0]) => ({ hour: new Date(today - hours * hour), failures }));
  await database.prisma.failedAuthentications.createMany({
    data: counts.map((count) => ({ accountId, applicationId: application.id, ...count })),
  });
  const { body } = await browser.open(`${applicationsPath}/${application.id}/requests`);
  t.match(body, 'No rejected requests.');
  t.match(body, 'in the last 7 days: 4,811.');
  t.same(
    tableOf(body, 'Failed client authentications').map((cells) => cells[4]),
    ids,
  );
  t.match(tableOf(body, 'Hours with more than 100'), [[/./, 4711]]);
  t.equal(tableOf(body, 'Hours with more than 100').length, 1);
});

t.test('shows the limits of this server', async (t) => {
  const { html } = await pageOf([]);
  for (const text of ['1,234 a minute', '77 a minute', '500; 50 by default', '64 KiB', '42 in the account'])
    t.match(html, text, text);
  t.match(html, 'No limit');
});

t.test('rejects a day that is not one of the 30 days, and names the parameter', async (t) => {
  const { browser, scene } = await pageOf([]);
  const address = `${applicationsPath}/${scene.application.id}/usage`;
  const invalid = "2026-01-30 2026-03-02 2026-02-30 yesterday 2026-2-3 0000-01-01 9999-12-31 '";
  for (const value of invalid.split(' ')) {
    const page = await browser.open(`${address}?day=${encodeURIComponent(value)}`);
    isPage(t, page, 400, value);
    t.match(page.body, /day must be a date from 2026-01-31 to 2026-03-01/, value);
  }
  isPage(t, await browser.open(`${address}?day=2026-02-01&day=2026-02-02`), 400);
  for (const value of ['2026-01-31', '2026-03-01', ''])
    isPage(t, await browser.open(`${address}?day=${value}`), 200, value);
});

t.test('is not found for an application of another account, and forbidden for a member', async (t) => {
  const [one, other] = [await createScene(database), await createScene(database)];
  await storeCalls(database, other, [{ hour: new Date(today), calls: 4711 }]);
  const browser = await signedInBrowser(api, one.user);
  const foreign = await browser.open(`${applicationsPath}/${other.application.id}/usage`);
  isPage(t, foreign, 404);
  t.notMatch(foreign.body, '4,711');
  const member = await signedInBrowser(api, await createUser(database, one.accountId, { role: 'member' }));
  isPage(t, await member.open(`${applicationsPath}/${one.application.id}/usage`), 403);
});

t.test('takes at most 30 KB compressed, with every operation', async (t) => {
  const rows: StoredCalls[] = [];
  // The page has the operations of each hour of the selected day, and the sums of the other days.
  for (let index = 0; index < 30 * 24; index += index < 24 ? 1 : 24) {
    for (let operation = 0; operation < (index < 24 ? 20 : 1); operation += 1) {
      const calls = 100_000 + ((index * 7919 + operation * 31) % 90_000);
      const counts = { calls, errors: calls % 977, rateLimited: calls % 311 };
      rows.push({
        hour: new Date(today + 9 * hour - index * hour),
        operation: `operationNumber${operation}`,
        ...counts,
      });
    }
  }
  const { html } = await pageOf(rows);
  const size = gzipSync(html).length;
  t.ok(size <= 30_000, `${size} bytes`);
});

t.test('shows hostile names of applications as text', async (t) => {
  const { accountId, user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  for (const name of hostileNames.filter((_, index) => index % 3 === 0)) {
    const { id } = await createApplication(database, accountId, { name });
    const page = await browser.open(`${applicationsPath}/${id}/usage`);
    isPage(t, page, 200, name);
    t.notMatch(page.body, /<(script|img)|<h1>x/i, name);
    t.ok(
      page.body.includes(name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')),
      name,
    );
  }
});
