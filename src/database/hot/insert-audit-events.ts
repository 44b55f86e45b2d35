import type { HotStatement } from './hot-statement.js';

/**
 * Stores audit events from a JSON array.
 *
 * Benchmark `token` (1.6 times oidc-provider); compared with the models in test/database/hot/insert-audit-events.test.ts.
 */
export const insertAuditEvents: HotStatement = {
  name: 'insert_audit_events',
  text: `
    INSERT INTO audit_events
      (id, type, account_id, user_id, application_id, address, request_id, details, created_at)
    SELECT id, type, "accountId", "userId", "applicationId", address, "requestId", details, "createdAt"
    FROM json_to_recordset($1::json) AS event (
      id text, type text, "accountId" text, "userId" text, "applicationId" text, address text, "requestId" text,
      details jsonb, "createdAt" timestamptz)`,
};
