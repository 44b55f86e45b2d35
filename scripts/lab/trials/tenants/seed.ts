import { query } from '../../kit/database/postgresql.js';
import { Browser } from '../../kit/http/browser.js';
import { jsonOf, type Send } from '../../kit/http/client.js';
import { get, postForm, sendJson } from '../../kit/http/requests.js';
import { type Account, allScopes, requestToken } from '../accounts.js';
import { employeeIdsOf } from '../request-mix.js';

/** A word in every text that belongs to the foreign account, and nowhere else. */
export const foreignMark = 'Xenolith';

/** The records of an account. */
export interface Seeded {
  readonly account: Account;
  readonly browser: Browser;
  readonly token: string;
  readonly userToken: string;
  readonly refreshToken: string;
  /** Tokens that no other request uses. */
  readonly revocable: { readonly access_token: string; readonly refresh_token: string };
  /** The form that exchanges a code. */
  readonly codeForm: Readonly<Record<string, string>>;
  readonly reports: readonly string[];
  readonly idempotencyKey: string;
  /** Of the first report. */
  readonly etag: string;
  readonly cursor: string;
  /** Ids of application secrets. */
  readonly secrets: readonly string[];
  readonly employees: readonly string[];
  /** Some values of attributes by which lists are filtered. */
  readonly values: Readonly<Record<string, readonly string[]>>;
}

/** Attributes by which lists of employees are filtered. */
export const filteredAttributes = ['employee_number', 'email', 'department'];

/** Adds the mark to all records of an account. */
export async function addMark(url: string, { accountId }: Account): Promise<void> {
  for (const text of [
    `UPDATE accounts SET name = '${foreignMark} account' WHERE id = $1`,
    `UPDATE employees SET last_name = '${foreignMark}' || position, email = '${foreignMark}' || email,
       employee_number = '${foreignMark}' || position, department = '${foreignMark} department' WHERE account_id = $1`,
    `UPDATE users SET family_name = '${foreignMark}', nickname = '${foreignMark}' WHERE account_id = $1`,
    `UPDATE applications SET name = '${foreignMark} ' || id WHERE account_id = $1`,
  ]) {
    await query(url, text, [accountId]);
  }
}

/** Creates records of every kind for an account, through the API and the pages. */
export async function seed({
  url,
  account,
  send,
  word,
}: {
  url: string;
  account: Account;
  send: Send;
  word: string;
}): Promise<Seeded> {
  const { application, owner } = account;
  const browser = new Browser(send);
  await browser.signIn(owner);
  const token = await requestToken(send, application);
  const idempotencyKey = `the key of ${word}`;
  const keys = ['a key of both', idempotencyKey];
  const reports: string[] = [];
  for (let index = 0; index < 6; index += 1) {
    const headers: Record<string, string> = index < keys.length ? { 'idempotency-key': keys[index] } : {};
    const request = sendJson('POST', '/v1/reports', token, { title: `${word} report ${index}` }, headers);
    reports.push(jsonOf(await send(request)).data.id);
  }
  const newCode = async () => {
    const { form, response } = await browser.allow(application, allScopes);
    if (form === undefined) throw new Error(`No code: ${response.status}`);
    return form;
  };
  const newTokens = async () => jsonOf(await send(postForm('/v1/oauth/token', await newCode())));
  const userTokens = await newTokens();
  const list = jsonOf(await send(get('/v1/employees?page[size]=2', token)));
  const { headers } = await send(get(`/v1/reports/${reports[0]}`, token));
  const secrets = await query(url, 'SELECT id FROM application_secrets WHERE application_id = $1', [
    application.id,
  ]);
  return {
    account,
    browser,
    token,
    userToken: userTokens.access_token,
    refreshToken: userTokens.refresh_token,
    revocable: await newTokens(),
    codeForm: await newCode(),
    reports,
    idempotencyKey,
    etag: headers.etag,
    cursor: new URL(list.links.next).searchParams.get('page[after]') ?? '',
    secrets: secrets.map(({ id }) => id),
    employees: await employeeIdsOf(url, account),
    values: await valuesOf(url, account),
  };
}

async function valuesOf(url: string, { accountId }: Account): Promise<Record<string, string[]>> {
  const rows = await query(url, 'SELECT * FROM employees WHERE account_id = $1 LIMIT 3', [accountId]);
  return Object.fromEntries(
    filteredAttributes.map((name) => [name, [...new Set<string>(rows.map((row) => row[name]))]]),
  );
}
