import type { Program } from '../program.js';
import {
  Api,
  type HttpResponse,
  type OAuthProblem,
  type Problem,
  ReportColumnInput,
  ReportGroupKeyInput,
  ReportListOperator,
  ReportTextOperator,
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
  let after: string | undefined;
  do {
    const { data } = await api.v1.listEmployees({ 'page[size]': 3, 'page[after]': after });
    pages.push(data.data.map(({ id }) => id));
    after = data.meta.next_cursor ?? undefined;
  } while (after);

  const created = await api.v1.createReport({
    title: 'Active by department',
    filters: [{ field: ReportColumnInput.Status, operator: ReportListOperator.In, value: ['active'] }],
    group_by: [ReportGroupKeyInput.Department],
  });
  const { id } = created.data.data;
  const updated = await api.v1.updateReport(id, { title: 'Headcount' });
  const results = await api.v1.runReport(id);
  const rows = results.data.data.map(({ attributes }) => [attributes.department, attributes.count]);
  const csv = await api.v1.exportReport(id, {}, { format: 'text' });

  const missing = await thrownBy<Problem>(api.v1.getEmployee('unknown'));
  const malformed = await thrownBy<Problem>(
    api.v1.createReport({
      title: 'Recent changes',
      filters: [{ field: ReportColumnInput.UpdatedAt, operator: ReportTextOperator.Eq, value: 'yesterday' }],
    }),
  );

  await api.v1.deleteReport(id);

  return {
    unauthenticated: wrong,
    pages,
    reportId: id,
    title: updated.data.data.attributes.title,
    headcount: Object.fromEntries(rows),
    csv: csv.data,
    missing: rejection(missing),
    malformed: rejection(malformed),
  };
};

/** The client throws its response for an error status. */
function thrownBy<Body>(response: Promise<unknown>): Promise<Body> {
  return response.then(
    () => Promise.reject(new Error('The request was accepted.')),
    (thrown: HttpResponse<unknown, Body>) => thrown.error,
  );
}

function rejection({ status, code, errors }: Problem) {
  return { status, code, pointers: errors?.map(({ pointer }) => pointer) };
}
