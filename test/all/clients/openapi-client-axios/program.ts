import { isAxiosError } from 'axios';
import { OpenAPIClientAxios } from 'openapi-client-axios';
import type { Program } from '../program.js';
import type {
  Client,
  Employee,
  OAuthProblem,
  Problem,
  ProblemItem,
  ReportRow,
} from './generated/people-api.js';

export const run: Program = async ({ baseUrl, clientId, clientSecret }) => {
  const definition = `${baseUrl}/openapi/v1.json`;
  const api = await new OpenAPIClientAxios({ definition, withServer: { url: baseUrl } }).init<Client>();
  // Without the header, the client sends the form as JSON.
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const credentials = { grant_type: 'client_credentials', client_id: clientId };
  const requestToken = (secret: string) =>
    api.createToken(null, { ...credentials, client_secret: secret }, { headers });
  const wrong = await bodyOfError<OAuthProblem>(requestToken('wrong'));
  const token = await requestToken(clientSecret);
  api.defaults.headers.common.Authorization = `Bearer ${token.data.access_token}`;

  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const { data } = await api.listEmployees({ 'page[size]': 3, ...(after && { 'page[after]': after }) });
    // Arrays with a maximum length have tuple types, whose elements may be undefined.
    const employees: (Employee | undefined)[] = data.data;
    pages.push(employees.flatMap((employee) => employee?.id ?? []));
    after = data.meta.next_cursor ?? undefined;
  } while (after);

  const created = await api.createReport(null, {
    title: 'Active by department',
    filters: [{ field: 'status', operator: 'in', value: ['active'] }],
    group_by: ['department'],
  });
  const path = { report_id: created.data.data.id };
  const updated = await api.updateReport(path, { title: 'Headcount' });
  const results = await api.runReport(path);
  const found: (ReportRow | undefined)[] = results.data.data;
  const rows = found.flatMap((row) => row ?? []);
  const csv = await api.exportReport(path);

  const missing = await bodyOfError<Problem>(api.getEmployee({ employee_id: 'unknown' }));
  const malformed = await bodyOfError<Problem>(
    api.createReport(null, {
      title: 'Recent changes',
      filters: [{ field: 'updated_at', operator: 'eq', value: 'yesterday' }],
    }),
  );

  await api.deleteReport(path);

  return {
    unauthenticated: wrong,
    pages,
    reportId: path.report_id,
    title: updated.data.data.attributes.title,
    headcount: Object.fromEntries(rows.map(({ attributes }) => [attributes.department, attributes.count])),
    csv: csv.data,
    missing: rejection(missing),
    malformed: rejection(malformed),
  };
};

/** The client throws the error of axios for an error status. Its body has no type. */
async function bodyOfError<Body>(response: Promise<unknown>): Promise<Body> {
  const thrown = await response.catch((error: unknown) => error);
  if (!isAxiosError<Body>(thrown) || !thrown.response) {
    throw new Error('The request was accepted.', { cause: thrown });
  }
  return thrown.response.data;
}

function rejection({ status, code, errors }: Problem) {
  const items: (ProblemItem | undefined)[] | undefined = errors;
  return { status, code, pointers: items?.map((item) => item?.pointer) };
}
