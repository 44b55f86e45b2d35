-- Public keys that replace the secret of a confidential application: a JSON Web Key Set, or the URL of one.
ALTER TABLE applications
  ADD COLUMN jwks jsonb,
  ADD COLUMN jwks_uri text COLLATE "C",
  ADD CONSTRAINT applications_keys_check CHECK (
    (jwks IS NULL AND jwks_uri IS NULL)
    OR (client_type = 'confidential' AND installed_client_id IS NULL AND (jwks IS NULL) <> (jwks_uri IS NULL)));

-- Client assertions that were used. key is the SHA-256 of the client id and the jti. The table belongs to no account, because a
-- client that a metadata document describes belongs to none.
CREATE TABLE client_assertions (
  key bytea NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT client_assertions_pkey PRIMARY KEY (key)
);

CREATE INDEX client_assertions_expires_at_idx ON client_assertions (expires_at);
