-- Single sign-on: the identity provider of an account, and the users that it knows.

CREATE TABLE identity_providers (
  account_id text COLLATE "C" NOT NULL,
  -- As the metadata of the provider has it.
  issuer text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  -- Encrypted with a key that is not in the database.
  sealed_secret text COLLATE "C" NOT NULL,
  -- Whether administrators and members cannot sign in with a password.
  only_single_sign_on boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT identity_providers_pkey PRIMARY KEY (account_id),
  CONSTRAINT identity_providers_account_id_fkey
    FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE
);

CREATE TABLE user_identities (
  account_id text COLLATE "C" NOT NULL,
  issuer text COLLATE "C" NOT NULL,
  -- The claim sub.
  subject text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT user_identities_pkey PRIMARY KEY (account_id, issuer, subject),
  CONSTRAINT user_identities_account_id_user_id_fkey
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id) ON DELETE CASCADE
);

-- A provider that gives the address of a user to another person does not give that person the user.
CREATE UNIQUE INDEX user_identities_account_id_user_id_issuer_key ON user_identities (account_id, user_id, issuer);

-- Domains of e-mail addresses that the operator confirmed for an account. Each belongs to one account.
CREATE TABLE account_domains (
  -- In lower case, and in ASCII form.
  domain text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  confirmed_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT account_domains_pkey PRIMARY KEY (domain),
  CONSTRAINT account_domains_account_id_fkey
    FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  CONSTRAINT account_domains_domain_check CHECK (domain = lower(domain))
);

CREATE INDEX account_domains_account_id_idx ON account_domains (account_id);

-- Users that are at the identity provider to sign in. The row is deleted when they return.
CREATE TABLE sign_in_requests (
  -- SHA-256 of the parameter state.
  state_hash bytea NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  -- SHA-256 of the cookie of the browser.
  browser_hash bytea NOT NULL,
  issuer text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  -- The path that the user returns to.
  return_to text COLLATE "C" NOT NULL,
  -- A form whose session had expired.
  kept_form text COLLATE "C",
  -- Hash of the id of the session that is confirmed; absent when the user signs in.
  session_hash bytea,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT sign_in_requests_pkey PRIMARY KEY (state_hash),
  CONSTRAINT sign_in_requests_account_id_fkey
    FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE
);

CREATE INDEX sign_in_requests_account_id_idx ON sign_in_requests (account_id);
CREATE INDEX sign_in_requests_expires_at_idx ON sign_in_requests (expires_at);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['identity_providers', 'user_identities', 'account_domains', 'sign_in_requests'] LOOP
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

-- Users that single sign-on creates have no password.
ALTER TABLE users ALTER COLUMN password_hash DROP NOT NULL;

-- Whether the user of a session signed in at the identity provider.
ALTER TABLE sessions ADD COLUMN single_sign_on boolean NOT NULL DEFAULT false;
