-- Every text column has collation "C": order and comparison are by code point, the same on every engine,
-- whatever locale the database was created with.

-- CreateTable
CREATE TABLE "accounts" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "employee_prefix" TEXT COLLATE "C" NOT NULL,
    "employee_sequence" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "users" (
    "id" TEXT COLLATE "C" NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "email" TEXT COLLATE "C" NOT NULL,
    "email_verified" BOOLEAN NOT NULL DEFAULT false,
    "password_hash" TEXT COLLATE "C" NOT NULL,
    "role" TEXT COLLATE "C" NOT NULL,
    "given_name" TEXT COLLATE "C" NOT NULL,
    "family_name" TEXT COLLATE "C" NOT NULL,
    "nickname" TEXT COLLATE "C",
    "picture" TEXT COLLATE "C",
    "locale" TEXT COLLATE "C",
    "zoneinfo" TEXT COLLATE "C",
    "phone_number" TEXT COLLATE "C",
    "phone_number_verified" BOOLEAN NOT NULL DEFAULT false,
    "disabled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "applications" (
    "id" TEXT COLLATE "C" NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "client_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "client_type" TEXT COLLATE "C" NOT NULL,
    "redirect_uris" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "scopes" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "created_by_id" TEXT COLLATE "C",
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "applications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "application_secrets" (
    "id" TEXT COLLATE "C" NOT NULL,
    "application_id" TEXT COLLATE "C" NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "application_secrets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "employees" (
    "id" TEXT COLLATE "C" NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "position" BIGINT NOT NULL,
    "employee_number" TEXT COLLATE "C" NOT NULL,
    "first_name" TEXT COLLATE "C" NOT NULL,
    "last_name" TEXT COLLATE "C" NOT NULL,
    "email" TEXT COLLATE "C" NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL,
    "department" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "employees_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "employee_counts" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "level" SMALLINT NOT NULL,
    "bucket" BIGINT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "employee_counts_pkey" PRIMARY KEY ("account_id","level","bucket")
);

-- CreateTable
CREATE TABLE "employee_facets" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "status" TEXT COLLATE "C" NOT NULL,
    "department" TEXT COLLATE "C" NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "employee_facets_pkey" PRIMARY KEY ("account_id","status","department")
);

-- CreateTable
CREATE TABLE "reports" (
    "id" TEXT COLLATE "C" NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "title" TEXT COLLATE "C" NOT NULL,
    "description" TEXT COLLATE "C",
    "columns" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "filters" JSONB NOT NULL DEFAULT '[]',
    "sort" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "group_by" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "created_by_user_id" TEXT COLLATE "C",
    "created_by_application_id" TEXT COLLATE "C",
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "reports_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account_totals" (
    "account_id" TEXT COLLATE "C" NOT NULL,
    "reports" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "account_totals_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "grants" (
    "id" TEXT COLLATE "C" NOT NULL,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "application_id" TEXT COLLATE "C" NOT NULL,
    "user_id" TEXT COLLATE "C" NOT NULL,
    "scopes" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "grants_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "authorization_codes" (
    "code_hash" BYTEA NOT NULL,
    "application_id" TEXT COLLATE "C" NOT NULL,
    "user_id" TEXT COLLATE "C" NOT NULL,
    "grant_id" TEXT COLLATE "C",
    "redirect_uri" TEXT COLLATE "C" NOT NULL,
    "scopes" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "code_challenge" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "authorization_codes_pkey" PRIMARY KEY ("code_hash")
);

-- CreateTable
CREATE TABLE "refresh_tokens" (
    "token_hash" BYTEA NOT NULL,
    "grant_id" TEXT COLLATE "C" NOT NULL,
    "scopes" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "refresh_tokens_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "revoked_access_tokens" (
    "jti" TEXT COLLATE "C" NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "revoked_access_tokens_pkey" PRIMARY KEY ("jti")
);

-- CreateTable
CREATE TABLE "signing_keys" (
    "kid" TEXT COLLATE "C" NOT NULL,
    "algorithm" TEXT COLLATE "C" NOT NULL,
    "private_key" TEXT COLLATE "C" NOT NULL,
    "public_key" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "retired_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "signing_keys_pkey" PRIMARY KEY ("kid")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id_hash" BYTEA NOT NULL,
    "user_id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "address" TEXT COLLATE "C",
    "user_agent" TEXT COLLATE "C",

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id_hash")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "application_id" TEXT COLLATE "C" NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "operation" TEXT COLLATE "C" NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "status" INTEGER,
    "headers" JSONB,
    "body" TEXT COLLATE "C",
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "locked_until" TIMESTAMPTZ(3),

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("application_id","key")
);

-- CreateTable
CREATE TABLE "audit_events" (
    "id" TEXT COLLATE "C" NOT NULL,
    "account_id" TEXT COLLATE "C",
    "type" TEXT COLLATE "C" NOT NULL,
    "user_id" TEXT COLLATE "C",
    "application_id" TEXT COLLATE "C",
    "address" TEXT COLLATE "C",
    "request_id" TEXT COLLATE "C",
    "details" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_events_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "accounts_employee_prefix_key" ON "accounts"("employee_prefix");

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE INDEX "users_account_id_id_idx" ON "users"("account_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "applications_client_id_key" ON "applications"("client_id");

-- CreateIndex
CREATE INDEX "applications_account_id_id_idx" ON "applications"("account_id", "id");

-- CreateIndex
CREATE INDEX "applications_created_by_id_idx" ON "applications"("created_by_id");

-- CreateIndex
CREATE INDEX "application_secrets_application_id_idx" ON "application_secrets"("application_id");

-- CreateIndex
CREATE INDEX "employees_account_id_status_position_idx" ON "employees"("account_id", "status", "position");

-- CreateIndex
CREATE INDEX "employees_account_id_department_position_idx" ON "employees"("account_id", "department", "position");

-- CreateIndex
CREATE INDEX "employees_account_id_email_position_idx" ON "employees"("account_id", "email", "position");

-- CreateIndex
CREATE INDEX "employees_account_id_updated_at_position_idx" ON "employees"("account_id", "updated_at", "position");

-- CreateIndex
CREATE INDEX "employees_account_id_last_name_first_name_position_idx" ON "employees"("account_id", "last_name", "first_name", "position");

-- CreateIndex
CREATE INDEX "employees_account_id_first_name_position_idx" ON "employees"("account_id", "first_name", "position");

-- CreateIndex
CREATE UNIQUE INDEX "employees_account_id_position_key" ON "employees"("account_id", "position");

-- CreateIndex
CREATE UNIQUE INDEX "employees_account_id_employee_number_key" ON "employees"("account_id", "employee_number");

-- CreateIndex
CREATE INDEX "reports_account_id_id_idx" ON "reports"("account_id", "id");

-- CreateIndex
CREATE INDEX "reports_created_by_user_id_idx" ON "reports"("created_by_user_id");

-- CreateIndex
CREATE INDEX "reports_created_by_application_id_idx" ON "reports"("created_by_application_id");

-- CreateIndex
CREATE INDEX "grants_account_id_id_idx" ON "grants"("account_id", "id");

-- CreateIndex
CREATE INDEX "grants_application_id_user_id_idx" ON "grants"("application_id", "user_id");

-- CreateIndex
CREATE INDEX "grants_user_id_idx" ON "grants"("user_id");

-- CreateIndex
CREATE INDEX "authorization_codes_application_id_idx" ON "authorization_codes"("application_id");

-- CreateIndex
CREATE INDEX "authorization_codes_user_id_idx" ON "authorization_codes"("user_id");

-- CreateIndex
CREATE INDEX "authorization_codes_grant_id_idx" ON "authorization_codes"("grant_id");

-- CreateIndex
CREATE INDEX "authorization_codes_expires_at_idx" ON "authorization_codes"("expires_at");

-- CreateIndex
CREATE INDEX "refresh_tokens_grant_id_expires_at_idx" ON "refresh_tokens"("grant_id", "expires_at");

-- CreateIndex
CREATE INDEX "refresh_tokens_expires_at_idx" ON "refresh_tokens"("expires_at");

-- CreateIndex
CREATE INDEX "revoked_access_tokens_expires_at_idx" ON "revoked_access_tokens"("expires_at");

-- CreateIndex
CREATE INDEX "signing_keys_expires_at_idx" ON "signing_keys"("expires_at");

-- CreateIndex
CREATE INDEX "sessions_user_id_idx" ON "sessions"("user_id");

-- CreateIndex
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- CreateIndex
CREATE INDEX "audit_events_account_id_created_at_id_idx" ON "audit_events"("account_id", "created_at" DESC, "id");

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "applications" ADD CONSTRAINT "applications_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "applications" ADD CONSTRAINT "applications_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "application_secrets" ADD CONSTRAINT "application_secrets_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "employees" ADD CONSTRAINT "employees_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "employee_counts" ADD CONSTRAINT "employee_counts_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "employee_facets" ADD CONSTRAINT "employee_facets_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reports" ADD CONSTRAINT "reports_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reports" ADD CONSTRAINT "reports_created_by_user_id_fkey" FOREIGN KEY ("created_by_user_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reports" ADD CONSTRAINT "reports_created_by_application_id_fkey" FOREIGN KEY ("created_by_application_id") REFERENCES "applications"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account_totals" ADD CONSTRAINT "account_totals_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "grants" ADD CONSTRAINT "grants_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "grants" ADD CONSTRAINT "grants_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "grants" ADD CONSTRAINT "grants_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "authorization_codes" ADD CONSTRAINT "authorization_codes_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "authorization_codes" ADD CONSTRAINT "authorization_codes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "authorization_codes" ADD CONSTRAINT "authorization_codes_grant_id_fkey" FOREIGN KEY ("grant_id") REFERENCES "grants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "refresh_tokens" ADD CONSTRAINT "refresh_tokens_grant_id_fkey" FOREIGN KEY ("grant_id") REFERENCES "grants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_application_id_fkey" FOREIGN KEY ("application_id") REFERENCES "applications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Rules that the Prisma schema cannot say.
ALTER TABLE "accounts"
  ADD CONSTRAINT "accounts_employee_prefix_check" CHECK ("employee_prefix" ~ '^[a-z0-9]{8}$');
ALTER TABLE "users"
  ADD CONSTRAINT "users_email_check" CHECK ("email" = lower("email")),
  ADD CONSTRAINT "users_role_check" CHECK ("role" IN ('owner', 'admin', 'member'));
ALTER TABLE "applications"
  ADD CONSTRAINT "applications_client_type_check" CHECK ("client_type" IN ('confidential', 'public'));
-- Eight digits in base 36.
ALTER TABLE "employees"
  ADD CONSTRAINT "employees_position_check" CHECK ("position" >= 0 AND "position" < 2821109907456);
ALTER TABLE "employee_counts" ADD CONSTRAINT "employee_counts_count_check" CHECK ("count" > 0);
ALTER TABLE "employee_facets" ADD CONSTRAINT "employee_facets_count_check" CHECK ("count" > 0);
ALTER TABLE "account_totals" ADD CONSTRAINT "account_totals_reports_check" CHECK ("reports" >= 0);

-- Rows that are rewritten all the time: free space on the page keeps the new version beside the old one.
ALTER TABLE "employee_counts" SET (fillfactor = 70);
ALTER TABLE "employee_facets" SET (fillfactor = 50);
ALTER TABLE "account_totals" SET (fillfactor = 50);

-- employee_counts is a tree over positions with 64 children a node. A node of level 0 covers 64 positions, one of
-- level 1 covers 64 nodes of level 0, and so on; level 4 has a single node, the account's total. Counting a list
-- and finding the start of any page then read a few dozen small rows, however long the list is.

-- Takes the rows of some accounts, always in the same order, so that concurrent writers wait for each other instead
-- of deadlocking. Returns those that exist: an account that is being deleted is not among them, and its counts
-- need no upkeep because they go with it.
CREATE FUNCTION lock_accounts(wanted text[]) RETURNS text[]
LANGUAGE sql VOLATILE AS $$
  SELECT array_agg(locked.id)
  FROM (SELECT id FROM accounts WHERE id = ANY (wanted) ORDER BY id FOR NO KEY UPDATE) locked
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
  -- Only rows that move from one facet to another: a change of name must not wait for other writers.
  moving text[] := ARRAY(
    SELECT DISTINCT a.account_id FROM after_change a JOIN before_change b ON b.id = a.id
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
  DELETE FROM employee_counts;
  DELETE FROM employee_facets;
  RETURN NULL;
END $$;

CREATE FUNCTION row_may_not_move() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a row of % keeps its id, account and position for life', TG_TABLE_NAME;
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

-- The position of the employee that has `skip` others before it in order of id; NULL past the end.
CREATE FUNCTION employee_position_at(for_account text, skip bigint) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
  remaining bigint := skip;
  lowest bigint := 0;
  highest bigint := 9223372036854775807;
  node record;
  found_node bigint;
BEGIN
  IF skip IS NULL OR skip < 0 THEN RETURN NULL; END IF;
  FOR depth IN REVERSE 3..0 LOOP
    found_node := NULL;
    FOR node IN
      SELECT c.bucket, c.count FROM employee_counts c
      WHERE c.account_id = for_account AND c.level = depth::smallint AND c.bucket BETWEEN lowest AND highest
      ORDER BY c.bucket
    LOOP
      IF remaining < node.count THEN
        found_node := node.bucket;
        EXIT;
      END IF;
      remaining := remaining - node.count;
    END LOOP;
    IF found_node IS NULL THEN RETURN NULL; END IF;
    lowest := found_node << 6;
    highest := lowest + 63;
  END LOOP;

  RETURN (
    SELECT e.position FROM employees e
    WHERE e.account_id = for_account AND e.position BETWEEN lowest AND highest
    ORDER BY e.position OFFSET remaining LIMIT 1
  );
END $$;

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
  UPDATE account_totals SET reports = 0;
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
