-- The tables are in two groups.
--
-- Account data. Every row belongs to one account. account_id is the first column of every primary key, unique key and
-- foreign key, so that no key refers to another account.
--
-- The identity group. These keys are global, because the account is unknown when they are looked up:
--   accounts (id, employee_prefix), users (email), applications (client_id), authorization_codes (code_hash),
--   refresh_tokens (token_hash), sessions (id_hash), revoked_access_tokens (jti), one_time_links (token_hash),
--   passkeys (credential_id), account_domains (domain), sign_in_requests (state_hash).
-- Each of these tables except accounts has account_id as a column, and its foreign keys start with it.
--
-- The other tables belong to no account: signing_keys, issuer, system_events, submitted_forms, failure_counts,
-- request_counts.
--
-- Every text column except arrays has the collation "C". It compares by code point, on every server and in every locale.
--
-- Indexes that start with account_id are for lists, in their order, and for foreign keys: the rows of an application, a user
-- or a grant are found, and deleted with it. The others are for housekeeping, which deletes by age in all accounts.

-- Accounts and users

CREATE TABLE accounts (
  id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  employee_prefix text COLLATE "C" NOT NULL,
  employee_sequence bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- Users who must have a second factor.
  second_factor_policy text COLLATE "C" NOT NULL DEFAULT 'optional',
  CONSTRAINT accounts_pkey PRIMARY KEY (id),
  CONSTRAINT accounts_employee_prefix_check CHECK (employee_prefix ~ '^[a-z0-9]{8}$'),
  CONSTRAINT accounts_second_factor_policy_check
    CHECK (second_factor_policy IN ('optional', 'administrators', 'all'))
);

CREATE UNIQUE INDEX accounts_employee_prefix_key ON accounts (employee_prefix);

CREATE TABLE users (
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  email text COLLATE "C" NOT NULL,
  email_verified boolean NOT NULL DEFAULT false,
  -- Users that single sign-on creates have no password.
  password_hash text COLLATE "C",
  role text COLLATE "C" NOT NULL,
  given_name text COLLATE "C" NOT NULL,
  family_name text COLLATE "C" NOT NULL,
  nickname text COLLATE "C",
  picture text COLLATE "C",
  locale text COLLATE "C",
  zoneinfo text COLLATE "C",
  phone_number text COLLATE "C",
  phone_number_verified boolean NOT NULL DEFAULT false,
  disabled_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  last_sign_in_at timestamptz(3),
  CONSTRAINT users_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT users_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  CONSTRAINT users_email_check CHECK (email = lower(email)),
  CONSTRAINT users_role_check CHECK (role IN ('owner', 'admin', 'member'))
);

CREATE UNIQUE INDEX users_email_key ON users (email);
CREATE INDEX users_account_id_email_idx ON users (account_id, email);

-- Applications

-- created_by_id refers to a user that may have been deleted.
CREATE TABLE applications (
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  client_type text COLLATE "C" NOT NULL,
  require_client_secret boolean NOT NULL DEFAULT false,
  redirect_uris text[] NOT NULL DEFAULT ARRAY[]::text[],
  scopes text[] NOT NULL DEFAULT ARRAY[]::text[],
  created_by_id text COLLATE "C",
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- Client credentials tokens contain it. Incrementing it revokes tokens of earlier generations.
  token_generation integer NOT NULL DEFAULT 0,
  CONSTRAINT applications_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT applications_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  CONSTRAINT applications_client_type_check CHECK (client_type IN ('confidential', 'public'))
);

CREATE UNIQUE INDEX applications_client_id_key ON applications (client_id);

CREATE TABLE application_secrets (
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  application_id text COLLATE "C" NOT NULL,
  secret_hash bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  last_used_at timestamptz(3),
  -- The last characters of the secret, by which users recognize it. Secrets of version 1.0 have none.
  last_characters text COLLATE "C",
  CONSTRAINT application_secrets_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT application_secrets_account_id_application_id_fkey FOREIGN KEY (account_id, application_id)
    REFERENCES applications (account_id, id) ON DELETE CASCADE
);

CREATE INDEX application_secrets_account_id_application_id_idx ON application_secrets (account_id, application_id);

-- Employees

-- The primary key is the position, not the id. The id is the prefix of the account and the position in base 36, so it needs
-- no index. A position takes half the space of an id in every index. Columns of eight bytes come first, which avoids padding.
CREATE TABLE employees (
  position bigint NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  employee_number text COLLATE "C" NOT NULL,
  first_name text COLLATE "C" NOT NULL,
  last_name text COLLATE "C" NOT NULL,
  email text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  department text COLLATE "C" NOT NULL,
  job_title text COLLATE "C",
  location text COLLATE "C",
  hire_date date,
  termination_date date,
  -- Whether the JSON text of the record has escapes. Records without escapes are written in half the time.
  has_escapes boolean NOT NULL GENERATED ALWAYS AS (
    employee_number || first_name || last_name || email || status || department || coalesce(job_title, '')
      || coalesce(location, '') ~ '["\\[:cntrl:]]') STORED,
  -- There is no foreign key: Citus does not support one that sets NULL, and PostgreSQL before 15 cannot set only one of two
  -- columns to NULL. The column has ids of employees only, which have no character that JSON escapes, so has_escapes does not
  -- depend on it.
  manager_id text COLLATE "C",
  -- Each key has all words of last name and first name; key n starts with word n, and the words before it follow at its end.
  -- So a prefix of one or more words is a range of an index. Plain columns, because with row-level security an index on an
  -- expression is not searched.
  search_key_1 text COLLATE "C",
  search_key_2 text COLLATE "C",
  search_key_3 text COLLATE "C",
  search_key_4 text COLLATE "C",
  search_key_5 text COLLATE "C",
  -- For `filter[email]`, which ignores case: the address in lower case, if it differs. An expression index would not be used,
  -- because lower() is not leakproof and the table has row-level security.
  folded_email text COLLATE "C" GENERATED ALWAYS AS (nullif(lower(email), email)) STORED,
  CONSTRAINT employees_pkey PRIMARY KEY (account_id, position),
  CONSTRAINT employees_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  -- Eight digits in base 36.
  CONSTRAINT employees_position_check CHECK (position >= 0 AND position < 2821109907456)
);

CREATE UNIQUE INDEX employees_account_id_employee_number_key ON employees (account_id, employee_number);
-- The position orders employees with equal values.
CREATE INDEX employees_account_id_status_position_idx ON employees (account_id, status, position);
CREATE INDEX employees_account_id_department_position_idx ON employees (account_id, department, position);
CREATE INDEX employees_account_id_email_position_idx ON employees (account_id, email, position);
CREATE INDEX employees_account_id_folded_email_idx ON employees (account_id, folded_email)
  WHERE folded_email IS NOT NULL;
CREATE INDEX employees_account_id_updated_at_position_idx ON employees (account_id, updated_at, position);
CREATE INDEX employees_account_id_last_name_first_name_position_idx
  ON employees (account_id, last_name, first_name, position);
CREATE INDEX employees_account_id_first_name_position_idx ON employees (account_id, first_name, position);
CREATE INDEX employees_account_id_manager_id_position_idx ON employees (account_id, manager_id, position)
  WHERE manager_id IS NOT NULL;
CREATE INDEX employees_account_id_search_key_1_idx ON employees (account_id, search_key_1);
CREATE INDEX employees_account_id_search_key_2_idx ON employees (account_id, search_key_2) WHERE search_key_2 IS NOT NULL;
CREATE INDEX employees_account_id_search_key_3_idx ON employees (account_id, search_key_3) WHERE search_key_3 IS NOT NULL;
CREATE INDEX employees_account_id_search_key_4_idx ON employees (account_id, search_key_4) WHERE search_key_4 IS NOT NULL;
CREATE INDEX employees_account_id_search_key_5_idx ON employees (account_id, search_key_5) WHERE search_key_5 IS NOT NULL;
-- A page of a department, in the order by name.
CREATE INDEX employees_account_id_department_name_idx
  ON employees (account_id, department, last_name, first_name, position);
-- A location with other filters, and its count. Without the position, so that equal entries share one.
CREATE INDEX employees_account_id_location_department_status_idx
  ON employees (account_id, location, department, status);

-- A tree over positions with 64 children for each node. A node of level 0 covers 64 positions, a node of level 1 covers 64
-- nodes of level 0, and so on. Level 4 has one node, the number of employees of the account. Counting a list, or finding
-- the start of a page, reads a few dozen small rows for any length of the list.
--
-- Rows of the counts are updated often. Free space on a page allows updates without new index entries (HOT).
CREATE TABLE employee_counts (
  account_id text COLLATE "C" NOT NULL,
  level smallint NOT NULL,
  bucket bigint NOT NULL,
  count integer NOT NULL,
  CONSTRAINT employee_counts_pkey PRIMARY KEY (account_id, level, bucket),
  CONSTRAINT employee_counts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  CONSTRAINT employee_counts_count_check CHECK (count > 0)
) WITH (fillfactor = 70);

CREATE TABLE employee_facets (
  account_id text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  department text COLLATE "C" NOT NULL,
  count integer NOT NULL,
  CONSTRAINT employee_facets_pkey PRIMARY KEY (account_id, status, department),
  CONSTRAINT employee_facets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  CONSTRAINT employee_facets_count_check CHECK (count > 0)
) WITH (fillfactor = 50);

-- How many employees have a location. The location '' stands for none.
CREATE TABLE employee_location_facets (
  account_id text COLLATE "C" NOT NULL,
  location text COLLATE "C" NOT NULL,
  count integer NOT NULL,
  CONSTRAINT employee_location_facets_pkey PRIMARY KEY (account_id, location),
  CONSTRAINT employee_location_facets_account_id_fkey
    FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  CONSTRAINT employee_location_facets_count_check CHECK (count > 0)
) WITH (fillfactor = 50);

-- Reports

-- created_by_user_id and created_by_application_id refer to rows that may have been deleted.
CREATE TABLE reports (
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  title text COLLATE "C" NOT NULL,
  description text COLLATE "C",
  columns text[] NOT NULL DEFAULT ARRAY[]::text[],
  filters jsonb NOT NULL DEFAULT '[]',
  sort text[] NOT NULL DEFAULT ARRAY[]::text[],
  group_by text[] NOT NULL DEFAULT ARRAY[]::text[],
  created_by_user_id text COLLATE "C",
  created_by_application_id text COLLATE "C",
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT reports_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT reports_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE
);

-- Every account has a row. Statements and triggers on account data read and lock only account data: on Citus, it is on the
-- workers, and the table accounts is on the coordinator. A statement that writes rows of accounts joins this table: it omits
-- accounts that do not exist, and Citus runs the statement where the account is.
--
-- `events` is the number of events so far, which is the position of the last one. A change locks the row until it commits: no
-- event becomes visible before an event with a lower position, and a rolled back change leaves no gap. `has_webhooks` tells
-- whether the account has webhook endpoints.
CREATE TABLE account_totals (
  account_id text COLLATE "C" NOT NULL,
  reports integer NOT NULL DEFAULT 0,
  events bigint NOT NULL DEFAULT 0,
  last_event_at timestamptz(3),
  has_webhooks boolean NOT NULL DEFAULT false,
  CONSTRAINT account_totals_pkey PRIMARY KEY (account_id),
  CONSTRAINT account_totals_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  CONSTRAINT account_totals_reports_check CHECK (reports >= 0)
) WITH (fillfactor = 50);

-- Grants and tokens

CREATE TABLE grants (
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  application_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  scopes text[] NOT NULL DEFAULT ARRAY[]::text[],
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  revoked_at timestamptz(3),
  CONSTRAINT grants_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT grants_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  CONSTRAINT grants_account_id_application_id_fkey FOREIGN KEY (account_id, application_id)
    REFERENCES applications (account_id, id) ON DELETE CASCADE,
  CONSTRAINT grants_account_id_user_id_fkey FOREIGN KEY (account_id, user_id)
    REFERENCES users (account_id, id) ON DELETE CASCADE
);

CREATE INDEX grants_account_id_application_id_user_id_idx ON grants (account_id, application_id, user_id);
CREATE INDEX grants_account_id_user_id_idx ON grants (account_id, user_id);

CREATE TABLE authorization_codes (
  code_hash bytea NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  application_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  grant_id text COLLATE "C",
  redirect_uri text COLLATE "C" NOT NULL,
  scopes text[] NOT NULL DEFAULT ARRAY[]::text[],
  code_challenge text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  CONSTRAINT authorization_codes_pkey PRIMARY KEY (code_hash),
  CONSTRAINT authorization_codes_account_id_application_id_fkey FOREIGN KEY (account_id, application_id)
    REFERENCES applications (account_id, id) ON DELETE CASCADE,
  CONSTRAINT authorization_codes_account_id_user_id_fkey FOREIGN KEY (account_id, user_id)
    REFERENCES users (account_id, id) ON DELETE CASCADE,
  CONSTRAINT authorization_codes_account_id_grant_id_fkey FOREIGN KEY (account_id, grant_id)
    REFERENCES grants (account_id, id) ON DELETE CASCADE
);

CREATE INDEX authorization_codes_account_id_application_id_idx ON authorization_codes (account_id, application_id);
CREATE INDEX authorization_codes_account_id_user_id_idx ON authorization_codes (account_id, user_id);
CREATE INDEX authorization_codes_account_id_grant_id_idx ON authorization_codes (account_id, grant_id);
CREATE INDEX authorization_codes_expires_at_idx ON authorization_codes (expires_at);

-- successor_hash identifies the token that replaced this one. A second use of a token soon after the first is a retry while
-- its successor is unused, and a replay afterwards.
CREATE TABLE refresh_tokens (
  token_hash bytea NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  grant_id text COLLATE "C" NOT NULL,
  scopes text[] NOT NULL DEFAULT ARRAY[]::text[],
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  successor_hash bytea,
  CONSTRAINT refresh_tokens_pkey PRIMARY KEY (token_hash),
  CONSTRAINT refresh_tokens_account_id_grant_id_fkey FOREIGN KEY (account_id, grant_id)
    REFERENCES grants (account_id, id) ON DELETE CASCADE
);

CREATE INDEX refresh_tokens_account_id_grant_id_expires_at_idx ON refresh_tokens (account_id, grant_id, expires_at);
CREATE INDEX refresh_tokens_expires_at_idx ON refresh_tokens (expires_at);

CREATE TABLE revoked_access_tokens (
  jti text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT revoked_access_tokens_pkey PRIMARY KEY (jti),
  CONSTRAINT revoked_access_tokens_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE
);

CREATE INDEX revoked_access_tokens_account_id_idx ON revoked_access_tokens (account_id);
CREATE INDEX revoked_access_tokens_expires_at_idx ON revoked_access_tokens (expires_at);

-- Signing in

CREATE TABLE sessions (
  id_hash bytea NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  last_seen_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL,
  address text COLLATE "C",
  user_agent text COLLATE "C",
  -- When the user last entered the password.
  authenticated_at timestamptz(3) NOT NULL DEFAULT '1970-01-01T00:00:00Z',
  -- When the user proved a second factor.
  second_factor_at timestamptz(3),
  -- Whether the user signed in at the identity provider.
  single_sign_on boolean NOT NULL DEFAULT false,
  CONSTRAINT sessions_pkey PRIMARY KEY (id_hash),
  CONSTRAINT sessions_account_id_user_id_fkey FOREIGN KEY (account_id, user_id)
    REFERENCES users (account_id, id) ON DELETE CASCADE
);

CREATE INDEX sessions_account_id_user_id_idx ON sessions (account_id, user_id);
CREATE INDEX sessions_expires_at_idx ON sessions (expires_at);

-- Links that are sent to an e-mail address and can be used once: invitations, new passwords, and changed addresses.
CREATE TABLE one_time_links (
  id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  -- SHA-256.
  token_hash bytea NOT NULL,
  purpose text COLLATE "C" NOT NULL,
  -- The user that the link is for. An invitation has none.
  user_id text COLLATE "C",
  -- The address that the link proves: of the invitation, of the user, or the new one.
  email text COLLATE "C" NOT NULL,
  -- The role of an invited user.
  role text COLLATE "C",
  -- Absent for a forgotten password. The user may have been deleted.
  created_by_id text COLLATE "C",
  -- Whether the link was sent by mail, and shown to no other user.
  mailed boolean NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  CONSTRAINT one_time_links_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT one_time_links_account_id_fkey
    FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  CONSTRAINT one_time_links_account_id_user_id_fkey
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id) ON DELETE CASCADE,
  CONSTRAINT one_time_links_purpose_check CHECK (
    CASE purpose
      WHEN 'invitation' THEN user_id IS NULL AND role IS NOT NULL
      WHEN 'password' THEN user_id IS NOT NULL AND role IS NULL
      WHEN 'email' THEN user_id IS NOT NULL AND role IS NULL
      ELSE false
    END),
  CONSTRAINT one_time_links_role_check CHECK (role IN ('owner', 'admin', 'member')),
  CONSTRAINT one_time_links_email_check CHECK (email = lower(email))
);

CREATE UNIQUE INDEX one_time_links_token_hash_key ON one_time_links (token_hash);
CREATE INDEX one_time_links_account_id_user_id_idx ON one_time_links (account_id, user_id);
CREATE INDEX one_time_links_expires_at_idx ON one_time_links (expires_at);

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
  -- Whether addresses of confirmed domains are accepted without the claim email_verified.
  addresses_verified boolean NOT NULL DEFAULT false,
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

-- Imports of employees from files that users upload. A file is stored in chunks, so that any process can continue its import.
-- The tables stay on the coordinator of Citus: a worker looks for queued imports of all accounts, and locks the rows.

CREATE TABLE employee_imports (
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- The user may have been deleted.
  user_id text COLLATE "C" NOT NULL,
  -- Of the request that started the last step, for the audit event.
  address text COLLATE "C" NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  -- The audit event of the import, which all processes that continue it update.
  event_id text COLLATE "C" NOT NULL,
  file_name text COLLATE "C" NOT NULL,
  format text COLLATE "C" NOT NULL,
  -- Between the columns of CSV.
  delimiter text COLLATE "C",
  state text COLLATE "C" NOT NULL,
  bytes integer NOT NULL DEFAULT 0,
  -- Columns of the file, and the attribute of each. An empty attribute: the column is ignored.
  columns text[] COLLATE "C" NOT NULL DEFAULT '{}',
  attributes text[] COLLATE "C" NOT NULL DEFAULT '{}',
  -- Of the check or of the import. Committed with each batch, so that the next process continues after it.
  bytes_read integer NOT NULL DEFAULT 0,
  read integer NOT NULL DEFAULT 0,
  created integer NOT NULL DEFAULT 0,
  updated integer NOT NULL DEFAULT 0,
  unchanged integer NOT NULL DEFAULT 0,
  rejected integer NOT NULL DEFAULT 0,
  superseded integer NOT NULL DEFAULT 0,
  managers_rejected integer NOT NULL DEFAULT 0,
  -- Why the import failed.
  failure text COLLATE "C",
  cancel_requested boolean NOT NULL DEFAULT false,
  -- Since the last batch that was stored.
  attempts integer NOT NULL DEFAULT 0,
  -- The process that runs the import. Another one may take it over after the lease.
  locked_by text COLLATE "C",
  lease_until timestamptz(3),
  queued_at timestamptz(3),
  finished_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT employee_imports_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT employee_imports_account_id_fkey
    FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  CONSTRAINT employee_imports_format_check CHECK (format IN ('csv', 'jsonl')),
  CONSTRAINT employee_imports_state_check CHECK (
    state IN ('uploading', 'uploaded', 'checking', 'checked', 'importing', 'complete', 'cancelled', 'failed'))
);

CREATE INDEX employee_imports_expires_at_idx ON employee_imports (expires_at);

-- An account has at most one check or import that is queued or runs.
CREATE UNIQUE INDEX employee_imports_account_id_running_key ON employee_imports (account_id)
  WHERE state IN ('checking', 'importing');

CREATE TABLE employee_import_chunks (
  account_id text COLLATE "C" NOT NULL,
  import_id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  content bytea NOT NULL,
  CONSTRAINT employee_import_chunks_pkey PRIMARY KEY (account_id, import_id, number),
  CONSTRAINT employee_import_chunks_account_id_import_id_fkey
    FOREIGN KEY (account_id, import_id) REFERENCES employee_imports (account_id, id) ON DELETE CASCADE
);

-- The first rejected lines of a check or an import.
CREATE TABLE employee_import_errors (
  account_id text COLLATE "C" NOT NULL,
  import_id text COLLATE "C" NOT NULL,
  line integer NOT NULL,
  message text COLLATE "C" NOT NULL,
  CONSTRAINT employee_import_errors_pkey PRIMARY KEY (account_id, import_id, line),
  CONSTRAINT employee_import_errors_account_id_import_id_fkey
    FOREIGN KEY (account_id, import_id) REFERENCES employee_imports (account_id, id) ON DELETE CASCADE
);

-- Events: one feed for each account, in the order of commits. Triggers write the events of a change in its transaction, so that
-- no change is without an event.

CREATE TABLE events (
  account_id text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  type text COLLATE "C" NOT NULL,
  -- Time of the database server. It never decreases within an account.
  occurred_at timestamptz(3) NOT NULL,
  -- Who made the change. Both are absent for the operator; both are set for an application that acts on behalf of a user.
  user_id text COLLATE "C",
  application_id text COLLATE "C",
  resource_id text COLLATE "C" NOT NULL,
  -- Names of the attributes that an update changed.
  changed text[] COLLATE "C" NOT NULL DEFAULT '{}',
  -- Attributes after the change by column. NULL: the resource has been deleted.
  attributes json,
  CONSTRAINT events_pkey PRIMARY KEY (account_id, position),
  -- Rows of account_totals exist as long as their accounts, and are on the same worker of Citus.
  CONSTRAINT events_account_id_fkey FOREIGN KEY (account_id) REFERENCES account_totals (account_id) ON DELETE CASCADE
);

-- To find the start of a feed, and events that are too old.
CREATE INDEX events_account_id_occurred_at_position_idx ON events (account_id, occurred_at, position);
-- To erase the attributes of a deleted resource.
CREATE INDEX events_account_id_resource_id_idx ON events (account_id, resource_id);

-- Webhooks: an endpoint is a position in the feed of its account, from which events are sent to a URL. The tables for
-- endpoints and attempts stay on the coordinator of Citus: a process looks for due endpoints of all accounts, and locks the
-- rows.

CREATE TABLE webhook_endpoints (
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  application_id text COLLATE "C" NOT NULL,
  url text COLLATE "C" NOT NULL,
  description text COLLATE "C",
  -- Types of the events that are sent; empty: all.
  event_types text[] COLLATE "C" NOT NULL DEFAULT '{}',
  -- Encrypted.
  sealed_secret text COLLATE "C" NOT NULL,
  -- The secret before the last rotation, which signs deliveries as well until it expires.
  sealed_previous_secret text COLLATE "C",
  previous_secret_expires_at timestamptz(3),
  -- Last event that was delivered, or skipped because of its type.
  position bigint NOT NULL,
  -- Id and last position of the delivery that is repeated until it succeeds.
  delivery_id text COLLATE "C",
  delivery_end bigint,
  -- Failed attempts of this delivery, and when the first one was.
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz(3),
  -- Set while nothing is sent; with the reason: failing, gone, expired or access.
  paused_at timestamptz(3),
  pause_reason text COLLATE "C",
  -- When the endpoint is next looked at; NULL: when its account has new events. While a process delivers, the end of its lease.
  due_at timestamptz(3),
  -- Random text of the process that delivers. A late process no longer finds it.
  lease text COLLATE "C",
  -- Increases when the account has new events, so that a delivery under way notices them.
  wakeups integer NOT NULL DEFAULT 0,
  -- Attempts so far.
  attempts bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT webhook_endpoints_account_id_application_id_fkey
    FOREIGN KEY (account_id, application_id) REFERENCES applications (account_id, id) ON DELETE CASCADE
);

CREATE INDEX webhook_endpoints_account_id_application_id_idx ON webhook_endpoints (account_id, application_id);
CREATE INDEX webhook_endpoints_due_at_idx ON webhook_endpoints (due_at) WHERE due_at IS NOT NULL;

-- The last attempts of an endpoint: attempt number n is in slot n modulo 50.
CREATE TABLE webhook_attempts (
  account_id text COLLATE "C" NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  slot integer NOT NULL,
  number bigint NOT NULL,
  delivery_id text COLLATE "C" NOT NULL,
  -- Positions of the first and the last event; NULL for a test.
  first_position bigint,
  last_position bigint,
  events integer NOT NULL,
  attempted_at timestamptz(3) NOT NULL,
  duration_ms integer NOT NULL,
  -- NULL: there was no response; then `error` says why.
  status integer,
  error text COLLATE "C",
  -- Start of the response.
  response text COLLATE "C",
  CONSTRAINT webhook_attempts_pkey PRIMARY KEY (account_id, endpoint_id, slot),
  CONSTRAINT webhook_attempts_account_id_endpoint_id_fkey
    FOREIGN KEY (account_id, endpoint_id) REFERENCES webhook_endpoints (account_id, id) ON DELETE CASCADE
);

-- Accounts with endpoints whose events were not yet noticed. Each change inserts a row of its own, which becomes visible with the
-- change: no change waits for another, and none is missed.
CREATE TABLE webhook_wakeups (
  account_id text COLLATE "C" NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  CONSTRAINT webhook_wakeups_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT webhook_wakeups_account_id_fkey
    FOREIGN KEY (account_id) REFERENCES account_totals (account_id) ON DELETE CASCADE
);

-- Audit log

-- user_id and application_id refer to rows that may have been deleted.
CREATE TABLE audit_events (
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  user_id text COLLATE "C",
  application_id text COLLATE "C",
  address text COLLATE "C",
  request_id text COLLATE "C",
  details jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT audit_events_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT audit_events_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE
);

CREATE INDEX audit_events_account_id_created_at_id_idx ON audit_events (account_id, created_at DESC, id);
CREATE INDEX audit_events_account_id_type_created_at_id_idx ON audit_events (account_id, type, created_at DESC, id);
CREATE INDEX audit_events_created_at_idx ON audit_events (created_at);
-- Filters of the audit log. The conditions omit the events of tokens, which are most of the events: issuing a token writes to
-- none of these indexes. The list is that of tokenEventTypes in the sources.
CREATE INDEX audit_events_account_id_created_at_id_without_tokens_idx
  ON audit_events (account_id, created_at DESC, id)
  WHERE type NOT IN ('authorization_code.issued', 'token.issued', 'token.refreshed', 'token.revoked');
CREATE INDEX audit_events_account_id_user_id_without_tokens_idx
  ON audit_events (account_id, user_id, created_at DESC, id)
  WHERE type NOT IN ('authorization_code.issued', 'token.issued', 'token.refreshed', 'token.revoked');
CREATE INDEX audit_events_account_id_application_id_without_tokens_idx
  ON audit_events (account_id, application_id, created_at DESC, id)
  WHERE type NOT IN ('authorization_code.issued', 'token.issued', 'token.refreshed', 'token.revoked');
-- To find the events of a deleted employee. They keep its id only, which no record has anymore:
-- deleteEmployees in the sources erases the other details.
CREATE INDEX audit_events_account_id_employee_idx ON audit_events (account_id, (details ->> 'employee'))
  WHERE type IN ('employee.created', 'employee.updated');

-- Events of no account, such as a sign-in with an unknown e-mail address or a rotation of signing keys.
CREATE TABLE system_events (
  id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  address text COLLATE "C",
  request_id text COLLATE "C",
  details jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT system_events_pkey PRIMARY KEY (id)
);

CREATE INDEX system_events_created_at_idx ON system_events (created_at);

-- Requests of applications

-- Calls of applications by hour. A call without a user has the user ''. The counts of deleted applications and users stay.
-- Rows of the current hour are updated often.
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
  CONSTRAINT api_usage_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE
) WITH (fillfactor = 70);

CREATE INDEX api_usage_hour_idx ON api_usage (hour);

-- The last rejected requests of each application, without the content of the request.
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
  CONSTRAINT rejected_requests_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE
);

CREATE INDEX rejected_requests_created_at_idx ON rejected_requests (created_at);

-- A key belongs to an application and to the user that the application acts for; '' means no user. The transaction of the
-- request inserts the row and stores the response, so that committed rows always have a response.
CREATE TABLE idempotency_keys (
  account_id text COLLATE "C" NOT NULL,
  application_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL DEFAULT '',
  key text COLLATE "C" NOT NULL,
  operation text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,
  status integer,
  headers jsonb,
  body text COLLATE "C",
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (account_id, application_id, user_id, key),
  CONSTRAINT idempotency_keys_account_id_application_id_fkey FOREIGN KEY (account_id, application_id)
    REFERENCES applications (account_id, id) ON DELETE CASCADE
);

CREATE INDEX idempotency_keys_expires_at_idx ON idempotency_keys (expires_at);

-- The number of idempotency keys of each application. The service changes it in the transactions that insert and delete
-- keys, always as the last lock. A trigger would lock the row while the request waits for other locks.
CREATE TABLE idempotency_key_counts (
  account_id text COLLATE "C" NOT NULL,
  application_id text COLLATE "C" NOT NULL,
  keys integer NOT NULL,
  CONSTRAINT idempotency_key_counts_pkey PRIMARY KEY (account_id, application_id),
  CONSTRAINT idempotency_key_counts_account_id_application_id_fkey FOREIGN KEY (account_id, application_id)
    REFERENCES applications (account_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);

-- The position in the write-ahead log up to which a standby must have replayed to have the last acknowledged write of an
-- account. Rows are written only by processes that read from standbys.
CREATE TABLE write_positions (
  account_id text COLLATE "C" NOT NULL,
  position pg_lsn NOT NULL,
  CONSTRAINT write_positions_pkey PRIMARY KEY (account_id),
  CONSTRAINT write_positions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE
);

-- Tables of no account

CREATE TABLE signing_keys (
  kid text COLLATE "C" NOT NULL,
  algorithm text COLLATE "C" NOT NULL,
  private_key text COLLATE "C" NOT NULL,
  public_key jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  retired_at timestamptz(3),
  expires_at timestamptz(3),
  CONSTRAINT signing_keys_pkey PRIMARY KEY (kid)
);

CREATE INDEX signing_keys_expires_at_idx ON signing_keys (expires_at);

-- The issuer of tokens, which is the BASE_URL of the first start. There is one row.
CREATE TABLE issuer (
  id integer NOT NULL DEFAULT 1,
  url text COLLATE "C" NOT NULL,
  recorded_at timestamptz(3) NOT NULL,
  CONSTRAINT issuer_pkey PRIMARY KEY (id),
  CONSTRAINT issuer_id_check CHECK (id = 1)
);

-- Submitted forms. Repeated submissions are ignored.
CREATE TABLE submitted_forms (
  key bytea NOT NULL,
  result_id text COLLATE "C" NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT submitted_forms_pkey PRIMARY KEY (key)
);

CREATE INDEX submitted_forms_expires_at_idx ON submitted_forms (expires_at);

-- Failed sign-ins and client authentications, counted for all processes together.
CREATE TABLE failure_counts (
  key text COLLATE "C" NOT NULL,
  points integer NOT NULL,
  expire timestamptz(3),
  CONSTRAINT failure_counts_pkey PRIMARY KEY (key)
);

CREATE INDEX failure_counts_expire_idx ON failure_counts (expire);

-- Requests of each caller in the current minute. Nearly every request writes it, and its content need not survive a crash,
-- so it is unlogged.
CREATE UNLOGGED TABLE request_counts (
  key text COLLATE "C" NOT NULL,
  points integer NOT NULL,
  expire timestamptz(3),
  CONSTRAINT request_counts_pkey PRIMARY KEY (key)
) WITH (fillfactor = 50);

CREATE INDEX request_counts_expire_idx ON request_counts (expire);

-- Counts, maintained by triggers. A trigger writes only rows of the accounts whose rows the statement changed, which may be
-- several.

CREATE FUNCTION account_added() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO account_totals (account_id) VALUES (NEW.id);
  RETURN NULL;
END $$;

CREATE TRIGGER accounts_after_insert AFTER INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION account_added();

-- Changes of the counts of an account run one after the other. Otherwise they could deadlock, or delete a count of zero that
-- another transaction has incremented meanwhile. The lock is not a row, so it does not wait for changes of the account. Accounts
-- are locked in the order of their ids.
CREATE FUNCTION lock_employee_counts(for_account text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(for_account, 0));
END $$;

CREATE FUNCTION add_to_employee_count(for_account text, at_level smallint, at_bucket bigint, delta bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF delta > 0 THEN
    INSERT INTO employee_counts AS c (account_id, level, bucket, count)
    VALUES (for_account, at_level, at_bucket, delta)
    ON CONFLICT (account_id, level, bucket) DO UPDATE SET count = c.count + excluded.count;
  ELSE
    UPDATE employee_counts SET count = count + delta
    WHERE account_id = for_account AND level = at_level AND bucket = at_bucket AND count + delta > 0;
    IF NOT FOUND THEN
      DELETE FROM employee_counts WHERE account_id = for_account AND level = at_level AND bucket = at_bucket;
    END IF;
  END IF;
END $$;

CREATE FUNCTION add_to_employee_facet(for_account text, of_status text, of_department text, delta bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF delta > 0 THEN
    INSERT INTO employee_facets AS f (account_id, status, department, count)
    VALUES (for_account, of_status, of_department, delta)
    ON CONFLICT (account_id, status, department) DO UPDATE SET count = f.count + excluded.count;
  ELSE
    UPDATE employee_facets SET count = count + delta
    WHERE account_id = for_account AND status = of_status AND department = of_department AND count + delta > 0;
    IF NOT FOUND THEN
      DELETE FROM employee_facets
      WHERE account_id = for_account AND status = of_status AND department = of_department;
    END IF;
  END IF;
END $$;

CREATE FUNCTION add_to_employee_location(for_account text, of_location text, delta bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF delta > 0 THEN
    INSERT INTO employee_location_facets AS f (account_id, location, count)
    VALUES (for_account, of_location, delta)
    ON CONFLICT (account_id, location) DO UPDATE SET count = f.count + excluded.count;
  ELSE
    UPDATE employee_location_facets SET count = count + delta
    WHERE account_id = for_account AND location = of_location AND count + delta > 0;
    IF NOT FOUND THEN
      DELETE FROM employee_location_facets WHERE account_id = for_account AND location = of_location;
    END IF;
  END IF;
END $$;

-- `changed` holds the rows that a statement added or removed.
CREATE FUNCTION employees_added_or_removed() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  sign int := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  PERFORM lock_employee_counts(account_id)
  FROM (SELECT DISTINCT account_id FROM changed ORDER BY account_id) account;

  PERFORM add_to_employee_count(node.account_id, node.level, node.bucket, sign * node.rows)
  FROM (
    SELECT leaf.account_id, tree.level, leaf.bucket >> tree.shift AS bucket, sum(leaf.rows)::bigint AS rows
    FROM (SELECT account_id, position >> 6 AS bucket, count(*) AS rows FROM changed GROUP BY 1, 2) leaf
    CROSS JOIN (VALUES (0::smallint, 0), (1::smallint, 6), (2::smallint, 12), (3::smallint, 18), (4::smallint, 63))
      AS tree (level, shift)
    GROUP BY 1, 2, 3
  ) node;

  PERFORM add_to_employee_facet(facet.account_id, facet.status, facet.department, sign * facet.rows)
  FROM (SELECT account_id, status, department, count(*) AS rows FROM changed GROUP BY 1, 2, 3) facet;

  PERFORM add_to_employee_location(facet.account_id, facet.location, sign * facet.rows)
  FROM (SELECT account_id, coalesce(location, '') AS location, count(*) AS rows FROM changed GROUP BY 1, 2) facet;
  RETURN NULL;
END $$;

-- A session plans the statements of a trigger once, for the number of rows of its first call. A nested loop over the rows before
-- and after a change, which suits one row, takes minutes for ten thousand. Without nested loops, the planner estimates a
-- remaining one as so expensive that it would compile the statement, for 0.2 seconds. The service turns compilation off, but its
-- settings are not sent to the workers of Citus. The functions for events of updates have the same join.
CREATE FUNCTION employees_changed() RETURNS trigger
LANGUAGE plpgsql SET enable_nestloop = off SET jit = off AS $$
DECLARE
  -- Only accounts with rows that move to another facet, so that a change of name does not wait for other writers.
  moving text[] := ARRAY(
    SELECT DISTINCT a.account_id
    FROM after_change a JOIN before_change b ON b.account_id = a.account_id AND b.position = a.position
    WHERE (a.status, a.department, a.location) IS DISTINCT FROM (b.status, b.department, b.location)
    ORDER BY a.account_id
  );
BEGIN
  IF cardinality(moving) = 0 THEN RETURN NULL; END IF;
  PERFORM lock_employee_counts(account_id) FROM unnest(moving) AS account_id;

  PERFORM add_to_employee_facet(facet.account_id, facet.status, facet.department, facet.delta)
  FROM (
    SELECT account_id, status, department, sum(sign)::bigint AS delta
    FROM (
      SELECT account_id, status, department, 1 AS sign FROM after_change
      UNION ALL
      SELECT account_id, status, department, -1 FROM before_change
    ) both_sides
    WHERE account_id = ANY (moving)
    GROUP BY 1, 2, 3 HAVING sum(sign) <> 0
  ) facet;

  PERFORM add_to_employee_location(facet.account_id, facet.location, facet.delta)
  FROM (
    SELECT account_id, coalesce(location, '') AS location, sum(sign)::bigint AS delta
    FROM (
      SELECT account_id, location, 1 AS sign FROM after_change
      UNION ALL
      SELECT account_id, location, -1 FROM before_change
    ) both_sides
    WHERE account_id = ANY (moving)
    GROUP BY 1, 2 HAVING sum(sign) <> 0
  ) facet;
  RETURN NULL;
END $$;

-- TRUNCATE removes rows without telling which: their events lose their attributes too.
CREATE FUNCTION employees_truncated() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  scope text := coalesce(current_setting('app.accounts', true), '');
BEGIN
  -- Row-level security does not apply to TRUNCATE.
  TRUNCATE employee_counts, employee_facets, employee_location_facets;
  PERFORM set_config('app.accounts', '*', true);
  UPDATE events SET attributes = NULL WHERE type LIKE 'employee.%' AND attributes IS NOT NULL;
  PERFORM set_config('app.accounts', scope, true);
  RETURN NULL;
END $$;

CREATE FUNCTION row_may_not_move() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'id, account and position of a row of % cannot be changed', TG_TABLE_NAME;
END $$;

CREATE TRIGGER employees_after_insert AFTER INSERT ON employees
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION employees_added_or_removed();
CREATE TRIGGER employees_after_delete AFTER DELETE ON employees
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION employees_added_or_removed();
CREATE TRIGGER employees_after_update AFTER UPDATE ON employees
  REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change
  FOR EACH STATEMENT EXECUTE FUNCTION employees_changed();
CREATE TRIGGER employees_after_truncate AFTER TRUNCATE ON employees
  FOR EACH STATEMENT EXECUTE FUNCTION employees_truncated();
CREATE TRIGGER employees_stay BEFORE UPDATE OF id, account_id, position ON employees
  FOR EACH ROW
  WHEN ((OLD.id, OLD.account_id, OLD.position) IS DISTINCT FROM (NEW.id, NEW.account_id, NEW.position))
  EXECUTE FUNCTION row_may_not_move();

-- Citus rejects INSERT ... SELECT from a transition table, so each account is an UPDATE.
CREATE FUNCTION add_to_report_total(for_account text, delta bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account_totals SET reports = reports + delta WHERE account_id = for_account;
END $$;

CREATE FUNCTION reports_added_or_removed() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  sign int := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  PERFORM add_to_report_total(account_id, sign * rows)
  FROM (SELECT account_id, count(*) AS rows FROM changed GROUP BY account_id) account ORDER BY account_id;
  RETURN NULL;
END $$;

CREATE FUNCTION reports_truncated() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  scope text := coalesce(current_setting('app.accounts', true), '');
BEGIN
  -- Row-level security does not apply to TRUNCATE.
  PERFORM set_config('app.accounts', '*', true);
  UPDATE account_totals SET reports = 0;
  PERFORM set_config('app.accounts', scope, true);
  RETURN NULL;
END $$;

CREATE TRIGGER reports_after_insert AFTER INSERT ON reports
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION reports_added_or_removed();
CREATE TRIGGER reports_after_delete AFTER DELETE ON reports
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION reports_added_or_removed();
CREATE TRIGGER reports_after_truncate AFTER TRUNCATE ON reports
  FOR EACH STATEMENT EXECUTE FUNCTION reports_truncated();
CREATE TRIGGER reports_stay BEFORE UPDATE OF account_id ON reports
  FOR EACH ROW WHEN (OLD.account_id IS DISTINCT FROM NEW.account_id) EXECUTE FUNCTION row_may_not_move();

-- Returns the position of the employee with `skip` employees before it in the order of ids; NULL past the end. Each level of
-- the tree is one statement, which starts at the nearer end of the level and stops at the node. Generic plans are made once
-- for each session: the planner estimates custom plans as cheaper, and would plan every level of every call.
--
-- It checks the scope once and runs as the owner of the tables, because the policies in each of its five statements would
-- take a third of its time. It allows what the policies allow: all accounts for a superuser without another role, and
-- otherwise the accounts of the scope.
CREATE FUNCTION employee_position_at(for_account text, skip bigint) RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  scope text := coalesce(current_setting('app.accounts', true), '');
  lowest bigint := 0;
  highest bigint := 9223372036854775807;
  -- Number of records below the last node, and how many of them come before the requested one.
  inside bigint := 9223372036854775807;
  before bigint := skip;
  -- Number of records from the requested one to the end of the node.
  rest bigint;
  found_node bigint;
BEGIN
  IF skip IS NULL OR skip < 0 THEN RETURN NULL; END IF;
  IF scope NOT IN ('*', for_account) AND for_account <> ALL (string_to_array(scope, ','))
    AND (current_setting('role') <> 'none'
         OR NOT (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = session_user))
  THEN RETURN NULL; END IF;
  FOR depth IN REVERSE 3..0 LOOP
    IF before < inside / 2 THEN
      SELECT node.bucket, node.count, before - (node.total - node.count) INTO found_node, inside, before
      FROM (
        SELECT c.bucket, c.count, sum(c.count) OVER (ORDER BY c.bucket ROWS UNBOUNDED PRECEDING) AS total
        FROM employee_counts c
        WHERE c.account_id = for_account AND c.level = depth::smallint AND c.bucket BETWEEN lowest AND highest
      ) AS node
      WHERE node.total > before ORDER BY node.bucket LIMIT 1;
    ELSE
      rest := inside - before;
      SELECT node.bucket, node.count, node.total - rest INTO found_node, inside, before
      FROM (
        SELECT c.bucket, c.count, sum(c.count) OVER (ORDER BY c.bucket DESC ROWS UNBOUNDED PRECEDING) AS total
        FROM employee_counts c
        WHERE c.account_id = for_account AND c.level = depth::smallint AND c.bucket BETWEEN lowest AND highest
      ) AS node
      WHERE node.total >= rest ORDER BY node.bucket DESC LIMIT 1;
    END IF;
    IF found_node IS NULL THEN RETURN NULL; END IF;
    lowest := found_node << 6;
    highest := lowest + 63;
  END LOOP;

  RETURN (
    SELECT e.position FROM employees e
    WHERE e.account_id = for_account AND e.position BETWEEN lowest AND highest
    ORDER BY e.position OFFSET before LIMIT 1
  );
END $$;

-- The function runs as the owner: a table of the same name in another schema must not take the place of the owner's, and
-- other users may not call it.
REVOKE EXECUTE ON FUNCTION employee_position_at(text, bigint) FROM PUBLIC;
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION employee_position_at(text, bigint) SET search_path = %I, pg_temp', current_schema());
END $$;

-- Managers

CREATE FUNCTION clear_managers(for_account text, manager_ids text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE employees SET manager_id = NULL, updated_at = now()
  WHERE account_id = for_account AND manager_id = ANY (manager_ids);
END $$;

CREATE FUNCTION managers_removed() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  -- In a function of its own, because Citus cannot join a table with the rows of a trigger.
  PERFORM clear_managers(account_id, ids)
  FROM (SELECT account_id, array_agg(id) AS ids FROM removed GROUP BY account_id ORDER BY account_id) account;
  RETURN NULL;
END $$;

-- The name sorts before employees_after_delete, which locks the counts of the account: employees are always locked first.
CREATE TRIGGER employees_after_clear_managers AFTER DELETE ON employees
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION managers_removed();

-- The directory searches names by the start of each word, ignoring case and accents.

-- Folds text for the search: "Müller-Groß" becomes "muller gross". Text that is ASCII needs no Unicode tables.
CREATE FUNCTION fold_for_search(given text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  folded text := given;
BEGIN
  IF octet_length(folded) = char_length(folded) THEN
    folded := lower(folded COLLATE "C");
  ELSE
    folded := normalize(lower(normalize(folded, NFKD) COLLATE "und-x-icu"), NFKD);
    folded := regexp_replace(folded, '[\u0300-\u036f]', '', 'g');
    -- Latin letters that Unicode does not decompose
    folded := translate(folded, 'øłđðħıŧ', 'olddhit');
    folded := replace(replace(replace(replace(folded, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
    folded := regexp_replace(folded, '[\u0080-\u00a0\u02b0-\u02bf\u2000-\u206f\u3000]', ' ', 'g');
  END IF;
  folded := regexp_replace(folded, '[\u0001-/:-@\[-`{-\u007f]+', ' ', 'g');
  RETURN btrim(folded, ' ');
END $$;

-- The length is limited because an entry of an index is.
CREATE FUNCTION set_employee_search_keys() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  folded text := rtrim(left(fold_for_search(NEW.last_name || ' ' || NEW.first_name), 200));
  words text[] := string_to_array(folded, ' ');
  number int := cardinality(words);
BEGIN
  NEW.search_key_1 := folded;
  NEW.search_key_2 := CASE WHEN number > 1 THEN array_to_string(words[2:] || words[:1], ' ') END;
  NEW.search_key_3 := CASE WHEN number > 2 THEN array_to_string(words[3:] || words[:2], ' ') END;
  NEW.search_key_4 := CASE WHEN number > 3 THEN array_to_string(words[4:] || words[:3], ' ') END;
  NEW.search_key_5 := CASE WHEN number > 4 THEN array_to_string(words[5:] || words[:4], ' ') END;
  RETURN NEW;
END $$;

CREATE TRIGGER employees_search_keys BEFORE INSERT OR UPDATE OF first_name, last_name, search_key_1 ON employees
  FOR EACH ROW EXECUTE FUNCTION set_employee_search_keys();

-- Events

-- Adds events of one account. The setting app.actor is the JSON object {"user": …, "application": …} of who makes the change.
-- An account that is being deleted gets none. Citus rejects INSERT ... SELECT from a transition table, so the callers pass
-- arrays. `changes` has the names of the changed attributes of each resource, separated by commas. The time is a variable,
-- because Citus rejects volatile functions in an UPDATE. It is read before the row of the account is locked; the times of a feed
-- still never decrease.
CREATE FUNCTION add_events(for_account text, of_type text, resources text[], changes text[], contents json[])
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  actor jsonb := nullif(current_setting('app.actor', true), '')::jsonb;
  added bigint := cardinality(resources);
  changed_at timestamptz := clock_timestamp();
  wakes boolean;
BEGIN
  UPDATE account_totals
  SET events = events + added, last_event_at = greatest(last_event_at, changed_at)
  WHERE account_id = for_account RETURNING has_webhooks INTO wakes;

  INSERT INTO events
    (account_id, position, type, occurred_at, user_id, application_id, resource_id, changed, attributes)
  SELECT account_totals.account_id, account_totals.events - added + given.number, of_type, account_totals.last_event_at,
    actor ->> 'user', actor ->> 'application', given.resource, coalesce(string_to_array(given.change, ','), '{}'),
    given.content
  FROM account_totals
  CROSS JOIN unnest(resources, changes, contents) WITH ORDINALITY AS given (resource, change, content, number)
  WHERE account_totals.account_id = for_account;

  IF wakes THEN INSERT INTO webhook_wakeups (account_id) VALUES (for_account); END IF;
END $$;

-- The earlier events of deleted resources lose their attributes.
CREATE FUNCTION erase_events(for_account text, resources text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE events SET attributes = NULL
  WHERE account_id = for_account AND resource_id = ANY (resources) AND attributes IS NOT NULL;
END $$;

CREATE FUNCTION employees_created_events() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_events(account_id, 'employee.created', ids, NULL, contents)
  FROM (
    SELECT account_id, array_agg(id ORDER BY position) AS ids, array_agg(content ORDER BY position) AS contents
    FROM (
      SELECT account_id, id, position, (SELECT row_to_json(attributes) FROM (
        SELECT changed.employee_number, changed.first_name, changed.last_name, changed.email, changed.status,
          changed.department, changed.job_title, changed.location, changed.hire_date, changed.termination_date,
          changed.manager_id, changed.updated_at
      ) attributes) AS content
      FROM changed
    ) created
    GROUP BY account_id ORDER BY account_id
  ) account;
  RETURN NULL;
END $$;

CREATE FUNCTION employees_updated_events() RETURNS trigger
LANGUAGE plpgsql SET enable_nestloop = off SET jit = off AS $$
BEGIN
  PERFORM add_events(account_id, 'employee.updated', ids, changes, contents)
  FROM (
    SELECT account_id, array_agg(id ORDER BY position) AS ids, array_agg(changes ORDER BY position) AS changes,
      array_agg(content ORDER BY position) AS contents
    FROM (
      SELECT a.account_id, a.id, a.position,
        concat_ws(',',
          CASE WHEN a.employee_number IS DISTINCT FROM b.employee_number THEN 'employee_number' END,
          CASE WHEN a.first_name IS DISTINCT FROM b.first_name THEN 'first_name' END,
          CASE WHEN a.last_name IS DISTINCT FROM b.last_name THEN 'last_name' END,
          CASE WHEN a.email IS DISTINCT FROM b.email THEN 'email' END,
          CASE WHEN a.status IS DISTINCT FROM b.status THEN 'status' END,
          CASE WHEN a.department IS DISTINCT FROM b.department THEN 'department' END,
          CASE WHEN a.job_title IS DISTINCT FROM b.job_title THEN 'job_title' END,
          CASE WHEN a.location IS DISTINCT FROM b.location THEN 'location' END,
          CASE WHEN a.hire_date IS DISTINCT FROM b.hire_date THEN 'hire_date' END,
          CASE WHEN a.termination_date IS DISTINCT FROM b.termination_date THEN 'termination_date' END,
          CASE WHEN a.manager_id IS DISTINCT FROM b.manager_id THEN 'manager_id' END
        ) AS changes,
        (SELECT row_to_json(attributes) FROM (
          SELECT a.employee_number, a.first_name, a.last_name, a.email, a.status, a.department, a.job_title, a.location,
            a.hire_date, a.termination_date, a.manager_id, a.updated_at
        ) attributes) AS content
      FROM after_change a JOIN before_change b ON b.account_id = a.account_id AND b.id = a.id
    ) updated
    WHERE changes <> ''
    GROUP BY account_id ORDER BY account_id
  ) account;
  RETURN NULL;
END $$;

CREATE FUNCTION employees_deleted_events() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM erase_events(account_id, ids), add_events(account_id, 'employee.deleted', ids, NULL, contents)
  FROM (
    SELECT account_id, array_agg(id ORDER BY position) AS ids, 
      array_agg(json_build_object('employee_number', employee_number) ORDER BY position) AS contents
    FROM changed GROUP BY account_id ORDER BY account_id
  ) account;
  RETURN NULL;
END $$;

CREATE TRIGGER employees_events_after_insert AFTER INSERT ON employees
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION employees_created_events();
CREATE TRIGGER employees_events_after_update AFTER UPDATE ON employees
  REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change
  FOR EACH STATEMENT EXECUTE FUNCTION employees_updated_events();
CREATE TRIGGER employees_events_after_delete AFTER DELETE ON employees
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION employees_deleted_events();

CREATE FUNCTION reports_created_events() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_events(account_id, 'report.created', ids, NULL, contents)
  FROM (
    SELECT account_id, array_agg(id) AS ids, array_agg(content) AS contents
    FROM (
      SELECT account_id, id, (SELECT row_to_json(attributes) FROM (
        SELECT changed.title, changed.description, changed.columns, changed.filters, changed.sort, changed.group_by,
          changed.created_at, changed.updated_at
      ) attributes) AS content
      FROM changed
    ) created
    GROUP BY account_id ORDER BY account_id
  ) account;
  RETURN NULL;
END $$;

CREATE FUNCTION reports_updated_events() RETURNS trigger
LANGUAGE plpgsql SET enable_nestloop = off SET jit = off AS $$
BEGIN
  PERFORM add_events(account_id, 'report.updated', ids, changes, contents)
  FROM (
    SELECT account_id, array_agg(id) AS ids, array_agg(changes) AS changes,
      array_agg(content) AS contents
    FROM (
      SELECT a.account_id, a.id,
        concat_ws(',',
          CASE WHEN a.title IS DISTINCT FROM b.title THEN 'title' END,
          CASE WHEN a.description IS DISTINCT FROM b.description THEN 'description' END,
          CASE WHEN a.columns IS DISTINCT FROM b.columns THEN 'columns' END,
          CASE WHEN a.filters IS DISTINCT FROM b.filters THEN 'filters' END,
          CASE WHEN a.sort IS DISTINCT FROM b.sort THEN 'sort' END,
          CASE WHEN a.group_by IS DISTINCT FROM b.group_by THEN 'group_by' END
        ) AS changes,
        (SELECT row_to_json(attributes) FROM (
          SELECT a.title, a.description, a.columns, a.filters, a.sort, a.group_by, a.created_at, a.updated_at
        ) attributes) AS content
      FROM after_change a JOIN before_change b ON b.account_id = a.account_id AND b.id = a.id
    ) updated
    WHERE changes <> ''
    GROUP BY account_id ORDER BY account_id
  ) account;
  RETURN NULL;
END $$;

CREATE FUNCTION reports_deleted_events() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM erase_events(account_id, ids), add_events(account_id, 'report.deleted', ids, NULL, contents)
  FROM (
    SELECT account_id, array_agg(id) AS ids, NULL::json[] AS contents
    FROM changed GROUP BY account_id ORDER BY account_id
  ) account;
  RETURN NULL;
END $$;

CREATE TRIGGER reports_events_after_insert AFTER INSERT ON reports
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION reports_created_events();
CREATE TRIGGER reports_events_after_update AFTER UPDATE ON reports
  REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change
  FOR EACH STATEMENT EXECUTE FUNCTION reports_updated_events();
CREATE TRIGGER reports_events_after_delete AFTER DELETE ON reports
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION reports_deleted_events();

-- Row-level security
--
-- A second layer of isolation, in addition to the conditions of every query: a statement reads and writes only rows of the
-- accounts in the setting app.accounts. The setting is a list of account ids separated by commas, or * for work on all
-- accounts, such as housekeeping. Without it there are no rows.
--
-- The policies apply to the owner of the tables as well. They never apply to superusers and roles with BYPASSRLS: in their
-- sessions the service sets the role people_api_tenant, which has neither attribute and owns nothing.
--
-- A policy compares the account_id of the row, without a subquery. It is a CASE for two reasons: the setting is read once for
-- each row, and the planner estimates that half of the rows pass, so that the conditions of the query determine the plan.

DO $$
DECLARE
  name text;
  account text;
BEGIN
  FOR name, account IN
    SELECT 'accounts', 'id'
    UNION ALL
    SELECT unnest(ARRAY[
      'users', 'applications', 'application_secrets', 'employees', 'employee_counts', 'employee_facets',
      'employee_location_facets', 'reports', 'account_totals', 'grants', 'authorization_codes', 'refresh_tokens',
      'revoked_access_tokens', 'sessions', 'one_time_links', 'totp_factors', 'passkeys', 'recovery_codes',
      'identity_providers', 'user_identities', 'account_domains', 'sign_in_requests', 'employee_imports',
      'employee_import_chunks', 'employee_import_errors', 'events', 'webhook_endpoints', 'webhook_attempts',
      'webhook_wakeups', 'audit_events', 'api_usage', 'rejected_requests', 'idempotency_keys',
      'idempotency_key_counts', 'write_positions']), 'account_id'
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    EXECUTE format($policy$
      CREATE POLICY tenant ON %I USING (
        CASE current_setting('app.accounts', true)
          WHEN %I THEN true
          WHEN '*' THEN true
          ELSE %2$I = ANY (string_to_array(current_setting('app.accounts', true), ','))
        END)
      $policy$, name, account);
  END LOOP;
END $$;

-- Events of no account can be inserted in any scope, and read in the scope of all accounts.
ALTER TABLE system_events ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON system_events USING (current_setting('app.accounts', true) = '*');
CREATE POLICY record ON system_events FOR INSERT WITH CHECK (true);

-- The role for users to whom policies do not apply. Roles belong to the server, not to the database, so it may exist.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls)) THEN
    BEGIN
      CREATE ROLE people_api_tenant NOLOGIN;
    EXCEPTION
      WHEN duplicate_object OR unique_violation THEN NULL;
      WHEN insufficient_privilege THEN
        RAISE WARNING 'the role people_api_tenant could not be created: row-level security does not apply to this user';
    END;
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'people_api_tenant') THEN
    -- Since PostgreSQL 16, the user who creates a role is a member but may not set the role.
    IF NOT pg_has_role('people_api_tenant',
        CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END) THEN
      GRANT people_api_tenant TO CURRENT_USER;
    END IF;
    GRANT EXECUTE ON FUNCTION employee_position_at(text, bigint) TO people_api_tenant;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO people_api_tenant', current_schema());
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO people_api_tenant',
      current_schema());
    -- For the tables of later migrations.
    EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I
      GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO people_api_tenant', current_schema());
  END IF;
EXCEPTION
  -- The role belongs to another user. Either policies apply to this user without it, or the service logs a warning and does
  -- not start in production.
  WHEN insufficient_privilege THEN NULL;
END $$;
