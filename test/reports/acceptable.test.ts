import { openTestDatabase } from '../support/database/database.js';
import { createReportClient } from '../support/records/reports.js';
import { makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { database: await openTestDatabase(t) });
const client = await createReportClient(api, { employees: makeEmployees(2) });
const report = await client.saved({ title: 'x', columns: ['id'] });

/** An Accept header, and whether it allows JSON. */
const cases: [accept: string | undefined, allowed: boolean][] = [
  [undefined, true],
  ['', true],
  [' , ,', true],
  [',;=', false],
  ['*/*', true],
  ['*/*;q=0.1', true],
  ['*/*;q=0', false],
  ['application/json', true],
  ['application/*', true],
  ['text/csv', false],
  ['TEXT/CSV; header=present', false],
  ['text/*', false],
  ['text/csv;q=0', false],
  ['text/csv;q=0.000, */*', true],
  ['*/*, text/csv;q=0', true],
  ['text/*;q=0, */*', true],
  ['text/*;q=0, text/csv', false],
  ['text/csv;q=0, text/*', false],
  ['application/json;q=0, */*;q=0.1', false],
  ['application/json;q=0.001', true],
  ['application/json, text/csv', true],
  ['text/csv;q=x', false],
  ['text/csv; charset="UTF-8"', false],
  ['text/csv; header=absent', false],
  ['application/json; charset=utf-8', true],
  ['application/json; charset=utf-16', false],
  ['application/json; charset=utf-16, application/json;q=0.5', true],
  ['application/problem+json', false],
  ['text/plain, image/*', false],
  ['x', false],
];

const path = `/v1/reports/${report}/results`;

t.test('results is sent when Accept allows JSON, and responds 406 otherwise', async (t) => {
  for (const [accept, allowed] of cases) {
    const headers: Record<string, string> = accept === undefined ? {} : { accept };
    for (const method of ['GET', 'HEAD'] as const) {
      const response = await client.send(method, path, undefined, headers);
      const label = `${method} with Accept: ${accept}`;
      t.equal(response.statusCode, allowed ? 200 : 406, label);
      t.equal(response.headers.vary, 'Accept', label);
      const sent = allowed ? 'application/json' : 'application/problem+json';
      t.match(response.headers['content-type'], sent, label);
    }
  }
});

t.test('the 406 names the media type of the response', async (t) => {
  const response = await client.send('GET', path, undefined, { accept: 'image/png' });
  t.match(response.json(), {
    title: 'Not Acceptable',
    code: 'not_acceptable',
    detail: 'The response is application/json, which the Accept header excludes.',
  });
});

t.test('406 is sent after the checks for 401, 403 and 400, and before the check for 404', async (t) => {
  const headers = { accept: 'image/png' };
  const url = '/v1/reports/unknown/results';
  const limited = await api.token(client.tenant.application, 'user:read');
  t.equal((await api.app.inject({ url, headers })).statusCode, 401);
  t.equal((await api.get(url, limited, headers)).statusCode, 403);
  t.equal((await client.send('GET', `${url}?unknown=1`, undefined, headers)).statusCode, 400);
  t.equal((await client.send('GET', url, undefined, headers)).statusCode, 406);
  t.equal((await client.send('GET', url)).statusCode, 404);
});

t.test('results.csv is sent with any Accept', async (t) => {
  for (const accept of [undefined, 'application/json', 'text/csv;q=0', 'x']) {
    const headers: Record<string, string> = accept === undefined ? {} : { accept };
    const response = await client.send('GET', `${path}.csv`, undefined, headers);
    t.equal(response.statusCode, 200, `Accept: ${accept}`);
    t.equal(response.headers['content-type'], 'text/csv; charset=utf-8');
  }
});

t.test('other problems are sent with any Accept', async (t) => {
  const headers = { accept: 'text/csv' };
  const response = await client.send('GET', '/v1/reports/unknown/results.csv', undefined, headers);
  t.equal(response.statusCode, 404);
  t.equal(response.headers['content-type'], 'application/problem+json');
});

t.test('other operations ignore Accept', async (t) => {
  for (const url of ['/v1/employees', '/v1/report_columns', `/v1/reports/${report}`]) {
    const response = await client.send('GET', url, undefined, { accept: 'text/csv' });
    t.equal(response.statusCode, 200, url);
    t.match(response.headers['content-type'], 'application/json');
  }
});
