import { nextPage } from '../next-page.js';
import type { Program } from '../program.js';
import { client } from './generated/client.gen.js';
import {
  createReport,
  createToken,
  deleteReport,
  getEmployee,
  type ListEmployeesData,
  listEmployees,
  type Problem,
  runReport,
} from './generated/index.js';

export const run: Program = async ({ baseUrl, clientId, clientSecret }) => {
  client.setConfig({ baseUrl });
  const credentials = { grant_type: 'client_credentials', client_id: clientId };
  const wrong = await createToken({ body: { ...credentials, client_secret: 'wrong' } });
  if (!wrong.error || !('error' in wrong.error)) throw new Error('This must be refused');
  const token = await createToken({
    body: { ...credentials, client_secret: clientSecret },
    throwOnError: true,
  });
  client.setConfig({ auth: token.data.access_token });

  const pages: string[][] = [];
  let query: ListEmployeesData['query'] = { 'page[size]': 3 };
  while (query) {
    const { data } = await listEmployees({ query, throwOnError: true });
    pages.push(data.data.map(({ id }) => id));
    query = nextPage(data.links);
  }

  const created = await createReport({
    body: {
      title: 'Active by department',
      description: null,
      filters: [{ field: 'status', operator: 'in', value: ['active'] }],
      group_by: ['department'],
    },
    throwOnError: true,
  });
  const path = { report_id: created.data.data.id };
  const results = await runReport({ path, throwOnError: true });
  const rows = results.data.data.map(({ attributes }) => [attributes.department, attributes.count]);

  const missing = await getEmployee({ path: { employee_id: 'unknown' } });
  const impossible = await createReport({
    body: { title: 'Both kinds at once', columns: ['email'], group_by: ['department'] },
  });
  if (!missing.error || !impossible.error) throw new Error('These must be refused');

  await deleteReport({ path, throwOnError: true });

  return {
    unauthenticated: wrong.error,
    pages,
    headcount: Object.fromEntries(rows),
    missing: refusal(missing.error),
    impossible: refusal(impossible.error),
    reportId: path.report_id,
  };
};

function refusal({ status, code, errors }: Problem) {
  return { status, code, pointers: errors?.map(({ pointer }) => pointer) };
}
