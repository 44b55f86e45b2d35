-- Back-channel logout (OpenID Connect Back-Channel Logout 1.0): where an application is notified that a session has ended. NULL: it
-- is not notified. Installations have the URI of the published application.
ALTER TABLE applications ADD COLUMN backchannel_logout_uri text COLLATE "C";

-- Sessions that have ended, for each application that is notified. A row is stored with the end of the session, and deleted when
-- the application has accepted the logout token, or after the last attempt.
CREATE TABLE logout_notices (
  account_id text COLLATE "C" NOT NULL,
  application_id text COLLATE "C" NOT NULL,
  sid text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  -- Attempts that were started.
  attempts integer NOT NULL DEFAULT 0,
  -- When the next attempt starts. A started attempt has set it, so that another process repeats it if this one stops.
  due_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT logout_notices_pkey PRIMARY KEY (account_id, application_id, sid),
  CONSTRAINT logout_notices_account_id_application_id_fkey FOREIGN KEY (account_id, application_id)
    REFERENCES applications (account_id, id) ON DELETE CASCADE,
  CONSTRAINT logout_notices_account_id_user_id_fkey FOREIGN KEY (account_id, user_id)
    REFERENCES users (account_id, id) ON DELETE CASCADE
);

CREATE INDEX logout_notices_account_id_user_id_idx ON logout_notices (account_id, user_id);
CREATE INDEX logout_notices_due_at_idx ON logout_notices (due_at);
CREATE INDEX logout_notices_created_at_idx ON logout_notices (created_at);

ALTER TABLE logout_notices ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON logout_notices USING (
  CASE current_setting('app.accounts', true)
    WHEN account_id THEN true
    WHEN '*' THEN true
    ELSE account_id = ANY (string_to_array(current_setting('app.accounts', true), ','))
  END);
