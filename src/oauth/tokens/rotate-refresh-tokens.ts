import type { HotStatement } from '../../platform/database/hot/hot-statement.js';

/**
 * Rotation of refresh tokens. Parameters: the requests as a JSON array, the current time, the expiry of the new tokens, and
 * the accounts of the requests, separated by commas.
 *
 * Benchmark `refresh` (1.2 times oidc-provider; a statement for each request reaches 0.6). Compared with requests one at a
 * time in test/oauth/rotation-batches.test.ts.
 *
 * The LIMIT is the number of requests. Without it the planner estimates a hundred requests, and reads all of
 * `refresh_tokens` while the table is small. IS NOT DISTINCT FROM, which cannot use an index, and OFFSET 0 make the planner
 * look up rows by primary key: it assumes that account and application are independent, and would prefer other indexes.
 */
const requests = `
  request AS MATERIALIZED (
    SELECT ordinal, decode(token_hash, 'hex') AS token_hash, decode(successor_hash, 'hex') AS successor_hash,
           requested, account_id, application_id, available, event_id, address, request_id
    FROM json_to_recordset($1::json) AS request
      (ordinal integer, token_hash text, successor_hash text, requested text[], account_id text, application_id text,
       available jsonb, event_id text, address text, request_id text)
    LIMIT json_array_length($1::json)
  )`;

/** The token of a request, if it can be used for the requested scopes. */
const usableToken = `
  FROM refresh_tokens token
    JOIN grants ON grants.account_id = token.account_id AND grants.id = token.grant_id
    JOIN accounts ON accounts.id = request.account_id
    CROSS JOIN LATERAL (
      SELECT ARRAY(SELECT jsonb_array_elements_text(request.available -> users.role)) AS scopes
      FROM users
      WHERE users.account_id = grants.account_id AND users.id = grants.user_id AND users.disabled_at IS NULL OFFSET 0
    ) available
  WHERE token.token_hash = request.token_hash AND token.used_at IS NULL AND token.expires_at > $2::timestamptz
    AND (grants.account_id, grants.application_id) IS NOT DISTINCT FROM (request.account_id, request.application_id)
    AND grants.revoked_at IS NULL
    AND token.scopes && available.scopes
    AND request.requested <@ token.scopes AND request.requested <@ available.scopes`;

/**
 * Locks all rows before it changes them, in the lock order of `src/platform/database/README.md`. The successor has the scopes of the
 * grant: requested scopes apply to one access token.
 *
 * @param whenLocked locking clause for rows that another transaction has locked; empty: wait
 */
const rotation = (whenLocked: '' | 'SKIP LOCKED') => `
  WITH ${requests}, held AS (
    SELECT request.*, found.*
    FROM request CROSS JOIN LATERAL (
      SELECT token.grant_id, grants.user_id, token.scopes AS granted,
        CASE WHEN cardinality(request.requested) > 0 THEN request.requested
             ELSE ARRAY(SELECT scope FROM unnest(token.scopes) AS scope WHERE scope = ANY (available.scopes))
        END AS issued
      ${usableToken} OFFSET 0
      FOR KEY SHARE OF accounts, grants ${whenLocked}
      FOR NO KEY UPDATE OF token ${whenLocked}
    ) AS found
  ), used AS (
    UPDATE refresh_tokens token SET used_at = $2::timestamptz, successor_hash = held.successor_hash
    FROM held WHERE token.token_hash = held.token_hash
    RETURNING held.*
  ), successor AS (
    INSERT INTO refresh_tokens (token_hash, account_id, grant_id, scopes, created_at, expires_at)
    SELECT successor_hash, account_id, grant_id, granted, $2::timestamptz, $3::timestamptz FROM used
  ), audited AS (
    INSERT INTO audit_events
      (id, type, account_id, user_id, application_id, address, request_id, details, created_at)
    SELECT event_id, 'token.refreshed', account_totals.account_id, user_id, application_id, address, request_id,
           jsonb_build_object('grant', grant_id, 'scopes', to_jsonb(issued)), $2::timestamptz
    FROM used JOIN account_totals ON account_totals.account_id = used.account_id
    WHERE account_totals.account_id = ANY (string_to_array($4, ','))
  )
  SELECT ordinal::text, grant_id, user_id, array_to_string(issued, ' ') FROM used`;

/** Rotates the tokens that no other transaction has locked, in one transaction. */
export const rotateUnlockedTokens: HotStatement = {
  name: 'rotate_unlocked_refresh_tokens',
  text: rotation('SKIP LOCKED'),
};

/** Rotates one token and waits for locks. With several requests, two statements could deadlock. */
export const rotateLockedToken: HotStatement = { name: 'rotate_locked_refresh_token', text: rotation('') };

/** Returns the ordinals of the requests whose tokens can be used. It has the first two parameters. */
export const findUsableTokens: HotStatement = {
  name: 'find_usable_refresh_tokens',
  text: `
    WITH ${requests}
    SELECT request.ordinal::text FROM request CROSS JOIN LATERAL (SELECT ${usableToken} OFFSET 0) AS found`,
};
