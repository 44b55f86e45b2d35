import { query } from '../kit/database/postgresql.js';
import { type HttpRequest, type HttpResponse, jsonOf } from '../kit/http/client.js';
import { clientCredentials, get, remove, sendJson } from '../kit/http/requests.js';
import { type Account, requestToken, type Setup } from './accounts.js';

/** A request and its expected response. */
interface Planned {
  readonly request: HttpRequest;
  readonly status: number;
  /** Reads values for later requests. */
  readonly learn?: (response: HttpResponse) => void;
}

export type Plan = () => Planned;

/** Weight of each kind of request. */
const weights = {
  list: 30,
  employee: 30,
  reports: 10,
  report: 10,
  result: 5,
  create: 4,
  update: 3,
  remove: 2,
  token: 6,
};

/** Reports of an account at most, so that lists do not grow. */
const maximumReports = 100;

/** Creates a mix of requests of every kind, for every account. */
export async function createMix({ url, accounts, send, random }: Setup): Promise<Plan> {
  const callers = await Promise.all(
    accounts.map(async (account) => {
      const token = await requestToken(send, account.application);
      const { data } = jsonOf(await send(sendJson('POST', '/v1/reports', token, { title: 'The first one' })));
      const employeeIds = await employeeIdsOf(url, account);
      return { account, token, reportId: data.id as string, created: [] as string[], employeeIds };
    }),
  );
  return () => {
    const { account, token, reportId, created, employeeIds } = random.pick(callers);
    const report = `/v1/reports/${reportId}`;
    switch (random.weighted(weights)) {
      case 'list':
        return ok(get('/v1/employees', token));
      case 'employee':
        return ok(get(`/v1/employees/${random.pick(employeeIds)}`, token));
      case 'reports':
        return ok(get('/v1/reports?page[size]=10', token));
      case 'result':
        return ok(get(`${report}/results`, token));
      case 'update':
        return ok(sendJson('PATCH', report, token, { title: random.text(12) }));
      case 'token':
        return ok(clientCredentials(account.application));
      case 'remove': {
        const id = created.pop();
        if (id === undefined) break;
        return { request: remove(`/v1/reports/${id}`, token), status: 204 };
      }
      case 'create':
        if (created.length >= maximumReports) break;
        return {
          request: sendJson('POST', '/v1/reports', token, { title: random.text(12) }),
          status: 201,
          learn: (response) => created.push(jsonOf(response).data.id),
        };
    }
    return ok(get(report, token));
  };
}

/** A request whose response must have the status 200. */
export function ok(request: HttpRequest): Planned {
  return { request, status: 200 };
}

export async function employeeIdsOf(url: string, { accountId }: Account): Promise<string[]> {
  const rows = await query(url, 'SELECT id FROM employees WHERE account_id = $1', [accountId]);
  return rows.map(({ id }) => id);
}
