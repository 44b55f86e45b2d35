-- Whether an authorization request of an application must have been pushed (RFC 9126).
ALTER TABLE applications ADD COLUMN require_pushed_requests boolean NOT NULL DEFAULT false;

-- Pushed authorization requests. The account is that of the application that has pushed the request. Users of other accounts use
-- it too, so it is looked up by its hash in all accounts: the table belongs to the identity group. The row is deleted when a code
-- is issued or the user denies the request.
CREATE TABLE pushed_requests (
  request_uri_hash bytea NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  application_id text COLLATE "C" NOT NULL,
  -- The authorization request, with its client_id and without the credentials of the client.
  parameters jsonb NOT NULL,
  -- SHA-256 of a secret of the browser that has opened the request. NULL: it was not opened.
  browser_hash bytea,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- Until then it must be opened, and afterwards completed.
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT pushed_requests_pkey PRIMARY KEY (request_uri_hash),
  CONSTRAINT pushed_requests_account_id_application_id_fkey FOREIGN KEY (account_id, application_id)
    REFERENCES applications (account_id, id) ON DELETE CASCADE
);

CREATE INDEX pushed_requests_account_id_application_id_idx ON pushed_requests (account_id, application_id);
CREATE INDEX pushed_requests_expires_at_idx ON pushed_requests (expires_at);

ALTER TABLE pushed_requests ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON pushed_requests USING (
  CASE current_setting('app.accounts', true)
    WHEN account_id THEN true
    WHEN '*' THEN true
    ELSE account_id = ANY (string_to_array(current_setting('app.accounts', true), ','))
  END);
