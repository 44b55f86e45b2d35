-- Filters of the audit log. The conditions omit the events of tokens, which are most of the events: issuing a token writes to
-- none of these indexes. The list is that of tokenEventTypes in src/services/audit-log-filter.ts.

CREATE INDEX audit_events_account_id_created_at_id_without_tokens_idx
  ON audit_events (account_id, created_at DESC, id)
  WHERE type NOT IN ('authorization_code.issued', 'token.issued', 'token.refreshed', 'token.revoked');

CREATE INDEX audit_events_account_id_user_id_without_tokens_idx
  ON audit_events (account_id, user_id, created_at DESC, id)
  WHERE type NOT IN ('authorization_code.issued', 'token.issued', 'token.refreshed', 'token.revoked');

CREATE INDEX audit_events_account_id_application_id_without_tokens_idx
  ON audit_events (account_id, application_id, created_at DESC, id)
  WHERE type NOT IN ('authorization_code.issued', 'token.issued', 'token.refreshed', 'token.revoked');
