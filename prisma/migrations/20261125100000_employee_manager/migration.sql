-- The manager of an employee. There is no foreign key: Citus does not support one that sets NULL, and PostgreSQL before 15
-- cannot set only one of two columns to NULL. The column has ids of employees only, which have no character that JSON
-- escapes, so has_escapes does not depend on it.
ALTER TABLE employees ADD COLUMN manager_id text COLLATE "C";

CREATE INDEX employees_account_id_manager_id_position_idx ON employees (account_id, manager_id, position)
  WHERE manager_id IS NOT NULL;

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
