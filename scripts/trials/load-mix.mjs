import { jsonOf } from './client/client.mjs';
import { clientCredentials, get, remove, sendJson } from './client/requests.mjs';
import { allScopes, ask } from './world/world.mjs';

/** How often each kind of request comes. */
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

/** Reports that are kept at most, so that lists do not grow. */
const maximumReports = 100;

/**
 * Makes requests of every kind, for every account.
 *
 * @param {{ url: string, accounts: import('./world/world.mjs').Account[], send: Function, random: object }} scene
 * @returns {Promise<() => { request: object, right: number[], learn?: (answer: object) => void }>} right: statuses of a
 *   good answer
 */
export async function createMix({ url, accounts, send, random }) {
  const people = await Promise.all(
    accounts.map(async (account) => {
      const token = jsonOf(await send(clientCredentials(account.application, allScopes))).access_token;
      const { data } = jsonOf(await send(sendJson('POST', '/v1/reports', token, { title: 'The first one' })));
      const rows = await ask(url, 'SELECT id FROM employees WHERE account_id = $1', [account.accountId]);
      return { account, token, kept: data.id, reports: [], ids: rows.map(({ id }) => id) };
    }),
  );
  return function next() {
    const { account, token, kept, reports, ids } = random.pick(people);
    switch (random.weighted(weights)) {
      case 'list':
        return ok(get('/v1/employees', token));
      case 'employee':
        return ok(get(`/v1/employees/${random.pick(ids)}`, token));
      case 'reports':
        return ok(get('/v1/reports?page[size]=10', token));
      case 'report':
        return ok(get(`/v1/reports/${kept}`, token));
      case 'result':
        return ok(get(`/v1/reports/${kept}/results`, token));
      case 'update':
        return ok(sendJson('PATCH', `/v1/reports/${kept}`, token, { title: random.text(12) }));
      case 'token':
        return ok(clientCredentials(account.application));
      case 'remove':
        if (reports.length > 0)
          return { request: remove(`/v1/reports/${reports.pop()}`, token), right: [204] };
        break;
      default:
        if (reports.length < maximumReports) {
          return {
            request: sendJson('POST', '/v1/reports', token, { title: random.text(12) }),
            right: [201],
            learn: (answer) => reports.push(jsonOf(answer).data.id),
          };
        }
    }
    return ok(get(`/v1/reports/${kept}`, token));
  };
}

function ok(request) {
  return { request, right: [200] };
}

/**
 * Sends one request after the other on so many connections, and measures.
 *
 * @returns {Promise<{ perSecond: number, times: number[] }>} times: milliseconds of each answer
 */
export async function closedLoop({ send, next, connections, milliseconds }) {
  const times = [];
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() - begun < milliseconds) {
        const { request, right, learn } = next();
        const sentAt = performance.now();
        const answer = await send(request);
        if (!right.includes(answer.status)) {
          throw new Error(`${request.method ?? 'GET'} ${request.path}: ${answer.status} ${answer.body}`);
        }
        learn?.(answer);
        times.push(performance.now() - sentAt);
      }
    }),
  );
  return { perSecond: (times.length * 1000) / (performance.now() - begun), times };
}
