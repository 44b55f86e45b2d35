-- When a client secret expires, and when its next reminder is due. NULL: never, and no reminder is left.
ALTER TABLE application_secrets
  ADD COLUMN expires_at timestamptz(3),
  ADD COLUMN next_reminder_at timestamptz(3);

CREATE INDEX application_secrets_next_reminder_at_idx ON application_secrets (next_reminder_at)
  WHERE next_reminder_at IS NOT NULL;
