import { randomBytes } from 'node:crypto';
import { codeChallengeOf } from '../../../src/oauth/grants/pkce.js';
import { AccessTokens } from '../../../src/oauth/tokens/access-tokens.js';
import type { AccountId } from '../../../src/platform/accounts/account-id.js';
import { Sessions } from '../../../src/platform/accounts/sessions.js';
import { randomId } from '../../../src/platform/database/ids.js';
import { Browser, hiddenFields } from '../browser/browser.js';
import { applicationsPath } from '../browser/pages.js';
import { query } from '../database/query.js';
import { createUser, type TestUser } from '../oauth/users.js';
import { createApplication, createTenant, type TestApplication } from '../records/tenant.js';
import type { TestApp } from '../server/app.js';
import { quickly } from './slow-writes.js';

/** Applications of an arena. */
const applicationCount = 5;

export const arenaRedirectUri = 'https://client.example/callback';

const scopes = ['reports:read', 'reports:write', 'user:read', 'user:write'];

/** The rows that two rivals change. */
export interface ArenaItem {
  readonly application: TestApplication;
  /** Form that exchanges a code that is unused. */
  readonly code: Record<string, string>;
  /** The same for a code that was exchanged a minute ago for the grant of this item. */
  readonly usedCode: Record<string, string>;
  /** Newest refresh token of the grant. */
  readonly refreshToken: string;
  /** Refresh token of the grant that was rotated a minute ago. */
  readonly usedRefreshToken: string;
  readonly accessToken: string;
  readonly secretId: string;
  readonly reportId: string;
  /** The same for both rivals, so that they claim one form and one key. */
  readonly nonce: string;
}

/** An account whose rows several writers change at the same time. */
export interface Arena {
  readonly api: TestApp;
  readonly accountId: AccountId;
  readonly user: TestUser;
  readonly browser: Browser;
  readonly csrf: Record<string, string>;
  readonly items: readonly ArenaItem[];
}

/** Creates an account with applications, and distributes items over them. */
export async function createArena(api: TestApp, count: number): Promise<Arena> {
  const { database, clock } = api;
  const { accountId } = await createTenant(database);
  const user = await createUser(database, accountId);
  const applications = await Promise.all(
    Array.from({ length: applicationCount }, () =>
      createApplication(database, accountId, { redirectUris: [arenaRedirectUri] }),
    ),
  );
  const items = await createItems(api, { accountId, user, applications, count });
  const browser = new Browser(api.app);
  const from = { address: '127.0.0.1', userAgent: undefined };
  const session = await new Sessions(database, clock).create(user, from);
  if (session === null) throw new Error('The user cannot sign in');
  browser.setCookie('session', session);
  const { csrf_token = '' } = hiddenFields((await browser.open(`${applicationsPath}/new`)).body);
  return { api, accountId, user, browser, csrf: { csrf_token }, items };
}

/**
 * Rows of item `n` have ids and secrets that end in `n`. Beside them are a grant, a token and a code that expired
 * long ago, which housekeeping deletes.
 */
const insertion = `
  WITH item AS (
    SELECT n, ($4::text[])[n % cardinality($4::text[]) + 1] AS application_id
    FROM generate_series(0, $5 - 1) AS n, ${quickly}
  ), made_grants AS (
    INSERT INTO grants (id, account_id, user_id, application_id, scopes)
    SELECT $1::text || kind || n, $2, $3, application_id, $6::text[]
    FROM item, unnest(ARRAY['grant', 'old']) AS kind
  ), made_tokens AS (
    INSERT INTO refresh_tokens (token_hash, account_id, grant_id, scopes, expires_at, used_at)
    SELECT sha256(convert_to($1 || kind || n, 'UTF8')), $2, $1 || owner || n, $6, $7::timestamptz + expires, $7 + used
    FROM item, (VALUES ('fresh', 'grant', interval '1 hour', NULL::interval),
                       ('used', 'grant', interval '1 hour', interval '-1 minute'),
                       ('expired', 'old', interval '-3 days', NULL)) AS token (kind, owner, expires, used)
  ), made_codes AS (
    INSERT INTO authorization_codes
      (code_hash, account_id, application_id, user_id, grant_id, redirect_uri, scopes, code_challenge, expires_at, used_at)
    SELECT sha256(convert_to($1 || kind || n, 'UTF8')), $2, application_id, $3, $1 || owner || n, $8, $6, $9,
           $7 + expires, $7 + used
    FROM item, (VALUES ('code', NULL, interval '1 hour', NULL::interval),
                       ('usedcode', 'grant', interval '1 hour', interval '-1 minute'),
                       ('oldcode', 'old', interval '-3 days', interval '-3 days')) AS code (kind, owner, expires, used)
  ), made_secrets AS (
    INSERT INTO application_secrets (id, account_id, application_id, secret_hash)
    SELECT $1 || 'secret' || n, $2, application_id, sha256(convert_to($1 || 'secret' || n, 'UTF8')) FROM item
  )
  INSERT INTO reports (id, account_id, title, columns, created_by_user_id, created_by_application_id)
  SELECT $1 || 'report' || n, $2, 'Report', ARRAY['email'], $3, application_id FROM item`;

async function createItems(
  { database, clock, signingKeys }: TestApp,
  {
    accountId,
    user,
    applications,
    count,
  }: {
    accountId: AccountId;
    user: TestUser;
    applications: readonly TestApplication[];
    count: number;
  },
): Promise<ArenaItem[]> {
  const prefix = randomId();
  const verifier = randomBytes(32).toString('base64url');
  await query(database, insertion, [
    ...[prefix, accountId, user.id, applications.map(({ id }) => id), count, scopes, clock().toISOString()],
    ...[arenaRedirectUri, codeChallengeOf(verifier)],
  ]);
  const tokens = new AccessTokens(signingKeys, { issuer: 'http://api.test', ttlSeconds: 3600, clock });
  return Array.from({ length: count }, (_, n) => {
    const application = applications[n % applications.length] as TestApplication;
    const { clientId } = application;
    const form = (code: string) => ({
      ...{ grant_type: 'authorization_code', client_id: clientId, redirect_uri: arenaRedirectUri },
      ...{ code_verifier: verifier, code },
    });
    return {
      application,
      code: form(`${prefix}code${n}`),
      usedCode: form(`${prefix}usedcode${n}`),
      refreshToken: `${prefix}fresh${n}`,
      usedRefreshToken: `${prefix}used${n}`,
      accessToken: tokens.issue({
        ...{ subject: user.id, clientId, scopes, grantId: `${prefix}grant${n}` },
        resources: ['api'],
      }),
      secretId: `${prefix}secret${n}`,
      reportId: `${prefix}report${n}`,
      nonce: `${prefix}nonce${n}`,
    };
  });
}
