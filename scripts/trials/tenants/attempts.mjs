import { authorizePath } from '../client/browser.mjs';
import { clientCredentials, get, postForm, refresh, remove, sendJson } from '../client/requests.mjs';

const title = { title: 'Mine' };
const settings = '/people/settings';

/**
 * Requests of one account with ids of another in every place that takes one. Each is compared with the same request
 * for an id of the same form that nobody has.
 *
 * @param {object} mine what the account has, see `inhabit`
 * @returns {{ what: string, ids: (theirs: object) => string[], ask: (id: string) => object }[]}
 */
export function attempts(mine) {
  const { token, account, reports } = mine;
  const { application, publicApplication } = account;
  const employeesOf = (theirs) => theirs.employees.slice(0, 20);
  const reportsOf = (theirs) => theirs.reports;
  const applicationsOf = (theirs) => [theirs.account.application.id, theirs.account.publicApplication.id];
  return [
    { what: 'GET an employee', ids: employeesOf, ask: (id) => get(`/v1/employees/${id}`, token) },
    {
      what: 'HEAD an employee',
      ids: employeesOf,
      ask: (id) => ({ ...get(`/v1/employees/${id}`, token), method: 'HEAD' }),
    },
    { what: 'GET a report', ids: reportsOf, ask: (id) => get(`/v1/reports/${id}`, token) },
    { what: 'GET a result', ids: reportsOf, ask: (id) => get(`/v1/reports/${id}/results`, token) },
    {
      what: 'GET a table',
      ids: reportsOf,
      ask: (id) => get(`/v1/reports/${id}/results.csv`, token),
    },
    {
      what: 'PATCH a report',
      ids: reportsOf,
      ask: (id) => sendJson('PATCH', `/v1/reports/${id}`, token, title),
    },
    {
      what: 'PATCH a report with its entity tag',
      ids: reportsOf,
      ask: (id) => sendJson('PATCH', `/v1/reports/${id}`, token, title, { 'if-match': '"1"' }),
    },
    {
      what: 'PATCH a report badly',
      ids: reportsOf,
      ask: (id) => sendJson('PATCH', `/v1/reports/${id}`, token, { title: 1 }),
    },
    { what: 'DELETE a report', ids: reportsOf, ask: (id) => remove(`/v1/reports/${id}`, token) },
    {
      what: 'DELETE a report with another entity tag',
      ids: reportsOf,
      ask: (id) => remove(`/v1/reports/${id}`, token, { 'if-match': '"99"' }),
    },
    ...['employee_number', 'email', 'department'].map((name) => ({
      what: `filter employees by ${name}`,
      ids: (theirs) => theirs.values[name],
      ask: (id) => get(`/v1/employees?filter[${name}]=${encodeURIComponent(id)}`, token),
    })),
    {
      what: 'a report whose filter has a foreign value',
      ids: (theirs) => theirs.employees.slice(0, 3),
      ask: (id) => ({
        before: sendJson('PATCH', `/v1/reports/${reports[5]}`, token, {
          filters: [{ field: 'id', operator: 'eq', value: id }],
        }),
        ...get(`/v1/reports/${reports[5]}/results`, token),
      }),
    },
    {
      what: 'trade a code',
      ids: (theirs) => [theirs.codeForm.code],
      ask: (code) => postForm('/v1/oauth/token', { ...mine.formOfTheirs, ...clientOf(application), code }),
    },
    {
      what: 'trade a code as a public client',
      ids: (theirs) => [theirs.codeForm.code],
      ask: (code) => postForm('/v1/oauth/token', { ...publicForm(mine), code }),
    },
    {
      what: 'spend a refresh token',
      ids: (theirs) => [theirs.refreshToken],
      ask: (id) => refresh(application, id),
    },
    {
      what: 'spend a refresh token as a public client',
      ids: (theirs) => [theirs.refreshToken],
      ask: (id) => refresh(publicApplication, id),
    },
    {
      what: 'client credentials for a client id',
      ids: (theirs) => [theirs.account.application.clientId],
      ask: (clientId) => clientCredentials({ ...application, clientId }),
    },
    {
      what: 'a refresh for a confidential client id',
      ids: (theirs) => [theirs.account.application.clientId],
      ask: (clientId) => refresh({ ...application, clientId }, mine.refreshToken),
    },
    {
      what: 'a revocation for a client id',
      ids: (theirs) => [theirs.account.application.clientId],
      ask: (clientId) =>
        postForm('/v1/oauth/revoke', { client_id: clientId, client_secret: 'x', token: mine.token }),
    },
    ...['', '/edit', '/revoke_access', '/delete', '/secrets'].flatMap((part) => [
      {
        what: `the page of an application${part}`,
        ids: applicationsOf,
        ask: (id) => ({ open: `${settings}/oauth_applications/${id}${part}` }),
      },
      {
        what: `the form of an application${part}`,
        ids: applicationsOf,
        ask: (id) => ({
          submit: `${settings}/oauth_applications/${id}${part}`,
          form: { name: 'Mine', redirect_uris: 'https://mine.example/', scopes: 'user:read' },
        }),
      },
    ]),
    {
      what: 'the page of a secret',
      ids: (theirs) => theirs.secrets,
      ask: (id) => ({ open: `${settings}/oauth_applications/${application.id}/secrets/${id}/revoke` }),
    },
    {
      what: 'the form of a secret',
      ids: (theirs) => theirs.secrets,
      ask: (id) => ({
        submit: `${settings}/oauth_applications/${application.id}/secrets/${id}/revoke`,
        form: {},
      }),
    },
    {
      what: 'the page of a connection',
      ids: applicationsOf,
      ask: (id) => ({ open: `${settings}/connected_applications/${id}/disconnect` }),
    },
    {
      what: 'the form of a connection',
      ids: applicationsOf,
      ask: (id) => ({ submit: `${settings}/connected_applications/${id}/disconnect`, form: {} }),
    },
    {
      what: 'the audit log of a person or an application',
      ids: (theirs) => [theirs.account.owner.id, theirs.account.application.id],
      ask: (id) => ({ open: `${settings}/audit_log?user=${id}&application=${id}` }),
    },
  ];
}

/**
 * Requests with something foreign that has no counterpart among unknown ids, because it is the caller's to give or
 * public. Nothing foreign may be in their answers.
 */
export function foreignInputs(mine, theirs) {
  const { token } = mine;
  const { clientId, redirectUri } = theirs.account.application;
  return [
    get(`/v1/employees?page[size]=2&page[after]=${theirs.marker}`, token),
    get(`/v1/employees?page[size]=500&page[number]=1&page[after]=${theirs.marker}`, token),
    get(`/v1/reports?page[size]=2&page[after]=${theirs.marker}`, token),
    get(`/v1/reports/${mine.reports[0]}/results?page[size]=2&page[after]=${theirs.marker}`, token),
    sendJson('PATCH', `/v1/reports/${mine.reports[1]}`, token, title, { 'if-match': theirs.etag }),
    sendJson('POST', '/v1/reports', token, title, { 'idempotency-key': theirs.idempotencyKey }),
    get('/v1/employees?page[size]=500', token),
    get('/v1/reports?page[size]=500', token),
    get(`/v1/reports/${mine.reports[2]}/results?page[size]=500`, token),
    get(`/v1/reports/${mine.reports[2]}/results.csv`, token),
    get('/v1/users/me', mine.userToken),
    { open: authorizePath({ clientId, redirectUri, scope: 'user:read', verifier: 'x'.repeat(43) }) },
    { open: '/people?page=1' },
    { open: '/people/settings/oauth_applications' },
    { open: '/people/settings/connected_applications' },
    { open: '/people/settings/audit_log' },
  ];
}

function clientOf({ clientId, clientSecret }) {
  return { client_id: clientId, client_secret: clientSecret };
}

function publicForm({ formOfTheirs: { client_secret: _, ...form }, account: { publicApplication } }) {
  return { ...form, client_id: publicApplication.clientId };
}
