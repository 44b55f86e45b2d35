import { ownerToken } from './users.mjs';

const employee = '/v1/employees/acmedemo00000000';

const get =
  (path, { clientId, scope } = {}) =>
  async (world) =>
    world.send(path, { token: await world.token(clientId, scope) });

const post = (json) => async (world) => world.send('/v1/reports', { json, token: await world.token() });

const postText = (text, type) => async (world) =>
  world.send('/v1/reports', { text, headers: { 'content-type': type }, token: await world.token() });

const patchUser = (json) => async (world) =>
  world.send('/v1/users/me', { method: 'PATCH', json, token: await ownerToken(world) });

/** Errors that a single request causes. */
export const requestErrors = {
  UnknownParameterResponseExample: get(`${employee}?page[sizes]=2`),
  PageSizeOutOfBoundsResponseExample: get('/v1/employees?page[size]=501'),
  MalformedSortResponseExample: get('/v1/employees?sort=salary'),
  UnknownReportMemberResponseExample: post({
    title: 'Salaries',
    colums: ['last_name'],
    filters: [{ field: 'salary', operator: 'eq', value: '100000' }],
  }),
  GroupedColumnsResponseExample: post({
    title: 'Headcount',
    columns: ['department'],
    group_by: ['department'],
  }),
  MalformedJsonResponseExample: postText('{"title": ', 'application/json'),
  ReadOnlyClaimResponseExample: patchUser({ email: 'ada@acme.example' }),
  MalformedPhoneNumberResponseExample: patchUser({ phone_number: '020 7946 0123' }),
  UnauthorizedResponseExample: (world) => world.send('/v1/employees'),
  InvalidTokenResponseExample: (world) => world.send('/v1/employees', { token: 'unknown' }),
  EmployeesReadScopeMissingResponseExample: get('/v1/employees', { scope: 'user:read' }),
  ReportsReadScopeMissingResponseExample: get('/v1/reports', { scope: 'user:read' }),
  ReportsWriteScopeMissingResponseExample: async (world) =>
    world.send('/v1/reports', { json: { title: 'x' }, token: await world.token('demoreadonly') }),
  UserReadScopeMissingResponseExample: get('/v1/users/me', { scope: 'reports:read' }),
  UserWriteScopeMissingResponseExample: async (world) =>
    world.send('/v1/users/me', {
      method: 'PATCH',
      json: { nickname: 'Ada' },
      token: await world.token('demobackend', 'reports:read'),
    }),
  UserContextRequiredResponseExample: get('/v1/users/me'),
  EmployeeNotFoundResponseExample: get('/v1/employees/unknown'),
  ReportNotFoundResponseExample: get('/v1/reports/unknown'),
  PayloadTooLargeResponseExample: post({ title: 'x'.repeat(64 * 1024) }),
  UnsupportedMediaTypeResponseExample: postText('title=Headcount', 'text/plain'),
};
