-- The applications that other accounts can use: those that an account has published, and those that a metadata document
-- describes. The table belongs to the identity group: it is read by client id in every account. It has no account_id and no policy,
-- because it contains nothing about the accounts that use an application. On Citus it stays on the coordinator, as do applications
-- and approval_requests, which refer to it.
CREATE TABLE shared_applications (
  client_id text COLLATE "C" NOT NULL,
  -- Of a published application.
  publisher_account_id text COLLATE "C",
  application_id text COLLATE "C",
  -- The members of a metadata document that were read last. It is read again after fresh_until. While it cannot be read, this
  -- copy serves until usable_until.
  document jsonb,
  fresh_until timestamptz(3),
  usable_until timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT shared_applications_pkey PRIMARY KEY (client_id),
  CONSTRAINT shared_applications_application_fkey FOREIGN KEY (publisher_account_id, application_id)
    REFERENCES applications (account_id, id) ON DELETE CASCADE,
  CONSTRAINT shared_applications_kind_check CHECK (
    (publisher_account_id IS NOT NULL AND application_id IS NOT NULL AND document IS NULL
      AND fresh_until IS NULL AND usable_until IS NULL)
    OR (publisher_account_id IS NULL AND application_id IS NULL AND document IS NOT NULL
      AND fresh_until IS NOT NULL AND usable_until IS NOT NULL))
);

CREATE INDEX shared_applications_usable_until_idx ON shared_applications (usable_until);
CREATE INDEX shared_applications_application_idx ON shared_applications (publisher_account_id, application_id);

-- An installation is an application that the account has not registered itself. Its own client_id is internal. When the shared
-- application is deleted, so are its installations, with their grants and tokens.
ALTER TABLE applications
  ADD COLUMN installed_client_id text COLLATE "C",
  -- What was approved: name and redirect_uris are those of the application at that time, scopes those that were approved.
  ADD COLUMN requested_scopes text[] NOT NULL DEFAULT '{}',
  -- The application has changed since. Its tokens are rejected until it is approved again.
  ADD COLUMN suspended_at timestamptz(3),
  ADD CONSTRAINT applications_installed_client_id_fkey FOREIGN KEY (installed_client_id)
    REFERENCES shared_applications (client_id) ON DELETE CASCADE,
  ADD CONSTRAINT applications_suspended_at_check CHECK (suspended_at IS NULL OR installed_client_id IS NOT NULL);

CREATE UNIQUE INDEX applications_account_id_installed_client_id_key ON applications (account_id, installed_client_id);
CREATE INDEX applications_installed_client_id_idx ON applications (installed_client_id);

-- Users who asked the administrators of their account to approve an application.
CREATE TABLE approval_requests (
  account_id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  declined_at timestamptz(3),
  CONSTRAINT approval_requests_pkey PRIMARY KEY (account_id, client_id, user_id),
  CONSTRAINT approval_requests_account_id_user_id_fkey FOREIGN KEY (account_id, user_id)
    REFERENCES users (account_id, id) ON DELETE CASCADE,
  CONSTRAINT approval_requests_client_id_fkey FOREIGN KEY (client_id)
    REFERENCES shared_applications (client_id) ON DELETE CASCADE
);

CREATE INDEX approval_requests_account_id_user_id_idx ON approval_requests (account_id, user_id);
CREATE INDEX approval_requests_client_id_idx ON approval_requests (client_id);

ALTER TABLE approval_requests ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON approval_requests USING (
  CASE current_setting('app.accounts', true)
    WHEN account_id THEN true
    WHEN '*' THEN true
    ELSE account_id = ANY (string_to_array(current_setting('app.accounts', true), ','))
  END);

-- Who can use applications of other accounts: users may request approval, administrators only may approve, or none.
ALTER TABLE accounts
  ADD COLUMN application_policy text COLLATE "C" NOT NULL DEFAULT 'requests',
  ADD CONSTRAINT accounts_application_policy_check CHECK (application_policy IN ('requests', 'administrators', 'none'));
