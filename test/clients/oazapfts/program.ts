import type { Program } from '../program.js';
import * as api from './generated/people-api.js';

export const run: Program = async ({ baseUrl, clientId, clientSecret }) => {
  api.defaults.baseUrl = baseUrl;
  const credentials = { grant_type: 'client_credentials', client_id: clientId };
  const wrong = await api.createToken({ ...credentials, client_secret: 'wrong' });
  if (wrong.status !== 401) throw new Error('This must be refused');
  const token = await api.createToken({ ...credentials, client_secret: clientSecret });
  if (token.status !== 200) throw failure(token.data);
  api.defaults.headers = { Authorization: `Bearer ${token.data.access_token}` };

  const pages: string[][] = [];
  for (let pageNumber = 1, more = true; more; pageNumber += 1) {
    const employees = await api.listEmployees({ pageNumber, pageSize: 3 });
    if (employees.status !== 200) throw failure(employees.data);
    pages.push(employees.data.data.map(({ id }) => id));
    more = employees.data.links.next !== null;
  }

  const created = await api.createReport({
    title: 'Active by department',
    description: null,
    filters: [{ field: 'status', operator: 'in', value: ['active'] }],
    group_by: ['department'],
  });
  if (created.status !== 201) throw failure(created.data);
  const { id } = created.data.data;
  const results = await api.runReport(id);
  if (results.status !== 200) throw failure(results.data);
  const rows = results.data.data.map(({ attributes }) => [attributes.department, attributes.count]);

  const missing = await api.getEmployee('unknown');
  const impossible = await api.createReport({
    title: 'Both kinds at once',
    columns: ['email'],
    group_by: ['department'],
  });
  if (missing.status !== 404 || impossible.status !== 400) throw new Error('These must be refused');

  const deleted = await api.deleteReport(id);
  if (deleted.status !== 204) throw failure(deleted.data);

  return {
    unauthenticated: wrong.data,
    pages,
    headcount: Object.fromEntries(rows),
    missing: refusal(missing.data),
    impossible: refusal(impossible.data),
    reportId: id,
  };
};

function refusal({ status, code, errors }: api.Problem) {
  return { status, code, pointers: errors?.map(({ pointer }) => pointer) };
}

function failure({ code, detail }: api.Problem) {
  return new Error(`${code}: ${detail}`);
}
