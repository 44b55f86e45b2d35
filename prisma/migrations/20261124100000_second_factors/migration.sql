-- Second factors: one-time passwords of an authenticator app, passkeys, and recovery codes.

CREATE TABLE totp_factors (
  account_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  -- Encrypted with a key that is not in the database.
  sealed_secret text COLLATE "C" NOT NULL,
  -- The 30-second step of the last accepted code. Codes of it and of earlier steps are rejected.
  last_step bigint NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT totp_factors_pkey PRIMARY KEY (account_id, user_id),
  CONSTRAINT totp_factors_account_id_user_id_fkey
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id) ON DELETE CASCADE
);

CREATE TABLE passkeys (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  credential_id bytea NOT NULL,
  -- COSE key.
  public_key bytea NOT NULL,
  sign_count bigint NOT NULL,
  transports text[] COLLATE "C" NOT NULL DEFAULT '{}',
  name text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- Challenges of this time and of earlier times are rejected.
  last_used_at timestamptz(3),
  CONSTRAINT passkeys_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT passkeys_account_id_user_id_fkey
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX passkeys_credential_id_key ON passkeys (credential_id);
CREATE INDEX passkeys_account_id_user_id_idx ON passkeys (account_id, user_id);

CREATE TABLE recovery_codes (
  account_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  -- SHA-256.
  code_hash bytea NOT NULL,
  used_at timestamptz(3),
  CONSTRAINT recovery_codes_pkey PRIMARY KEY (account_id, user_id, code_hash),
  CONSTRAINT recovery_codes_account_id_user_id_fkey
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id) ON DELETE CASCADE
);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['totp_factors', 'passkeys', 'recovery_codes'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    EXECUTE format($policy$
      CREATE POLICY tenant ON %I USING (
        CASE current_setting('app.accounts', true)
          WHEN account_id THEN true
          WHEN '*' THEN true
          ELSE account_id = ANY (string_to_array(current_setting('app.accounts', true), ','))
        END)
    $policy$, name);
  END LOOP;
END
$$;

-- Users who must have a second factor.
ALTER TABLE accounts
  ADD COLUMN second_factor_policy text COLLATE "C" NOT NULL DEFAULT 'optional',
  ADD CONSTRAINT accounts_second_factor_policy_check
    CHECK (second_factor_policy IN ('optional', 'administrators', 'all'));

-- When the user of a session proved a second factor.
ALTER TABLE sessions ADD COLUMN second_factor_at timestamptz(3);
