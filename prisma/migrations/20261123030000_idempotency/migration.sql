-- An idempotency key belongs to an application and to the user that the application acts for; '' is no user.
-- The row is inserted, and its response is stored, in the transaction of the request. A row that other transactions see
-- has its response, so a claim needs no time limit of its own. Claims of the version before have no response.
DELETE FROM idempotency_keys WHERE status IS NULL;
ALTER TABLE idempotency_keys
  ADD COLUMN user_id text COLLATE "C" NOT NULL DEFAULT '',
  DROP COLUMN locked_until,
  DROP CONSTRAINT idempotency_keys_pkey,
  ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (application_id, user_id, key);

-- The number of idempotency keys of each application. The service changes it in the transactions that insert and delete
-- keys, always as their last lock. A trigger would lock the row while the request still waits for other rows. The row is
-- updated with every key, so its page has room for the new version.
CREATE TABLE idempotency_key_counts (
  application_id text COLLATE "C" NOT NULL,
  keys integer NOT NULL,
  CONSTRAINT idempotency_key_counts_pkey PRIMARY KEY (application_id)
) WITH (fillfactor = 50);

ALTER TABLE idempotency_key_counts ADD CONSTRAINT idempotency_key_counts_application_id_fkey
  FOREIGN KEY (application_id) REFERENCES applications (id) ON DELETE CASCADE ON UPDATE CASCADE;

INSERT INTO idempotency_key_counts (application_id, keys)
SELECT application_id, count(*) FROM idempotency_keys GROUP BY application_id;

ALTER TABLE idempotency_key_counts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON idempotency_key_counts USING (
  (SELECT current_setting('app.accounts', true) = '*')
  OR EXISTS (SELECT FROM applications WHERE applications.id = idempotency_key_counts.application_id));
