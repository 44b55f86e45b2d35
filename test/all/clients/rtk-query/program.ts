import { configureStore } from '@reduxjs/toolkit';
import type { Program } from '../program.js';
import { configure } from './base-api.js';
import { type OAuthProblem, type Problem, peopleApi } from './generated/people-api.js';

const { endpoints } = peopleApi;

export const run: Program = async ({ baseUrl, clientId, clientSecret }) => {
  configure({ baseUrl });
  const { dispatch } = configureStore({
    reducer: { [peopleApi.reducerPath]: peopleApi.reducer },
    middleware: (getDefaultMiddleware) => getDefaultMiddleware().concat(peopleApi.middleware),
  });
  const requestToken = (secret: string) =>
    dispatch(
      endpoints.createToken.initiate({
        tokenRequest: { grant_type: 'client_credentials', client_id: clientId, client_secret: secret },
      }),
    );
  const wrong = bodyOf<OAuthProblem>(await requestToken('wrong'));
  const token = await requestToken(clientSecret).unwrap();
  configure({ token: token.access_token });

  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const page = { size: 3, after };
    const { data, meta } = await dispatch(endpoints.listEmployees.initiate({ page })).unwrap();
    pages.push(data.map(({ id }) => id));
    after = meta.next_cursor ?? undefined;
  } while (after);

  const created = await dispatch(
    endpoints.createReport.initiate({
      reportCreateRequest: {
        title: 'Active by department',
        filters: [{ field: 'status', operator: 'in', value: ['active'] }],
        group_by: ['department'],
      },
    }),
  ).unwrap();
  const reportId = created.data.id;
  const updated = await dispatch(
    endpoints.updateReport.initiate({ reportId, reportUpdateRequest: { title: 'Headcount' } }),
  ).unwrap();
  const results = await dispatch(endpoints.runReport.initiate({ reportId })).unwrap();
  const rows = results.data.map(({ attributes }) => [attributes.department, attributes.count]);
  const csv = await dispatch(endpoints.exportReport.initiate({ reportId })).unwrap();

  const missing = await dispatch(endpoints.getEmployee.initiate({ employeeId: 'unknown' }));
  const malformed = await dispatch(
    endpoints.createReport.initiate({
      reportCreateRequest: {
        title: 'Recent changes',
        filters: [{ field: 'updated_at', operator: 'eq', value: 'yesterday' }],
      },
    }),
  );

  await dispatch(endpoints.deleteReport.initiate({ reportId })).unwrap();
  dispatch(peopleApi.util.resetApiState());

  return {
    unauthenticated: wrong,
    pages,
    reportId,
    title: updated.data.attributes.title,
    headcount: Object.fromEntries(rows),
    csv,
    missing: rejection(bodyOf<Problem>(missing)),
    malformed: rejection(bodyOf<Problem>(malformed)),
  };
};

/** The bodies of errors have no type. */
function bodyOf<Body>({ error }: { error?: unknown }): Body {
  if (typeof error !== 'object' || error === null || !('data' in error)) {
    throw new Error('The request was accepted.', { cause: error });
  }
  return error.data as Body;
}

function rejection({ status, code, errors }: Problem) {
  return { status, code, pointers: errors?.map(({ pointer }) => pointer) };
}
