import type { Program } from '../program.js';
import {
  ApiError,
  EmployeesService,
  type OAuthProblem,
  OpenAPI,
  type Problem,
  ReportColumnInput,
  ReportGroupKeyInput,
  ReportListOperator,
  ReportsService,
  ReportTextOperator,
  type TokenResponse,
} from './generated/index.js';

export const run: Program = async ({ baseUrl, clientId, clientSecret }) => {
  OpenAPI.BASE = baseUrl;
  // The generated function sends every form as multipart/form-data, which OAuth 2.0 does not define.
  const requestToken = async (secret: string) => {
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
    const body = new URLSearchParams(form);
    const response = await fetch(`${baseUrl}/v1/oauth/token`, { method: 'POST', body });
    return response.json();
  };
  const wrong: OAuthProblem = await requestToken('wrong');
  const token: TokenResponse = await requestToken(clientSecret);
  OpenAPI.TOKEN = token.access_token;

  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const { data, meta } = await EmployeesService.listEmployees(undefined, 3, after);
    pages.push(data.map(({ id }) => id));
    after = meta.next_cursor ?? undefined;
  } while (after);

  const created = await ReportsService.createReport({
    title: 'Active by department',
    filters: [{ field: ReportColumnInput.STATUS, operator: ReportListOperator.IN, value: ['active'] }],
    group_by: [ReportGroupKeyInput.DEPARTMENT],
  });
  const { id } = created.data;
  const updated = await ReportsService.updateReport(id, { title: 'Headcount' });
  const results = await ReportsService.runReport(id);
  const rows = results.data.map(({ attributes }) => [attributes.department, attributes.count]);
  // The client sends `Accept: application/json` by default, and has no headers for one request.
  OpenAPI.HEADERS = { Accept: 'text/csv' };
  const csv = await ReportsService.exportReport(id);
  OpenAPI.HEADERS = undefined;

  const missing = await thrownBy(EmployeesService.getEmployee('unknown'));
  const malformed = await thrownBy(
    ReportsService.createReport({
      title: 'Recent changes',
      filters: [{ field: ReportColumnInput.UPDATED_AT, operator: ReportTextOperator.EQ, value: 'yesterday' }],
    }),
  );

  await ReportsService.deleteReport(id);

  return {
    unauthenticated: wrong,
    pages,
    reportId: id,
    title: updated.data.attributes.title,
    headcount: Object.fromEntries(rows),
    csv,
    missing: rejection(missing),
    malformed: rejection(malformed),
  };
};

/** The client throws an error for an error status. Its body has the type `any`. */
async function thrownBy(response: Promise<unknown>): Promise<Problem> {
  const thrown = await response.catch((error) => error);
  if (!(thrown instanceof ApiError)) throw new Error('The request was accepted.', { cause: thrown });
  return thrown.body;
}

function rejection({ status, code, errors }: Problem) {
  return { status, code, pointers: errors?.map(({ pointer }) => pointer) };
}
