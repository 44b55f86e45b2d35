-- The position of the record that so many others come before, as before. The policies looked at the scope in each of the
-- function's five statements, which took a third of its time; now it looks once itself, and runs as the owner of the
-- tables. It lets pass what the policies would: everything for a superuser who has taken no other role, and otherwise the
-- accounts of the scope.
CREATE OR REPLACE FUNCTION employee_position_at(for_account text, skip bigint) RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  scope text := coalesce(current_setting('app.accounts', true), '');
  lowest bigint := 0;
  highest bigint := 9223372036854775807;
  -- Records below the node that was found last, and how many of them come before the one that is looked for.
  inside bigint := 9223372036854775807;
  before bigint := skip;
  -- How many follow it, and the one itself.
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

-- Who may name tables of his own must not have the owner read them instead.
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION employee_position_at(text, bigint) SET search_path = %I, pg_temp', current_schema());
END $$;
