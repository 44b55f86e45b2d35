import { nextPage } from '../next-page.js';
import type { Program } from '../program.js';
import {
  ApiError,
  EmployeesService,
  type OAuthProblem,
  OpenAPI,
  type Problem,
  ReportColumnKey,
  ReportFilterOperator,
  ReportsService,
  type TokenResponse,
} from './generated/index.js';

export const run: Program = async ({ baseUrl, clientId, clientSecret }) => {
  OpenAPI.BASE = baseUrl;
  // This generator sends every form as multipart/form-data, which OAuth 2.0 does not know.
  const askForToken = async (secret: string) => {
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
    const body = new URLSearchParams(form);
    const answer = await fetch(`${baseUrl}/v1/oauth/token`, { method: 'POST', body });
    return answer.json();
  };
  const wrong: OAuthProblem = await askForToken('wrong');
  const token: TokenResponse = await askForToken(clientSecret);
  OpenAPI.TOKEN = token.access_token;

  const first = await EmployeesService.listEmployees(undefined, 3);
  const pages = [first.data.map(({ id }) => id)];
  let next = nextPage(first.links);
  while (next) {
    const { 'page[number]': number, 'page[size]': size, 'page[after]': after } = next;
    const { data, links } = await EmployeesService.listEmployees(number, size, after);
    pages.push(data.map(({ id }) => id));
    next = nextPage(links);
  }

  const created = await ReportsService.createReport({
    title: 'Active by department',
    description: null,
    filters: [{ field: ReportColumnKey.STATUS, operator: ReportFilterOperator.IN, value: ['active'] }],
    group_by: [ReportColumnKey.DEPARTMENT],
  });
  const { id } = created.data;
  const results = await ReportsService.runReport(id);
  const rows = results.data.map(({ attributes }) => [attributes.department, attributes.count]);

  const missing = await thrownBy(EmployeesService.getEmployee('unknown'));
  const impossible = await thrownBy(
    ReportsService.createReport({
      title: 'Both kinds at once',
      columns: [ReportColumnKey.EMAIL],
      group_by: [ReportColumnKey.DEPARTMENT],
    }),
  );

  await ReportsService.deleteReport(id);

  return {
    unauthenticated: wrong,
    pages,
    headcount: Object.fromEntries(rows),
    missing: refusal(missing),
    impossible: refusal(impossible),
    reportId: id,
  };
};

/** This generator throws refusals, and their bodies are `any`. */
async function thrownBy(answer: Promise<unknown>): Promise<Problem> {
  const thrown = await answer.catch((error) => error);
  if (!(thrown instanceof ApiError)) throw new Error('This must be refused', { cause: thrown });
  return thrown.body;
}

function refusal({ status, code, errors }: Problem) {
  return { status, code, pointers: errors?.map(({ pointer }) => pointer) };
}
