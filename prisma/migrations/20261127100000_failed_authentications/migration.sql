-- The first rejected requests of each hour whose client authentication failed are kept beside the last ones that were rejected for
-- another reason.
ALTER TABLE rejected_requests ADD COLUMN failed_authentication boolean NOT NULL DEFAULT false;

CREATE INDEX rejected_requests_last_idx ON rejected_requests (account_id, application_id, created_at, id)
  WHERE NOT failed_authentication;

-- Number of failed client authentications of an application in an hour. The table stays on the coordinator of Citus.
CREATE TABLE failed_authentications (
  account_id text COLLATE "C" NOT NULL,
  application_id text COLLATE "C" NOT NULL,
  hour timestamptz(3) NOT NULL,
  failures bigint NOT NULL,
  CONSTRAINT failed_authentications_pkey PRIMARY KEY (account_id, application_id, hour),
  CONSTRAINT failed_authentications_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE
);

CREATE INDEX failed_authentications_hour_idx ON failed_authentications (hour);

ALTER TABLE failed_authentications ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON failed_authentications USING (
  CASE current_setting('app.accounts', true)
    WHEN account_id THEN true
    WHEN '*' THEN true
    ELSE account_id = ANY (string_to_array(current_setting('app.accounts', true), ','))
  END);
