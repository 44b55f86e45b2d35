import type { Program } from '../program.js';
import { client, type Problem } from './generated/people-api.js';

export const run: Program = async ({ baseUrl, clientId, clientSecret }) => {
  client.configure({ serverUrl: baseUrl });
  // The body of a form has no type.
  const requestToken = (secret: string) =>
    client.createToken({
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: secret,
      }),
    });
  const wrong = await requestToken('wrong');
  if (!wrong.error || !('error' in wrong.error)) throw new Error('The secret was accepted.');
  const token = await requestToken(clientSecret);
  if (token.error) throw failure(token.error);
  client.auth.bearer(token.data.access_token);

  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const query = { 'page[size]': 3, 'page[after]': after };
    const { data, error } = await client.listEmployees({ query });
    if (error) throw failure(error);
    pages.push(data.data.map(({ id }) => id));
    after = data.meta.next_cursor ?? undefined;
  } while (after);

  const created = await client.createReport({
    body: {
      title: 'Active by department',
      filters: [{ field: 'status', operator: 'in', value: ['active'] }],
      group_by: ['department'],
    },
  });
  if (created.error) throw failure(created.error);
  const path = { report_id: created.data.data.id };
  const updated = await client.updateReport({ path, body: { title: 'Headcount' } });
  if (updated.error) throw failure(updated.error);
  const results = await client.runReport({ path });
  if (results.error) throw failure(results.error);
  const rows = results.data.data.map(({ attributes }) => [attributes.department, attributes.count]);
  const csv = await client.exportReport({ path });
  if (csv.error) throw failure(csv.error);

  const missing = await client.getEmployee({ path: { employee_id: 'unknown' } });
  const malformed = await client.createReport({
    body: {
      title: 'Recent changes',
      filters: [{ field: 'updated_at', operator: 'eq', value: 'yesterday' }],
    },
  });
  if (!missing.error || !malformed.error) throw new Error('The requests were accepted.');

  const deleted = await client.deleteReport({ path });
  if (deleted.error) throw failure(deleted.error);

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

function failure({ code, detail }: Problem) {
  return new Error(`${code}: ${detail}`);
}
