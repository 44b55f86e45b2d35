import { nextPage } from '../next-page.js';
import type { Program } from '../program.js';
import { client, type ListEmployeesQuery, type Problem } from './generated/people-api.js';

export const run: Program = async ({ baseUrl, clientId, clientSecret }) => {
  client.configure({ serverUrl: baseUrl });
  // Forms are not typed by this generator.
  const askForToken = (secret: string) =>
    client.createToken({
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: secret,
      }),
    });
  const wrong = await askForToken('wrong');
  if (!wrong.error || !('error' in wrong.error)) throw new Error('This must be refused');
  const token = await askForToken(clientSecret);
  if (token.error) throw failure(token.error);
  client.auth.bearer(token.data.access_token);

  const pages: string[][] = [];
  let query: ListEmployeesQuery | undefined = { 'page[size]': 3 };
  while (query) {
    const { data, error } = await client.listEmployees({ query });
    if (error) throw failure(error);
    pages.push(data.data.map(({ id }) => id));
    query = nextPage(data.links);
  }

  const created = await client.createReport({
    body: {
      title: 'Active by department',
      description: null,
      filters: [{ field: 'status', operator: 'in', value: ['active'] }],
      group_by: ['department'],
    },
  });
  if (created.error) throw failure(created.error);
  const path = { report_id: created.data.data.id };
  const results = await client.runReport({ path });
  if (results.error) throw failure(results.error);
  const rows = results.data.data.map(({ attributes }) => [attributes.department, attributes.count]);

  const missing = await client.getEmployee({ path: { employee_id: 'unknown' } });
  const impossible = await client.createReport({
    body: { title: 'Both kinds at once', columns: ['email'], group_by: ['department'] },
  });
  if (!missing.error || !impossible.error) throw new Error('These must be refused');

  const deleted = await client.deleteReport({ path });
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

function refusal({ status, code, errors }: Problem) {
  return { status, code, pointers: errors?.map(({ pointer }) => pointer) };
}

function failure({ code, detail }: Problem) {
  return new Error(`${code}: ${detail}`);
}
