-- The tables are in two groups.
--
-- Account data. Every row belongs to one account. account_id is the first column of every primary key, unique key and
-- foreign key, so that no key refers to another account.
--
-- The identity group. These keys are global, because the account is unknown when they are looked up:
--   accounts (id, employee_prefix), users (email), applications (client_id), authorization_codes (code_hash),
--   refresh_tokens (token_hash), sessions (id_hash), revoked_access_tokens (jti).
-- Each of these tables except accounts has account_id as a column, and its foreign keys start with it.
--
-- The other tables belong to no account: signing_keys, issuer, system_events, submitted_forms, failure_counts,
-- request_counts.
--
-- Every text column except arrays has the collation "C". It compares by code point, on every server and in every locale.

-- Tables and primary keys

CREATE TABLE accounts (
  id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  employee_prefix text COLLATE "C" NOT NULL,
  employee_sequence bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT accounts_pkey PRIMARY KEY (id)
);

CREATE TABLE users (
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  email text COLLATE "C" NOT NULL,
  email_verified boolean NOT NULL DEFAULT false,
  password_hash text COLLATE "C" NOT NULL,
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
  CONSTRAINT users_pkey PRIMARY KEY (account_id, id)
);

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
  CONSTRAINT applications_pkey PRIMARY KEY (account_id, id)
);

CREATE TABLE application_secrets (
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  application_id text COLLATE "C" NOT NULL,
  secret_hash bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  last_used_at timestamptz(3),
  CONSTRAINT application_secrets_pkey PRIMARY KEY (account_id, id)
);

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
  -- Whether the JSON text of the record has escapes. Records without escapes are written in half the time.
  has_escapes boolean NOT NULL GENERATED ALWAYS AS (
    employee_number || first_name || last_name || email || status || department ~ '["\\[:cntrl:]]') STORED,
  CONSTRAINT employees_pkey PRIMARY KEY (account_id, position)
);

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
  CONSTRAINT employee_counts_pkey PRIMARY KEY (account_id, level, bucket)
) WITH (fillfactor = 70);

CREATE TABLE employee_facets (
  account_id text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  department text COLLATE "C" NOT NULL,
  count integer NOT NULL,
  CONSTRAINT employee_facets_pkey PRIMARY KEY (account_id, status, department)
) WITH (fillfactor = 50);

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
  CONSTRAINT reports_pkey PRIMARY KEY (account_id, id)
);

CREATE TABLE account_totals (
  account_id text COLLATE "C" NOT NULL,
  reports integer NOT NULL DEFAULT 0,
  CONSTRAINT account_totals_pkey PRIMARY KEY (account_id)
) WITH (fillfactor = 50);

CREATE TABLE grants (
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  application_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  scopes text[] NOT NULL DEFAULT ARRAY[]::text[],
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  revoked_at timestamptz(3),
  CONSTRAINT grants_pkey PRIMARY KEY (account_id, id)
);

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
  CONSTRAINT authorization_codes_pkey PRIMARY KEY (code_hash)
);

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
  CONSTRAINT refresh_tokens_pkey PRIMARY KEY (token_hash)
);

CREATE TABLE sessions (
  id_hash bytea NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  last_seen_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(3) NOT NULL,
  address text COLLATE "C",
  user_agent text COLLATE "C",
  CONSTRAINT sessions_pkey PRIMARY KEY (id_hash)
);

CREATE TABLE revoked_access_tokens (
  jti text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT revoked_access_tokens_pkey PRIMARY KEY (jti)
);

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
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (account_id, application_id, user_id, key)
);

-- The number of idempotency keys of each application. The service changes it in the transactions that insert and delete
-- keys, always as the last lock. A trigger would lock the row while the request waits for other locks.
CREATE TABLE idempotency_key_counts (
  account_id text COLLATE "C" NOT NULL,
  application_id text COLLATE "C" NOT NULL,
  keys integer NOT NULL,
  CONSTRAINT idempotency_key_counts_pkey PRIMARY KEY (account_id, application_id)
) WITH (fillfactor = 50);

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
  CONSTRAINT audit_events_pkey PRIMARY KEY (account_id, id)
);

-- The same for events of no account, such as a sign-in with an unknown e-mail address or a rotation of signing keys.
CREATE TABLE system_events (
  id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  address text COLLATE "C",
  request_id text COLLATE "C",
  details jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT system_events_pkey PRIMARY KEY (id)
);

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
  CONSTRAINT api_usage_pkey PRIMARY KEY (account_id, application_id, hour, operation, user_id)
) WITH (fillfactor = 70);

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
  CONSTRAINT rejected_requests_pkey PRIMARY KEY (account_id, application_id, created_at, id)
);

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

-- The issuer of tokens, which is the BASE_URL of the first start. There is one row.
CREATE TABLE issuer (
  id integer NOT NULL DEFAULT 1,
  url text COLLATE "C" NOT NULL,
  recorded_at timestamptz(3) NOT NULL,
  CONSTRAINT issuer_pkey PRIMARY KEY (id)
);

-- Submitted forms. Repeated submissions are ignored.
CREATE TABLE submitted_forms (
  key bytea NOT NULL,
  result_id text COLLATE "C" NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT submitted_forms_pkey PRIMARY KEY (key)
);

-- Failed sign-ins and client authentications, counted for all processes together.
CREATE TABLE failure_counts (
  key text COLLATE "C" NOT NULL,
  points integer NOT NULL,
  expire timestamptz(3),
  CONSTRAINT failure_counts_pkey PRIMARY KEY (key)
);

-- Requests of each caller in the current minute. Nearly every request writes it, and its content need not survive a crash,
-- so it is unlogged.
CREATE UNLOGGED TABLE request_counts (
  key text COLLATE "C" NOT NULL,
  points integer NOT NULL,
  expire timestamptz(3),
  CONSTRAINT request_counts_pkey PRIMARY KEY (key)
) WITH (fillfactor = 50);

-- Unique keys

CREATE UNIQUE INDEX accounts_employee_prefix_key ON accounts (employee_prefix);
CREATE UNIQUE INDEX users_email_key ON users (email);
CREATE UNIQUE INDEX applications_client_id_key ON applications (client_id);
CREATE UNIQUE INDEX employees_account_id_employee_number_key ON employees (account_id, employee_number);

-- Foreign keys

ALTER TABLE users
  ADD CONSTRAINT users_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE applications
  ADD CONSTRAINT applications_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE application_secrets
  ADD CONSTRAINT application_secrets_account_id_application_id_fkey FOREIGN KEY (account_id, application_id)
    REFERENCES applications (account_id, id) ON DELETE CASCADE;
ALTER TABLE employees
  ADD CONSTRAINT employees_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE employee_counts
  ADD CONSTRAINT employee_counts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE employee_facets
  ADD CONSTRAINT employee_facets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE reports
  ADD CONSTRAINT reports_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE account_totals
  ADD CONSTRAINT account_totals_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE grants
  ADD CONSTRAINT grants_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  ADD CONSTRAINT grants_account_id_application_id_fkey FOREIGN KEY (account_id, application_id)
    REFERENCES applications (account_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT grants_account_id_user_id_fkey FOREIGN KEY (account_id, user_id)
    REFERENCES users (account_id, id) ON DELETE CASCADE;
ALTER TABLE authorization_codes
  ADD CONSTRAINT authorization_codes_account_id_application_id_fkey FOREIGN KEY (account_id, application_id)
    REFERENCES applications (account_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT authorization_codes_account_id_user_id_fkey FOREIGN KEY (account_id, user_id)
    REFERENCES users (account_id, id) ON DELETE CASCADE,
  ADD CONSTRAINT authorization_codes_account_id_grant_id_fkey FOREIGN KEY (account_id, grant_id)
    REFERENCES grants (account_id, id) ON DELETE CASCADE;
ALTER TABLE refresh_tokens
  ADD CONSTRAINT refresh_tokens_account_id_grant_id_fkey FOREIGN KEY (account_id, grant_id)
    REFERENCES grants (account_id, id) ON DELETE CASCADE;
ALTER TABLE sessions
  ADD CONSTRAINT sessions_account_id_user_id_fkey FOREIGN KEY (account_id, user_id)
    REFERENCES users (account_id, id) ON DELETE CASCADE;
ALTER TABLE revoked_access_tokens
  ADD CONSTRAINT revoked_access_tokens_account_id_fkey FOREIGN KEY (account_id)
    REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE idempotency_keys
  ADD CONSTRAINT idempotency_keys_account_id_application_id_fkey FOREIGN KEY (account_id, application_id)
    REFERENCES applications (account_id, id) ON DELETE CASCADE;
ALTER TABLE idempotency_key_counts
  ADD CONSTRAINT idempotency_key_counts_account_id_application_id_fkey FOREIGN KEY (account_id, application_id)
    REFERENCES applications (account_id, id) ON DELETE CASCADE;
ALTER TABLE audit_events
  ADD CONSTRAINT audit_events_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE api_usage
  ADD CONSTRAINT api_usage_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;
ALTER TABLE rejected_requests
  ADD CONSTRAINT rejected_requests_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;

-- Indexes for lists, in their order. The position orders employees with equal values.

CREATE INDEX employees_account_id_status_position_idx ON employees (account_id, status, position);
CREATE INDEX employees_account_id_department_position_idx ON employees (account_id, department, position);
CREATE INDEX employees_account_id_email_position_idx ON employees (account_id, email, position);
CREATE INDEX employees_account_id_updated_at_position_idx ON employees (account_id, updated_at, position);
CREATE INDEX employees_account_id_last_name_first_name_position_idx
  ON employees (account_id, last_name, first_name, position);
CREATE INDEX employees_account_id_first_name_position_idx ON employees (account_id, first_name, position);
CREATE INDEX audit_events_account_id_created_at_id_idx ON audit_events (account_id, created_at DESC, id);
CREATE INDEX audit_events_account_id_type_created_at_id_idx ON audit_events (account_id, type, created_at DESC, id);

-- Indexes for foreign keys: the rows of an application, a user or a grant are found, and deleted with it.

CREATE INDEX application_secrets_account_id_application_id_idx ON application_secrets (account_id, application_id);
CREATE INDEX grants_account_id_application_id_user_id_idx ON grants (account_id, application_id, user_id);
CREATE INDEX grants_account_id_user_id_idx ON grants (account_id, user_id);
CREATE INDEX authorization_codes_account_id_application_id_idx ON authorization_codes (account_id, application_id);
CREATE INDEX authorization_codes_account_id_user_id_idx ON authorization_codes (account_id, user_id);
CREATE INDEX authorization_codes_account_id_grant_id_idx ON authorization_codes (account_id, grant_id);
CREATE INDEX refresh_tokens_account_id_grant_id_expires_at_idx ON refresh_tokens (account_id, grant_id, expires_at);
CREATE INDEX sessions_account_id_user_id_idx ON sessions (account_id, user_id);
CREATE INDEX revoked_access_tokens_account_id_idx ON revoked_access_tokens (account_id);

-- Indexes for housekeeping, which deletes by age in all accounts

CREATE INDEX authorization_codes_expires_at_idx ON authorization_codes (expires_at);
CREATE INDEX refresh_tokens_expires_at_idx ON refresh_tokens (expires_at);
CREATE INDEX sessions_expires_at_idx ON sessions (expires_at);
CREATE INDEX revoked_access_tokens_expires_at_idx ON revoked_access_tokens (expires_at);
CREATE INDEX idempotency_keys_expires_at_idx ON idempotency_keys (expires_at);
CREATE INDEX audit_events_created_at_idx ON audit_events (created_at);
CREATE INDEX system_events_created_at_idx ON system_events (created_at);
CREATE INDEX api_usage_hour_idx ON api_usage (hour);
CREATE INDEX rejected_requests_created_at_idx ON rejected_requests (created_at);
CREATE INDEX signing_keys_expires_at_idx ON signing_keys (expires_at);
CREATE INDEX submitted_forms_expires_at_idx ON submitted_forms (expires_at);
CREATE INDEX failure_counts_expire_idx ON failure_counts (expire);
CREATE INDEX request_counts_expire_idx ON request_counts (expire);

-- Check constraints

ALTER TABLE accounts ADD CONSTRAINT accounts_employee_prefix_check CHECK (employee_prefix ~ '^[a-z0-9]{8}$');
ALTER TABLE users
  ADD CONSTRAINT users_email_check CHECK (email = lower(email)),
  ADD CONSTRAINT users_role_check CHECK (role IN ('owner', 'admin', 'member'));
ALTER TABLE applications
  ADD CONSTRAINT applications_client_type_check CHECK (client_type IN ('confidential', 'public'));
-- Eight digits in base 36.
ALTER TABLE employees
  ADD CONSTRAINT employees_position_check CHECK (position >= 0 AND position < 2821109907456);
ALTER TABLE employee_counts ADD CONSTRAINT employee_counts_count_check CHECK (count > 0);
ALTER TABLE employee_facets ADD CONSTRAINT employee_facets_count_check CHECK (count > 0);
ALTER TABLE account_totals ADD CONSTRAINT account_totals_reports_check CHECK (reports >= 0);
ALTER TABLE issuer ADD CONSTRAINT issuer_id_check CHECK (id = 1);

-- Counts, maintained by triggers. A trigger writes only rows of the accounts whose rows the statement changed, which may be
-- several.

-- Locks accounts in the order of their ids, so that concurrent writers do not deadlock, and returns those that exist. The
-- counts of a deleted account are deleted with it.
CREATE FUNCTION lock_accounts(account_ids text[]) RETURNS text[]
LANGUAGE sql VOLATILE AS $$
  SELECT array_agg(locked.id)
  FROM (SELECT id FROM accounts WHERE id = ANY (account_ids) ORDER BY id FOR NO KEY UPDATE) locked
$$;

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

-- `changed` holds the rows that a statement added or removed.
CREATE FUNCTION employees_added_or_removed() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  sign int := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
  present text[] := lock_accounts(ARRAY(SELECT DISTINCT account_id FROM changed));
BEGIN
  IF present IS NULL THEN RETURN NULL; END IF;

  PERFORM add_to_employee_count(node.account_id, node.level, node.bucket, sign * node.rows)
  FROM (
    SELECT leaf.account_id, tree.level, leaf.bucket >> tree.shift AS bucket, sum(leaf.rows)::bigint AS rows
    FROM (
      SELECT account_id, position >> 6 AS bucket, count(*) AS rows
      FROM changed WHERE account_id = ANY (present) GROUP BY 1, 2
    ) leaf
    CROSS JOIN (VALUES (0::smallint, 0), (1::smallint, 6), (2::smallint, 12), (3::smallint, 18), (4::smallint, 63))
      AS tree (level, shift)
    GROUP BY 1, 2, 3
  ) node;

  PERFORM add_to_employee_facet(facet.account_id, facet.status, facet.department, sign * facet.rows)
  FROM (
    SELECT account_id, status, department, count(*) AS rows
    FROM changed WHERE account_id = ANY (present) GROUP BY 1, 2, 3
  ) facet;
  RETURN NULL;
END $$;

CREATE FUNCTION employees_changed() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  -- Only accounts with rows that move to another facet, so that a change of name does not wait for other writers.
  moving text[] := ARRAY(
    SELECT DISTINCT a.account_id
    FROM after_change a JOIN before_change b ON b.account_id = a.account_id AND b.position = a.position
    WHERE (a.status, a.department) IS DISTINCT FROM (b.status, b.department)
  );
BEGIN
  IF cardinality(moving) = 0 THEN RETURN NULL; END IF;
  moving := lock_accounts(moving);

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
  RETURN NULL;
END $$;

CREATE FUNCTION employees_truncated() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  -- Row-level security does not apply to TRUNCATE.
  TRUNCATE employee_counts, employee_facets;
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

CREATE FUNCTION reports_added_or_removed() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO account_totals AS t (account_id, reports)
    SELECT account_id, count(*) FROM changed GROUP BY account_id ORDER BY account_id
    ON CONFLICT (account_id) DO UPDATE SET reports = t.reports + excluded.reports;
  ELSE
    UPDATE account_totals t SET reports = t.reports - removed.rows
    FROM (SELECT account_id, count(*) AS rows FROM changed GROUP BY account_id) removed
    WHERE t.account_id = removed.account_id;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION reports_truncated() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE account_totals;
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
      'users', 'applications', 'application_secrets', 'employees', 'employee_counts', 'employee_facets', 'reports',
      'account_totals', 'grants', 'authorization_codes', 'refresh_tokens', 'sessions', 'revoked_access_tokens',
      'idempotency_keys', 'idempotency_key_counts', 'audit_events', 'api_usage', 'rejected_requests']), 'account_id'
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
