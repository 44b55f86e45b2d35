import createClient from 'openapi-fetch';
import type { Program } from '../program.js';
import type { components, paths } from './generated/people-api.js';

type Schemas = components['schemas'];

export const run: Program = async ({ baseUrl, clientId, clientSecret }) => {
  const api = createClient<paths>({ baseUrl });
  const requestToken = (secret: string) =>
    api.POST('/v1/oauth/token', {
      body: { grant_type: 'client_credentials', client_id: clientId, client_secret: secret },
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
  const wrong = await requestToken('wrong');
  if (!wrong.error || !('error' in wrong.error)) throw new Error('The secret was accepted.');
  const token = await requestToken(clientSecret);
  if (token.error) throw failure(token.error);
  const authorization = `Bearer ${token.data.access_token}`;
  api.use({ onRequest: ({ request }) => request.headers.set('Authorization', authorization) });

  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const query = { 'page[size]': 3, 'page[after]': after };
    const { data, error } = await api.GET('/v1/employees', { params: { query } });
    if (error) throw failure(error);
    pages.push(data.data.map(({ id }) => id));
    after = data.meta.next_cursor ?? undefined;
  } while (after);

  const created = await api.POST('/v1/reports', {
    body: {
      title: 'Active by department',
      filters: [{ field: 'status', operator: 'in', value: ['active'] }],
      group_by: ['department'],
    },
  });
  if (created.error) throw failure(created.error);
  const params = { path: { report_id: created.data.data.id } };
  const updated = await api.PATCH('/v1/reports/{report_id}', { params, body: { title: 'Headcount' } });
  if (updated.error) throw failure(updated.error);
  const results = await api.GET('/v1/reports/{report_id}/results', { params });
  if (results.error) throw failure(results.error);
  const rows = results.data.data.map(({ attributes }) => [attributes.department, attributes.count]);
  const csv = await api.GET('/v1/reports/{report_id}/results.csv', { params, parseAs: 'text' });
  if (csv.error) throw failure(csv.error);

  const missing = await api.GET('/v1/employees/{employee_id}', {
    params: { path: { employee_id: 'unknown' } },
  });
  const malformed = await api.POST('/v1/reports', {
    body: {
      title: 'Recent changes',
      filters: [{ field: 'updated_at', operator: 'eq', value: 'yesterday' }],
    },
  });
  if (!missing.error || !malformed.error) throw new Error('The requests were accepted.');

  const deleted = await api.DELETE('/v1/reports/{report_id}', { params });
  if (deleted.error) throw failure(deleted.error);

  return {
    unauthenticated: wrong.error,
    pages,
    reportId: params.path.report_id,
    title: updated.data.data.attributes.title,
    headcount: Object.fromEntries(rows),
    csv: csv.data,
    missing: rejection(missing.error),
    malformed: rejection(malformed.error),
  };
};

function rejection({ status, code, errors }: Schemas['Problem']) {
  return { status, code, pointers: errors?.map(({ pointer }) => pointer) };
}

function failure({ code, detail }: Schemas['Problem']) {
  return new Error(`${code}: ${detail}`);
}
