-- Statements and triggers on account data read and lock only account data. On Citus, account data is on the workers, and the
-- table accounts is on the coordinator.

-- Every account has a row in account_totals. A statement that writes rows of accounts joins it: it omits accounts that do not
-- exist, and Citus runs the statement where the account is.

INSERT INTO account_totals (account_id) SELECT id FROM accounts ON CONFLICT DO NOTHING;

CREATE FUNCTION account_added() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO account_totals (account_id) VALUES (NEW.id);
  RETURN NULL;
END $$;

CREATE TRIGGER accounts_after_insert AFTER INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION account_added();

-- Citus rejects INSERT ... SELECT from a transition table, so each account is an UPDATE.
CREATE FUNCTION add_to_report_total(for_account text, delta bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account_totals SET reports = reports + delta WHERE account_id = for_account;
END $$;

CREATE OR REPLACE FUNCTION reports_added_or_removed() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  sign int := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  PERFORM add_to_report_total(account_id, sign * rows)
  FROM (SELECT account_id, count(*) AS rows FROM changed GROUP BY account_id) account ORDER BY account_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION reports_truncated() RETURNS trigger
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

-- Changes of the counts of an account run one after the other. Otherwise they could deadlock, or delete a count of zero that
-- another transaction has incremented meanwhile. The lock is not a row, so it does not wait for changes of the account. Accounts
-- are locked in the order of their ids.
CREATE FUNCTION lock_employee_counts(for_account text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(for_account, 0));
END $$;

CREATE OR REPLACE FUNCTION employees_added_or_removed() RETURNS trigger
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
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION employees_changed() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  -- Only accounts with rows that move to another facet, so that a change of name does not wait for other writers.
  moving text[] := ARRAY(
    SELECT DISTINCT a.account_id
    FROM after_change a JOIN before_change b ON b.account_id = a.account_id AND b.position = a.position
    WHERE (a.status, a.department) IS DISTINCT FROM (b.status, b.department)
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
  RETURN NULL;
END $$;

DROP FUNCTION lock_accounts(text[]);
