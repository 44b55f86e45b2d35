import { nextPage } from '../next-page.js';
import type { Program } from '../program.js';
import {
  Api,
  type HttpResponse,
  type OAuthProblem,
  type Problem,
  ReportColumnKey,
  ReportFilterOperator,
} from './generated/people-api.js';

export const run: Program = async ({ baseUrl, clientId, clientSecret }) => {
  const api = new Api<string>({
    baseUrl,
    securityWorker: (token) => ({ headers: { Authorization: `Bearer ${token}` } }),
  });
  const credentials = { grant_type: 'client_credentials', client_id: clientId };
  const wrong = await thrownBy<OAuthProblem>(api.v1.createToken({ ...credentials, client_secret: 'wrong' }));
  const token = await api.v1.createToken({ ...credentials, client_secret: clientSecret });
  api.setSecurityData(token.data.access_token);

  const pages: string[][] = [];
  let query: Parameters<typeof api.v1.listEmployees>[0] = { 'page[size]': 3 };
  while (query) {
    const { data } = await api.v1.listEmployees(query);
    pages.push(data.data.map(({ id }) => id));
    query = nextPage(data.links);
  }

  const created = await api.v1.createReport({
    title: 'Active by department',
    description: null,
    filters: [{ field: ReportColumnKey.Status, operator: ReportFilterOperator.In, value: ['active'] }],
    group_by: [ReportColumnKey.Department],
  });
  const { id } = created.data.data;
  const results = await api.v1.runReport(id);
  const rows = results.data.data.map(({ attributes }) => [attributes.department, attributes.count]);

  const missing = await thrownBy<Problem>(api.v1.getEmployee('unknown'));
  const impossible = await thrownBy<Problem>(
    api.v1.createReport({
      title: 'Both kinds at once',
      columns: [ReportColumnKey.Email],
      group_by: [ReportColumnKey.Department],
    }),
  );

  await api.v1.deleteReport(id);

  return {
    unauthenticated: wrong,
    pages,
    headcount: Object.fromEntries(rows),
    missing: refusal(missing),
    impossible: refusal(impossible),
    reportId: id,
  };
};

/** This generator throws refusals. */
function thrownBy<Refusal>(answer: Promise<unknown>): Promise<Refusal> {
  return answer.then(
    () => Promise.reject(new Error('This must be refused')),
    (thrown: HttpResponse<unknown, Refusal>) => thrown.error,
  );
}

function refusal({ status, code, errors }: Problem) {
  return { status, code, pointers: errors?.map(({ pointer }) => pointer) };
}
