import { authorizePath } from '../../kit/http/browser.js';
import {
  clientCredentials,
  clientFields,
  get,
  postForm,
  refresh,
  remove,
  sendJson,
} from '../../kit/http/requests.js';
import { filteredAttributes, type Seeded } from './seed.js';
import type { Action } from './sender.js';

/** An action of one account with an id of another. */
interface Attempt {
  readonly what: string;
  /** Ids of the other account. */
  readonly ids: readonly string[];
  readonly action: (id: string) => Action;
}

const title = { title: 'Mine' };
const settings = '/people/settings';

/**
 * Attempts with a foreign id in every parameter that accepts one. Each is compared with the same action for an unknown id.
 */
export function attempts(mine: Seeded, theirs: Seeded): Attempt[] {
  return [
    ...employeeAttempts(mine, theirs),
    ...reportAttempts(mine, theirs),
    ...tokenAttempts(mine, theirs),
    ...pageAttempts(mine, theirs),
  ];
}

function employeeAttempts({ token }: Seeded, theirs: Seeded): Attempt[] {
  const ids = theirs.employees.slice(0, 20);
  return [
    { what: 'GET an employee', ids, action: (id) => get(`/v1/employees/${id}`, token) },
    {
      what: 'HEAD an employee',
      ids,
      action: (id) => ({ ...get(`/v1/employees/${id}`, token), method: 'HEAD' }),
    },
    ...filteredAttributes.map((name) => ({
      what: `filter employees by ${name}`,
      ids: theirs.values[name],
      action: (id: string) => get(`/v1/employees?filter[${name}]=${encodeURIComponent(id)}`, token),
    })),
  ];
}

function reportAttempts({ token, reports }: Seeded, theirs: Seeded): Attempt[] {
  const ids = theirs.reports;
  const update = (value: object, headers = {}) => {
    return (id: string) => sendJson('PATCH', `/v1/reports/${id}`, token, value, headers);
  };
  return [
    { what: 'GET a report', ids, action: (id) => get(`/v1/reports/${id}`, token) },
    { what: 'GET a result', ids, action: (id) => get(`/v1/reports/${id}/results`, token) },
    { what: 'GET a CSV export', ids, action: (id) => get(`/v1/reports/${id}/results.csv`, token) },
    { what: 'PATCH a report', ids, action: update(title) },
    { what: 'PATCH a report with its entity tag', ids, action: update(title, { 'if-match': '"1"' }) },
    { what: 'PATCH a report with an invalid body', ids, action: update({ title: 1 }) },
    { what: 'DELETE a report', ids, action: (id) => remove(`/v1/reports/${id}`, token) },
    {
      what: 'DELETE a report with another entity tag',
      ids,
      action: (id) => remove(`/v1/reports/${id}`, token, { 'if-match': '"99"' }),
    },
    {
      what: 'run a report with a foreign value in a filter',
      ids: theirs.employees.slice(0, 3),
      action: (id) => ({
        before: update({ filters: [{ field: 'id', operator: 'eq', value: id }] })(reports[5]),
        ...get(`/v1/reports/${reports[5]}/results`, token),
      }),
    },
  ];
}

function tokenAttempts({ account, token, refreshToken }: Seeded, theirs: Seeded): Attempt[] {
  const { application, publicApplication } = account;
  const { client_secret: _, ...publicForm } = theirs.codeForm;
  const codes = [theirs.codeForm.code];
  const clientIds = [theirs.account.application.clientId];
  const exchange = (form: Record<string, string>) => {
    return (code: string) => postForm('/v1/oauth/token', { ...form, code });
  };
  return [
    {
      what: 'exchange a code',
      ids: codes,
      action: exchange({ ...theirs.codeForm, ...clientFields(application) }),
    },
    {
      what: 'exchange a code as a public client',
      ids: codes,
      action: exchange({ ...publicForm, ...clientFields(publicApplication) }),
    },
    {
      what: 'consume a refresh token',
      ids: [theirs.refreshToken],
      action: (id) => refresh(application, id),
    },
    {
      what: 'consume a refresh token as a public client',
      ids: [theirs.refreshToken],
      action: (id) => refresh(publicApplication, id),
    },
    {
      what: 'client credentials for a client id',
      ids: clientIds,
      action: (clientId) => clientCredentials({ ...application, clientId }),
    },
    {
      what: 'refresh for a client id',
      ids: clientIds,
      action: (clientId) => refresh({ ...application, clientId }, refreshToken),
    },
    {
      what: 'revoke for a client id',
      ids: clientIds,
      action: (clientId) => postForm('/v1/oauth/revoke', { client_id: clientId, client_secret: 'x', token }),
    },
  ];
}

function pageAttempts({ account: { application } }: Seeded, theirs: Seeded): Attempt[] {
  const { owner, application: foreign, publicApplication } = theirs.account;
  const applications = [foreign.id, publicApplication.id];
  const applicationForm = { name: 'Mine', redirect_uris: 'https://mine.example/', scopes: 'user:read' };
  const secretPath = (id: string) => `${settings}/oauth_applications/${application.id}/secrets/${id}/revoke`;
  const connectionPath = (id: string) => `${settings}/connected_applications/${id}/disconnect`;
  return [
    ...[
      '',
      '/credentials',
      '/usage',
      '/webhooks',
      '/requests',
      '/edit',
      '/revoke_access',
      '/delete',
      '/secrets',
    ].flatMap((part) => {
      const path = (id: string) => `${settings}/oauth_applications/${id}${part}`;
      return [...pageAndForm(`an application${part}`, applications, { path, form: applicationForm })];
    }),
    ...pageAndForm('a secret', theirs.secrets, { path: secretPath }),
    ...pageAndForm('a connection', applications, { path: connectionPath }),
    {
      what: 'the audit log of a user or an application',
      ids: [owner.id, foreign.id],
      action: (id) => ({ open: `${settings}/audit_log?user=${id}&application=${id}` }),
    },
  ];
}

function pageAndForm(
  name: string,
  ids: readonly string[],
  { path, form = {} }: { path: (id: string) => string; form?: Record<string, string> },
): Attempt[] {
  return [
    { what: `the page of ${name}`, ids, action: (id) => ({ open: path(id) }) },
    { what: `the form of ${name}`, ids, action: (id) => ({ submit: path(id), form }) },
  ];
}

/**
 * Actions with a foreign value without an unknown counterpart, because clients choose it or it is public, and actions
 * without a foreign value. Their responses must contain nothing foreign.
 */
export function otherActions(mine: Seeded, theirs: Seeded): Action[] {
  const { token, reports } = mine;
  const { clientId, redirectUri } = theirs.account.application;
  const after = `page[after]=${theirs.cursor}`;
  return [
    get(`/v1/employees?page[size]=2&${after}`, token),
    get(`/v1/employees?page[size]=500&page[number]=1&${after}`, token),
    get(`/v1/reports?page[size]=2&${after}`, token),
    get(`/v1/reports/${reports[0]}/results?page[size]=2&${after}`, token),
    sendJson('PATCH', `/v1/reports/${reports[1]}`, token, title, { 'if-match': theirs.etag }),
    sendJson('POST', '/v1/reports', token, title, { 'idempotency-key': theirs.idempotencyKey }),
    get('/v1/employees?page[size]=500', token),
    get('/v1/reports?page[size]=500', token),
    get(`/v1/reports/${reports[2]}/results?page[size]=500`, token),
    get(`/v1/reports/${reports[2]}/results.csv`, token),
    get('/v1/users/me', mine.userToken),
    { open: authorizePath({ clientId, redirectUri, scope: 'user:read', verifier: 'x'.repeat(43) }) },
    { open: '/people?page=1' },
    { open: '/people/settings/oauth_applications' },
    { open: '/people/settings/connected_applications' },
    { open: '/people/settings/audit_log' },
  ];
}
