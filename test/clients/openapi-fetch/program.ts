import createClient from 'openapi-fetch';
import { nextPage } from '../next-page.js';
import type { Program } from '../program.js';
import type { components, paths } from './generated/people-api.js';

type Schemas = components['schemas'];
type EmployeesQuery = NonNullable<paths['/v1/employees']['get']['parameters']['query']>;

export const run: Program = async ({ baseUrl, clientId, clientSecret }) => {
  const api = createClient<paths>({ baseUrl });
  const askForToken = (secret: string) =>
    api.POST('/v1/oauth/token', {
      body: { grant_type: 'client_credentials', client_id: clientId, client_secret: secret },
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
  const wrong = await askForToken('wrong');
  if (!wrong.error || !('error' in wrong.error)) throw new Error('This must be refused');
  const token = await askForToken(clientSecret);
  if (token.error) throw failure(token.error);
  const authorization = `Bearer ${token.data.access_token}`;
  api.use({ onRequest: ({ request }) => request.headers.set('Authorization', authorization) });

  const pages: string[][] = [];
  let query: EmployeesQuery | undefined = { 'page[size]': 3 };
  while (query) {
    const { data, error } = await api.GET('/v1/employees', { params: { query } });
    if (error) throw failure(error);
    pages.push(data.data.map(({ id }) => id));
    query = nextPage(data.links);
  }

  const created = await api.POST('/v1/reports', {
    body: {
      title: 'Active by department',
      description: null,
      filters: [{ field: 'status', operator: 'in', value: ['active'] }],
      group_by: ['department'],
    },
  });
  if (created.error) throw failure(created.error);
  const path = { report_id: created.data.data.id };
  const results = await api.GET('/v1/reports/{report_id}/results', { params: { path } });
  if (results.error) throw failure(results.error);
  const rows = results.data.data.map(({ attributes }) => [attributes.department, attributes.count]);

  const missing = await api.GET('/v1/employees/{employee_id}', {
    params: { path: { employee_id: 'unknown' } },
  });
  const impossible = await api.POST('/v1/reports', {
    body: { title: 'Both kinds at once', columns: ['email'], group_by: ['department'] },
  });
  if (!missing.error || !impossible.error) throw new Error('These must be refused');

  const deleted = await api.DELETE('/v1/reports/{report_id}', { params: { path } });
  if (deleted.error) throw failure(deleted.error);

  return {
    unauthenticated: wrong.error,
    pages,
    headcount: Object.fromEntries(rows),
    missing: refusal(missing.error),
    impossible: refusal(impossible.error),
    reportId: path.report_id,
  };
};

function refusal({ status, code, errors }: Schemas['Problem']) {
  return { status, code, pointers: errors?.map(({ pointer }) => pointer) };
}

function failure({ code, detail }: Schemas['Problem']) {
  return new Error(`${code}: ${detail}`);
}
