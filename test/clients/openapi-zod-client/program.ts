import { isErrorFromAlias } from '@zodios/core';
import type { z } from 'zod';
import { nextPage } from '../next-page.js';
import type { Program } from '../program.js';
import { createApiClient, type schemas } from './generated/people-api.js';

export const run: Program = async ({ baseUrl, clientId, clientSecret }) => {
  const api = createApiClient(baseUrl);
  const credentials = { grant_type: 'client_credentials', client_id: clientId };
  const wrong = await thrownBy(api.createToken({ ...credentials, client_secret: 'wrong' }));
  if (!isErrorFromAlias(api.api, 'createToken', wrong) || wrong.response.status !== 401) throw wrong;
  const token = await api.createToken({ ...credentials, client_secret: clientSecret });
  api.axios.defaults.headers.common.Authorization = `Bearer ${token.access_token}`;

  const pages: string[][] = [];
  let queries: { 'page[size]': number } | undefined = { 'page[size]': 3 };
  while (queries) {
    const { data, links } = await api.listEmployees({ queries });
    pages.push(data.map(({ id }) => id));
    queries = nextPage(links);
  }

  const created = await api.createReport({
    title: 'Active by department',
    description: null,
    filters: [{ field: 'status', operator: 'in', value: ['active'] }],
    group_by: ['department'],
  });
  const params = { report_id: created.data.id };
  const results = await api.runReport({ params });
  const rows = results.data.map(({ attributes }) => [attributes.department, attributes.count]);

  const missing = await thrownBy(api.getEmployee({ params: { employee_id: 'unknown' } }));
  if (!isErrorFromAlias(api.api, 'getEmployee', missing)) throw missing;
  const impossible = await thrownBy(
    api.createReport({ title: 'Both kinds at once', columns: ['email'], group_by: ['department'] }),
  );
  if (!isErrorFromAlias(api.api, 'createReport', impossible)) throw impossible;

  await api.deleteReport(undefined, { params });

  return {
    unauthenticated: wrong.response.data,
    pages,
    headcount: Object.fromEntries(rows),
    missing: refusal(missing.response.data),
    impossible: refusal(impossible.response.data),
    reportId: params.report_id,
  };
};

/** This generator throws refusals. */
function thrownBy(answer: Promise<unknown>): Promise<Error> {
  return answer.then(
    () => Promise.reject(new Error('This must be refused')),
    (thrown) => thrown,
  );
}

function refusal({ status, code, errors }: z.infer<typeof schemas.Problem>) {
  return { status, code, pointers: errors?.map(({ pointer }) => pointer) };
}
