import type { HotStatement } from './hot-statement.js';

/**
 * Stores audit events from a JSON array. Those without an account are stored in `system_events`.
 *
 * Benchmark `token` (1.6 times oidc-provider); compared with the models in test/database/hot/insert-audit-events.test.ts.
 */
export const insertAuditEvents: HotStatement = {
  name: 'insert_audit_events',
  text: `
    WITH event AS MATERIALIZED (
      SELECT * FROM json_to_recordset($1::json) AS event (
        id text, type text, "accountId" text, "userId" text, "applicationId" text, address text, "requestId" text,
        details jsonb, "createdAt" timestamptz)
    ), of_no_account AS (
      INSERT INTO system_events (id, type, address, request_id, details, created_at)
      SELECT id, type, address, "requestId", details, "createdAt" FROM event WHERE "accountId" IS NULL
    )
    INSERT INTO audit_events
      (id, type, account_id, user_id, application_id, address, request_id, details, created_at)
    SELECT id, type, "accountId", "userId", "applicationId", address, "requestId", details, "createdAt"
    FROM event WHERE "accountId" IS NOT NULL`,
};
