import type { HotStatement } from '../database/hot/hot-statement.js';

/**
 * Stores audit events from a JSON array and returns their ids. The second parameter is their accounts, separated by commas.
 * Events of accounts that do not exist are omitted.
 *
 * Benchmark `token` (1.6 times oidc-provider); compared with the models in test/platform/audit/insert-audit-events.test.ts.
 */
export const insertAuditEvents: HotStatement = {
  name: 'insert_audit_events',
  text: `
    INSERT INTO audit_events AS stored
      (id, type, account_id, user_id, application_id, address, request_id, details, created_at)
    SELECT id, type, account_totals.account_id, "userId", "applicationId", address, "requestId", details, "createdAt"
    FROM json_to_recordset($1::json) AS event (
      id text, type text, "accountId" text, "userId" text, "applicationId" text, address text, "requestId" text,
      details jsonb, "createdAt" timestamptz)
    JOIN account_totals ON account_totals.account_id = event."accountId"
    WHERE account_totals.account_id = ANY (string_to_array($2, ','))
    RETURNING stored.id`,
};

/** Stores events of no account from a JSON array. */
export const insertSystemEvents: HotStatement = {
  name: 'insert_system_events',
  text: `
    INSERT INTO system_events (id, type, address, request_id, details, created_at)
    SELECT id, type, address, "requestId", details, "createdAt"
    FROM json_to_recordset($1::json) AS event (
      id text, type text, address text, "requestId" text, details jsonb, "createdAt" timestamptz)`,
};
