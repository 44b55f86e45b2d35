-- How applications use the API, counted by the hour. An application or user may be deleted: its counts stay.
-- A call that no user allowed has the user ''. Rows of the current hour are updated often, so pages keep room for
-- updates in place.
CREATE TABLE api_usage (
  account_id text COLLATE "C" NOT NULL,
  application_id text COLLATE "C" NOT NULL,
  hour timestamptz(3) NOT NULL,
  operation text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  calls bigint NOT NULL,
  errors bigint NOT NULL,
  rate_limited bigint NOT NULL,
  records bigint NOT NULL,
  CONSTRAINT api_usage_pkey PRIMARY KEY (account_id, application_id, hour, operation, user_id),
  CONSTRAINT api_usage_account_id_fkey FOREIGN KEY (account_id)
    REFERENCES accounts (id) ON DELETE CASCADE ON UPDATE CASCADE
) WITH (fillfactor = 70);

-- Usage is pruned by age, whatever the account.
CREATE INDEX api_usage_hour_idx ON api_usage (hour);

-- The last requests of each application that were rejected. Of what the caller sent it has the request id only.
CREATE TABLE rejected_requests (
  account_id text COLLATE "C" NOT NULL,
  application_id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C",
  request_id text COLLATE "C" NOT NULL,
  operation text COLLATE "C" NOT NULL,
  status integer NOT NULL,
  code text COLLATE "C",
  CONSTRAINT rejected_requests_pkey PRIMARY KEY (account_id, application_id, created_at, id),
  CONSTRAINT rejected_requests_account_id_fkey FOREIGN KEY (account_id)
    REFERENCES accounts (id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX rejected_requests_created_at_idx ON rejected_requests (created_at);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['api_usage', 'rejected_requests'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    EXECUTE format($policy$
      CREATE POLICY tenant ON %I USING (
        (SELECT current_setting('app.accounts', true) = '*')
        OR account_id = ANY ((SELECT string_to_array(current_setting('app.accounts', true), ','))::text[]))
      $policy$, name);
  END LOOP;
END $$;
