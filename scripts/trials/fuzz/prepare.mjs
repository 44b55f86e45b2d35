import { createHash } from 'node:crypto';
import { withClient } from '../../bench/database/server.mjs';
import { Browser } from '../client/browser.mjs';
import { Client, jsonOf } from '../client/client.mjs';
import { clientCredentials, postForm } from '../client/requests.mjs';
import { startServer } from '../world/server.mjs';
import { allScopes, ask } from '../world/world.mjs';
import { bearers } from './bearers.mjs';
import { State } from './state.mjs';

/** How ids of reports begin that no request names. */
export const seeds = 'seeded';

/** Gets every kind of token, and makes records of each account. */
export async function prepare({ url, accounts: [account, other], client }) {
  await withClient(url, (database) =>
    database.query(
      `INSERT INTO reports (id, account_id, title, columns)
       SELECT '${seeds}' || a.id || n, a.id, 'Seeded ' || n, ARRAY['id'] FROM accounts AS a, generate_series(1, 5) AS n`,
    ),
  );
  const userTokens = await signInAndAllow(client, account);
  const disposable = await signInAndAllow(client, account);
  const foreignTokens = await signInAndAllow(client, other, 'reports:read user:read');
  const state = new State({
    account,
    employeeIds: (await ask(url, 'SELECT id FROM employees WHERE account_id = $1', [account.accountId])).map(
      ({ id }) => id,
    ),
    codeChallenge: createHash('sha256').update('verifier').digest('base64url'),
    bearers: bearers({
      good: [userTokens.access_token, await tokenOf(client, account, allScopes)],
      readOnly: await tokenOf(client, account, 'reports:read user:read'),
      foreign: foreignTokens.access_token,
      expired: await expiredToken(url, account),
    }),
  });
  state.keepToken(disposable.refresh_token);
  state.keepToken(disposable.access_token);
  return state;
}

async function signInAndAllow(client, { owner, application }, scope = allScopes) {
  const browser = new Browser((request) => client.send(request));
  await browser.signIn(owner);
  const { form } = await browser.allow(application, scope);
  return jsonOf(await client.send(postForm('/v1/oauth/token', form)));
}

async function tokenOf(client, { application }, scope) {
  return jsonOf(await client.send(clientCredentials(application, scope))).access_token;
}

/** A token that was good for a second, of a server that gives no others. */
async function expiredToken(url, account) {
  const server = await startServer(url, { ACCESS_TOKEN_TTL: '1' });
  const client = new Client(server.port);
  try {
    return await tokenOf(client, account, allScopes);
  } finally {
    client.close();
    await server.stop();
  }
}
