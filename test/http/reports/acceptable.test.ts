import { openTestDatabase } from '../../support/database/database.js';
import { createReportClient } from '../../support/records/reports.js';
import { makeEmployees } from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';
import t from '../../support/tap.js';

const api = await buildTestApp(t, { database: await openTestDatabase(t) });
const client = await createReportClient(api, { employees: makeEmployees(2) });
const report = await client.saved({ title: 'x', columns: ['id'] });

/** An Accept header, and whether it allows JSON and CSV. */
const cases: [accept: string | undefined, json: boolean, csv: boolean][] = [
  [undefined, true, true],
  ['', true, true],
  [' , ,', true, true],
  [',;=', false, false],
  ['*/*', true, true],
  ['*/*;q=0.1', true, true],
  ['*/*;q=0', false, false],
  ['application/json', true, false],
  ['application/*', true, false],
  ['text/csv', false, true],
  ['TEXT/CSV; header=present', false, true],
  ['text/*', false, true],
  ['text/csv;q=0', false, false],
  ['text/csv;q=0.000, */*', true, false],
  ['*/*, text/csv;q=0', true, false],
  ['text/*;q=0, */*', true, false],
  ['text/*;q=0, text/csv', false, true],
  ['text/csv;q=0, text/*', false, false],
  ['application/json;q=0, */*;q=0.1', false, true],
  ['application/json;q=0.001', true, false],
  ['application/json, text/csv', true, true],
  ['text/csv;q=x', false, false],
  ['text/csv; charset="UTF-8"', false, true],
  ['text/csv; header=absent', false, false],
  ['application/json; charset=utf-8', true, false],
  ['application/json; charset=utf-16', false, false],
  ['application/json; charset=utf-16, application/json;q=0.5', true, false],
  ['application/problem+json', false, false],
  ['text/plain, image/*', false, false],
  ['x', false, false],
];

const operations = [
  ['results', 'application/json', 1],
  ['results.csv', 'text/csv', 2],
] as const;

for (const [path, mediaType, allowed] of operations) {
  t.test(`${path} is sent when Accept allows ${mediaType}, and responds 406 otherwise`, async (t) => {
    for (const each of cases) {
      const [accept] = each;
      const headers: Record<string, string> = accept === undefined ? {} : { accept };
      for (const method of ['GET', 'HEAD'] as const) {
        const response = await client.send(method, `/v1/reports/${report}/${path}`, undefined, headers);
        const label = `${method} with Accept: ${accept}`;
        t.equal(response.statusCode, each[allowed] ? 200 : 406, label);
        t.equal(response.headers.vary, 'Accept', label);
        const sent = each[allowed] ? mediaType : 'application/problem+json';
        t.match(response.headers['content-type'], sent, label);
      }
    }
  });

  t.test(`the 406 of ${path} names the media type of the response`, async (t) => {
    const headers = { accept: 'image/png' };
    const response = await client.send('GET', `/v1/reports/${report}/${path}`, undefined, headers);
    t.match(response.json(), {
      title: 'Not Acceptable',
      code: 'not_acceptable',
      detail: `The response is ${mediaType}, which the Accept header excludes.`,
    });
  });

  t.test(
    `${path} responds 406 after the checks for 401, 403 and 400, and before the check for 404`,
    async (t) => {
      const headers = { accept: 'image/png' };
      const url = `/v1/reports/unknown/${path}`;
      const limited = await api.token(client.tenant.application, 'user:read');
      t.equal((await api.app.inject({ url, headers })).statusCode, 401);
      t.equal((await api.get(url, limited, headers)).statusCode, 403);
      t.equal((await client.send('GET', `${url}?unknown=1`, undefined, headers)).statusCode, 400);
      t.equal((await client.send('GET', url, undefined, headers)).statusCode, 406);
      t.equal((await client.send('GET', url)).statusCode, 404);
    },
  );
}

t.test('other problems are sent with any Accept', async (t) => {
  const headers = { accept: 'text/csv' };
  const response = await client.send('GET', '/v1/reports/unknown/results.csv', undefined, headers);
  t.equal(response.statusCode, 404);
  t.equal(response.headers['content-type'], 'application/problem+json');
});

t.test('operations without a 406 ignore Accept', async (t) => {
  for (const path of ['/v1/employees', '/v1/report_columns', `/v1/reports/${report}`]) {
    const response = await client.send('GET', path, undefined, { accept: 'text/csv' });
    t.equal(response.statusCode, 200, path);
    t.match(response.headers['content-type'], 'application/json');
  }
});
