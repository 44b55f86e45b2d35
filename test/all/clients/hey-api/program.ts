import type { Program } from '../program.js';
import { client } from './generated/client.gen.js';
import {
  createReport,
  createToken,
  deleteReport,
  exportReport,
  getEmployee,
  listEmployees,
  type Problem,
  runReport,
  updateReport,
} from './generated/index.js';

export const run: Program = async ({ baseUrl, clientId, clientSecret }) => {
  client.setConfig({ baseUrl });
  const credentials = { grant_type: 'client_credentials', client_id: clientId };
  const wrong = await createToken({ body: { ...credentials, client_secret: 'wrong' } });
  if (!wrong.error || !('error' in wrong.error)) throw new Error('The secret was accepted.');
  const token = await createToken({
    body: { ...credentials, client_secret: clientSecret },
    throwOnError: true,
  });
  client.setConfig({ auth: token.data.access_token });

  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const query = { 'page[size]': 3, 'page[after]': after };
    const { data } = await listEmployees({ query, throwOnError: true });
    pages.push(data.data.map(({ id }) => id));
    after = data.meta.next_cursor ?? undefined;
  } while (after);

  const created = await createReport({
    body: {
      title: 'Active by department',
      filters: [{ field: 'status', operator: 'in', value: ['active'] }],
      group_by: ['department'],
    },
    throwOnError: true,
  });
  const path = { report_id: created.data.data.id };
  const updated = await updateReport({ path, body: { title: 'Headcount' }, throwOnError: true });
  const results = await runReport({ path, throwOnError: true });
  const rows = results.data.data.map(({ attributes }) => [attributes.department, attributes.count]);
  const csv = await exportReport({ path, throwOnError: true });

  const missing = await getEmployee({ path: { employee_id: 'unknown' } });
  const malformed = await createReport({
    body: {
      title: 'Recent changes',
      filters: [{ field: 'updated_at', operator: 'eq', value: 'yesterday' }],
    },
  });
  if (!missing.error || !malformed.error) throw new Error('The requests were accepted.');

  await deleteReport({ path, throwOnError: true });

  return {
    unauthenticated: wrong.error,
    pages,
    reportId: path.report_id,
    title: updated.data.data.attributes.title,
    headcount: Object.fromEntries(rows),
    csv: csv.data,
    missing: rejection(missing.error),
    malformed: rejection(malformed.error),
  };
};

function rejection({ status, code, errors }: Problem) {
  return { status, code, pointers: errors?.map(({ pointer }) => pointer) };
}
