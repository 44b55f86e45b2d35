import { isAxiosError } from 'axios';
import type { Program } from '../program.js';
import { setConfig } from './generated/.kubb/fetch.js';
import * as api from './generated/client.js';
import type { OAuthProblem, Problem } from './generated/types.js';
import { oAuthProblemSchema, problemSchema } from './generated/zod.js';

export const run: Program = async ({ baseUrl, clientId, clientSecret }) => {
  setConfig({ baseURL: baseUrl });
  const credentials = { grant_type: 'client_credentials', client_id: clientId };
  const wrong = await bodyOfError(api.createToken({ ...credentials, client_secret: 'wrong' }));
  const token = await api.createToken({ ...credentials, client_secret: clientSecret });
  setConfig({ baseURL: baseUrl, headers: { Authorization: `Bearer ${token.access_token}` } });

  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const { data, meta } = await api.listEmployees({ 'page[size]': 3, 'page[after]': after });
    pages.push(data.map(({ id }) => id));
    after = meta.next_cursor ?? undefined;
  } while (after);

  const created = await api.createReport({
    title: 'Active by department',
    filters: [{ field: 'status', operator: 'in', value: ['active'] }],
    group_by: ['department'],
  });
  const { id } = created.data;
  const updated = await api.updateReport(id, { title: 'Headcount' });
  const results = await api.runReport(id);
  const rows = results.data.map(({ attributes }) => [attributes.department, attributes.count]);
  const csv = await api.exportReport(id);

  const missing = await bodyOfError(api.getEmployee('unknown'));
  const malformed = await bodyOfError(
    api.createReport({
      title: 'Recent changes',
      filters: [{ field: 'updated_at', operator: 'eq', value: 'yesterday' }],
    }),
  );

  await api.deleteReport(id);

  const unauthenticated: OAuthProblem = oAuthProblemSchema.parse(wrong);
  return {
    unauthenticated,
    pages,
    reportId: id,
    title: updated.data.attributes.title,
    headcount: Object.fromEntries(rows),
    csv,
    missing: rejection(problemSchema.parse(missing)),
    malformed: rejection(problemSchema.parse(malformed)),
  };
};

/** The client throws the error of axios for an error status. Its body has no type. */
async function bodyOfError(response: Promise<unknown>): Promise<unknown> {
  const thrown = await response.catch((error: unknown) => error);
  if (!isAxiosError(thrown)) throw new Error('The request was accepted.', { cause: thrown });
  return thrown.response?.data;
}

function rejection({ status, code, errors }: Problem) {
  return { status, code, pointers: errors?.map(({ pointer }) => pointer) };
}
