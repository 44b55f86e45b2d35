import type { Program } from '../program.js';
import * as api from './generated/people-api.js';

export const run: Program = async ({ baseUrl, clientId, clientSecret }) => {
  api.defaults.baseUrl = baseUrl;
  const credentials = { grant_type: 'client_credentials', client_id: clientId };
  const wrong = await api.createToken({ ...credentials, client_secret: 'wrong' });
  if (wrong.status !== 401) throw new Error('The secret was accepted.');
  const token = await api.createToken({ ...credentials, client_secret: clientSecret });
  if (token.status !== 200) throw failure(token.data);
  api.defaults.headers = { Authorization: `Bearer ${token.data.access_token}` };

  const pages: string[][] = [];
  let pageAfter: string | undefined;
  do {
    const { status, data } = await api.listEmployees({ pageSize: 3, pageAfter });
    if (status !== 200) throw failure(data);
    pages.push(data.data.map(({ id }) => id));
    pageAfter = data.meta.next_cursor ?? undefined;
  } while (pageAfter);

  const created = await api.createReport({
    title: 'Active by department',
    filters: [{ field: 'status', operator: 'in', value: ['active'] }],
    group_by: ['department'],
  });
  if (created.status !== 201) throw failure(created.data);
  const { id } = created.data.data;
  const updated = await api.updateReport(id, { title: 'Headcount' });
  if (updated.status !== 200) throw failure(updated.data);
  const results = await api.runReport(id);
  if (results.status !== 200) throw failure(results.data);
  const rows = results.data.data.map(({ attributes }) => [attributes.department, attributes.count]);
  const csv = await api.exportReport(id);
  if (csv.status !== 200) throw failure(csv.data);

  const missing = await api.getEmployee('unknown');
  const malformed = await api.createReport({
    title: 'Recent changes',
    filters: [{ field: 'updated_at', operator: 'eq', value: 'yesterday' }],
  });
  if (missing.status !== 404 || malformed.status !== 400) throw new Error('The requests were accepted.');

  const deleted = await api.deleteReport(id);
  if (deleted.status !== 204) throw failure(deleted.data);

  return {
    unauthenticated: wrong.data,
    pages,
    reportId: id,
    title: updated.data.data.attributes.title,
    headcount: Object.fromEntries(rows),
    csv: csv.data,
    missing: rejection(missing.data),
    malformed: rejection(malformed.data),
  };
};

function rejection({ status, code, errors }: api.Problem) {
  return { status, code, pointers: errors?.map(({ pointer }) => pointer) };
}

function failure({ code, detail }: api.Problem) {
  return new Error(`${code}: ${detail}`);
}
