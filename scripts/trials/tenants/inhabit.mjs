import { withClient } from '../../bench/database/server.mjs';
import { Browser } from '../client/browser.mjs';
import { jsonOf } from '../client/client.mjs';
import { clientCredentials, get, postForm, sendJson } from '../client/requests.mjs';
import { allScopes, ask } from '../world/world.mjs';

/** What stands in every text that belongs to the foreign account, and nowhere else. */
export const foreignMark = 'Xenolith';

/** Puts the mark into everything that the second account has. */
export function mark(url, { accountId }) {
  return withClient(url, async (client) => {
    for (const text of [
      `UPDATE accounts SET name = '${foreignMark} account' WHERE id = $1`,
      `UPDATE employees SET last_name = '${foreignMark}' || position, email = '${foreignMark}' || email,
         employee_number = '${foreignMark}' || position, department = '${foreignMark} department' WHERE account_id = $1`,
      `UPDATE users SET family_name = '${foreignMark}', nickname = '${foreignMark}' WHERE account_id = $1`,
      `UPDATE applications SET name = '${foreignMark} ' || id WHERE account_id = $1`,
    ]) {
      await client.query(text, [accountId]);
    }
  });
}

/**
 * Makes records of every kind for an account, through the API and the pages.
 *
 * @param {{ url: string, account: import('../world/world.mjs').Account, send: Function, word: string }} what
 */
export async function inhabit({ url, account, send, word }) {
  const { application, owner } = account;
  const browser = new Browser(send);
  await browser.signIn(owner);
  const token = jsonOf(await send(clientCredentials(application, allScopes))).access_token;
  const idempotencyKey = `the key of ${word}`;
  const reports = [];
  for (let index = 0; index < 6; index += 1) {
    const headers = [{ 'idempotency-key': 'a key of both' }, { 'idempotency-key': idempotencyKey }, {}][
      Math.min(index, 2)
    ];
    const value = { title: `${word} report ${index}` };
    reports.push(jsonOf(await send(sendJson('POST', '/v1/reports', token, value, headers))).data.id);
  }
  const exchange = async () => {
    const { form } = await browser.allow(application, allScopes);
    return jsonOf(await send(postForm('/v1/oauth/token', form)));
  };
  const userTokens = await exchange();
  const { form: codeForm } = await browser.allow(application, allScopes);
  const list = jsonOf(await send(get('/v1/employees?page[size]=2', token)));
  const [{ etag }] = [(await send(get(`/v1/reports/${reports[0]}`, token))).headers];
  return {
    account,
    browser,
    token,
    userToken: userTokens.access_token,
    refreshToken: userTokens.refresh_token,
    revocable: await exchange(),
    codeForm,
    reports,
    idempotencyKey,
    etag,
    marker: new URL(list.links.next).searchParams.get('page[after]'),
    secrets: (
      await ask(url, 'SELECT id FROM application_secrets WHERE application_id = $1', [application.id])
    ).map(({ id }) => id),
    values: await valuesOf(url, account),
    employees: (await ask(url, 'SELECT id FROM employees WHERE account_id = $1', [account.accountId])).map(
      ({ id }) => id,
    ),
  };
}

/** Some values of each attribute that a list can be filtered by. */
async function valuesOf(url, { accountId }) {
  const rows = await ask(url, 'SELECT * FROM employees WHERE account_id = $1 LIMIT 3', [accountId]);
  return Object.fromEntries(
    ['employee_number', 'email', 'department'].map((name) => [
      name,
      [...new Set(rows.map((row) => row[name]))],
    ]),
  );
}
