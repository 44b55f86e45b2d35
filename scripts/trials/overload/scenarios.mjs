import { jsonOf } from '../client/client.mjs';
import { clientCredentials, get } from '../client/requests.mjs';
import { createMix } from '../load-mix.mjs';
import { allScopes, ask } from '../world/world.mjs';

/**
 * Requests of one kind each, and a mix of all kinds.
 *
 * @param {{ url: string, accounts: import('../world/world.mjs').Account[], send: Function, random: object }} scene
 * @returns {Promise<Record<string, () => { request: object, right: number[], learn?: Function }>>}
 */
export async function createScenarios({ url, accounts, send, random }) {
  const callers = await Promise.all(
    accounts.map(async ({ application, accountId }) => {
      const token = jsonOf(await send(clientCredentials(application, allScopes))).access_token;
      const rows = await ask(url, 'SELECT id FROM employees WHERE account_id = $1', [accountId]);
      return { application, token, ids: rows.map(({ id }) => id) };
    }),
  );
  const each = (make) => () => ({ request: make(random.pick(callers)), right: [200] });
  return {
    list: each(({ token }) => get('/v1/employees', token)),
    get: each(({ token, ids }) => get(`/v1/employees/${random.pick(ids)}`, token)),
    token: each(({ application }) => clientCredentials(application)),
    mixed: await createMix({ url, accounts, send, random }),
  };
}
