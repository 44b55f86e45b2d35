import { createHash } from 'node:crypto';
import { query } from '../../kit/database/postgresql.js';
import { Browser } from '../../kit/http/browser.js';
import { jsonOf, type Send } from '../../kit/http/client.js';
import { postForm } from '../../kit/http/requests.js';
import { type Account, requestToken, type Setup } from '../accounts.js';
import { employeeIdsOf } from '../request-mix.js';
import { type Bearers, State } from './state.js';

/** Prefix of the ids of reports that no request names. */
export const seededPrefix = 'seeded';

/** Requests tokens of every kind and creates records of each account. */
export async function prepare(
  { url, accounts: [account, other], send }: Omit<Setup, 'random'>,
  scopes: readonly string[],
): Promise<State> {
  const scope = scopes.join(' ');
  await query(url, 'UPDATE applications SET scopes = $1', [scopes]);
  // Each change is an event.
  await query(url, `UPDATE employees SET job_title = 'Changed' WHERE account_id = $1`, [account.accountId]);
  await query(
    url,
    `INSERT INTO reports (id, account_id, title, columns)
     SELECT '${seededPrefix}' || a.id || n, a.id, 'Seeded ' || n, ARRAY['id']
     FROM accounts AS a, generate_series(1, 5) AS n`,
  );
  const userTokens = await authorize(send, account, scope);
  const disposable = await authorize(send, account, scope);
  const foreign = await authorize(send, other, 'reports:read user:read');
  const headers = { authorization: `Bearer ${userTokens.access_token}` };
  const events = jsonOf(await send({ path: '/v1/events', headers }));
  const state = new State({
    account,
    eventIds: events.data.map(({ id }: { id: string }) => id),
    employeeIds: await employeeIdsOf(url, account),
    codeChallenge: createHash('sha256').update('verifier').digest('base64url'),
    bearers: bearers({
      valid: [userTokens.access_token, await requestToken(send, account.application, scope)],
      readOnly: await requestToken(send, account.application, 'reports:read user:read'),
      foreign: foreign.access_token,
    }),
  });
  state.keepToken(disposable.refresh_token);
  state.keepToken(disposable.access_token);
  return state;
}

/** Signs the owner of an account in and returns the tokens of an authorization. */
async function authorize(
  send: Send,
  { owner, application }: Account,
  scope: string,
): Promise<{ access_token: string; refresh_token: string }> {
  const browser = new Browser(send);
  await browser.signIn(owner);
  const { form, response } = await browser.allow(application, scope);
  if (form === undefined) throw new Error(`No code: ${response.status}`);
  return jsonOf(await send(postForm('/v1/oauth/token', form)));
}

/** Tests of OAuth have more invalid tokens. */
function bearers(tokens: { valid: readonly string[]; readOnly: string; foreign: string }): Bearers {
  const [token] = tokens.valid;
  const [head, payload] = token.split('.');
  const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
  return {
    valid: tokens.valid.map(bearer),
    readOnly: [bearer(tokens.readOnly)],
    foreign: [bearer(tokens.foreign)],
    bad: [
      {},
      { authorization: '' },
      { authorization: `bearer  ${token} x` },
      { authorization: 'Basic YTpi' },
      bearer('x'.repeat(9000)),
      bearer(`${head}.${payload}.${'A'.repeat(86)}`),
      bearer(`${head}.${payload}`),
    ],
  };
}
