-- The position in the write-ahead log up to which a standby must have replayed to have the last acknowledged write of an
-- account. Rows are written only by processes that read from standbys.
CREATE TABLE write_positions (
  account_id text COLLATE "C" NOT NULL,
  position pg_lsn NOT NULL,
  CONSTRAINT write_positions_pkey PRIMARY KEY (account_id)
);

ALTER TABLE write_positions ADD CONSTRAINT write_positions_account_id_fkey
  FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;

ALTER TABLE write_positions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON write_positions USING (
  CASE current_setting('app.accounts', true)
    WHEN account_id THEN true
    WHEN '*' THEN true
    ELSE account_id = ANY (string_to_array(current_setting('app.accounts', true), ','))
  END);
