import { isErrorFromAlias } from '@zodios/core';
import type { z } from 'zod';
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
  let after: string | undefined;
  do {
    const queries = { 'page[size]': 3, 'page[after]': after };
    const { data, meta } = await api.listEmployees({ queries });
    pages.push(data.map(({ id }) => id));
    after = meta.next_cursor ?? undefined;
  } while (after);

  const created = await api.createReport({
    title: 'Active by department',
    filters: [{ field: 'status', operator: 'in', value: ['active'] }],
    group_by: ['department'],
  });
  const params = { report_id: created.data.id };
  const updated = await api.updateReport({ title: 'Headcount' }, { params });
  const results = await api.runReport({ params });
  const rows = results.data.map(({ attributes }) => [attributes.department, attributes.count]);
  const csv = await api.exportReport({ params });

  const missing = await thrownBy(api.getEmployee({ params: { employee_id: 'unknown' } }));
  if (!isErrorFromAlias(api.api, 'getEmployee', missing)) throw missing;
  const malformed = await thrownBy(
    api.createReport({
      title: 'Recent changes',
      filters: [{ field: 'updated_at', operator: 'eq', value: 'yesterday' }],
    }),
  );
  if (!isErrorFromAlias(api.api, 'createReport', malformed)) throw malformed;

  await api.deleteReport(undefined, { params });

  return {
    unauthenticated: wrong.response.data,
    pages,
    reportId: params.report_id,
    title: updated.data.attributes.title,
    headcount: Object.fromEntries(rows),
    csv,
    missing: rejection(missing.response.data),
    malformed: rejection(malformed.response.data),
  };
};

/** The client throws an error for an error status. */
function thrownBy(response: Promise<unknown>): Promise<Error> {
  return response.then(
    () => Promise.reject(new Error('The request was accepted.')),
    (thrown) => thrown,
  );
}

function rejection({ status, code, errors }: z.infer<typeof schemas.Problem>) {
  return { status, code, pointers: errors?.map(({ pointer }) => pointer) };
}
