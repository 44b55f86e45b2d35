import type { Program } from '../program.js';
import { createApiClient, type Fetcher, type Schemas } from './generated/people-api.js';

export const run: Program = async ({ baseUrl, clientId, clientSecret }) => {
  const headers = new Headers();
  const api = createApiClient({ fetch: fetcherWith(headers) }, baseUrl);
  const requestToken = (secret: string) =>
    api.post('/v1/oauth/token', {
      body: { grant_type: 'client_credentials', client_id: clientId, client_secret: secret },
      withResponse: true,
    });
  const wrong = await requestToken('wrong');
  if (wrong.status !== 401) throw new Error('The secret was accepted.');
  const token = await requestToken(clientSecret);
  if (!token.ok) throw failure(token.data);
  headers.set('Authorization', `Bearer ${token.data.access_token}`);

  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const query = { 'page[size]': 3, 'page[after]': after };
    const { data, meta } = await api.get('/v1/employees', { query });
    pages.push(data.map(({ id }) => id));
    after = meta.next_cursor ?? undefined;
  } while (after);

  // Headers and query parameters are required, even if all of them are optional.
  const header = {};
  const created = await api.post('/v1/reports', {
    header,
    body: {
      title: 'Active by department',
      filters: [{ field: 'status', operator: 'in', value: ['active'] }],
      group_by: ['department'],
    },
  });
  const path = { report_id: created.data.id };
  const updated = await api.patch('/v1/reports/{report_id}', {
    header,
    path,
    body: { title: 'Headcount' },
  });
  const results = await api.get('/v1/reports/{report_id}/results', { path, query: {} });
  const rows = results.data.map(({ attributes }) => [attributes.department, attributes.count]);
  // The type of a response that is not JSON is `unknown`.
  const csv = await api.get('/v1/reports/{report_id}/results.csv', { path, query: {} });

  const missing = await api.get('/v1/employees/{employee_id}', {
    path: { employee_id: 'unknown' },
    header: {},
    withResponse: true,
  });
  const malformed = await api.post('/v1/reports', {
    header,
    body: {
      title: 'Recent changes',
      filters: [{ field: 'updated_at', operator: 'eq', value: 'yesterday' }],
    },
    withResponse: true,
  });
  if (missing.status !== 404 || malformed.status !== 400) throw new Error('The requests were accepted.');

  await api.delete('/v1/reports/{report_id}', { header, path });

  return {
    unauthenticated: wrong.data,
    pages,
    reportId: path.report_id,
    title: updated.data.attributes.title,
    headcount: Object.fromEntries(rows),
    csv: String(csv),
    missing: rejection(missing.data),
    malformed: rejection(malformed.data),
  };
};

/** The client leaves the request itself to a function. */
function fetcherWith(headers: Headers): Fetcher['fetch'] {
  return ({ method, url, urlSearchParams, parameters, path }) => {
    url.search = String(urlSearchParams ?? '');
    const body = parameters?.body as Record<string, string> | undefined;
    if (path === '/v1/oauth/token') return fetch(url, { method, body: new URLSearchParams(body) });
    return fetch(url, {
      method: method.toUpperCase(),
      headers: { 'Content-Type': 'application/json', ...Object.fromEntries(headers) },
      body: body && JSON.stringify(body),
    });
  };
}

function rejection({ status, code, errors }: Schemas.Problem) {
  return { status, code, pointers: errors?.map(({ pointer }) => pointer) };
}

function failure({ code, detail }: Schemas.Problem) {
  return new Error(`${code}: ${detail}`);
}
