-- The type employee of custom attributes: a value is the id of an employee of the account.
ALTER TABLE custom_attributes
  DROP CONSTRAINT custom_attributes_type_check,
  ADD CONSTRAINT custom_attributes_type_check
    CHECK (type IN ('text', 'long_text', 'number', 'date', 'boolean', 'choice', 'choices', 'employee'));

-- Only the form of an id. Whether the employee exists is checked where the value is stored.
CREATE OR REPLACE FUNCTION is_custom_value(given jsonb, of_type text, of_choices jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(CASE of_type
    WHEN 'text' THEN jsonb_typeof(given) = 'string' AND length(given #>> '{}') BETWEEN 1 AND 255
    WHEN 'long_text' THEN jsonb_typeof(given) = 'string' AND length(given #>> '{}') BETWEEN 1 AND 2000
    WHEN 'number' THEN CASE WHEN jsonb_typeof(given) = 'number'
      THEN abs((given #>> '{}')::numeric) < 100000000000 AND scale((given #>> '{}')::numeric) <= 4 END
    WHEN 'date' THEN CASE WHEN jsonb_typeof(given) = 'string' AND given #>> '{}' ~ '^\d{4}-\d{2}-\d{2}$'
      THEN to_char((given #>> '{}')::date, 'YYYY-MM-DD') = given #>> '{}' END
    WHEN 'boolean' THEN jsonb_typeof(given) = 'boolean'
    WHEN 'choice' THEN jsonb_typeof(given) = 'string' AND of_choices @> given
    WHEN 'choices' THEN CASE WHEN jsonb_typeof(given) = 'array'
      THEN jsonb_array_length(given) BETWEEN 1 AND 50 AND of_choices @> given END
    WHEN 'employee' THEN jsonb_typeof(given) = 'string' AND given #>> '{}' ~ '^[a-z0-9]{16}$'
  END, false)
$$;

-- The position in the id of an employee, which is the key of the employee in its account.
CREATE FUNCTION employee_position(id text) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
  SELECT (strpos('0123456789abcdefghijklmnopqrstuvwxyz', substr(id, 9, 1)) - 1)::bigint * 78364164096 +
    (strpos('0123456789abcdefghijklmnopqrstuvwxyz', substr(id, 10, 1)) - 1)::bigint * 2176782336 +
    (strpos('0123456789abcdefghijklmnopqrstuvwxyz', substr(id, 11, 1)) - 1)::bigint * 60466176 +
    (strpos('0123456789abcdefghijklmnopqrstuvwxyz', substr(id, 12, 1)) - 1)::bigint * 1679616 +
    (strpos('0123456789abcdefghijklmnopqrstuvwxyz', substr(id, 13, 1)) - 1)::bigint * 46656 +
    (strpos('0123456789abcdefghijklmnopqrstuvwxyz', substr(id, 14, 1)) - 1)::bigint * 1296 +
    (strpos('0123456789abcdefghijklmnopqrstuvwxyz', substr(id, 15, 1)) - 1)::bigint * 36 +
    (strpos('0123456789abcdefghijklmnopqrstuvwxyz', substr(id, 16, 1)) - 1)::bigint * 1
$$;

-- As before, and checks the references to employees that change. Each is one search by the primary key: the planner estimates that an
-- account that is new has one employee, and would read all of them for a list of positions. The employees are read alone, because Citus
-- restricts what a table can be joined with. Of the employees that the same statement adds, those that were stored before are found.
CREATE OR REPLACE FUNCTION set_custom_values() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  before jsonb := '{}';
  -- Type and choices by key.
  attributes jsonb;
  reference record;
  changed text[];
  invalid text;
  changed_at timestamptz;
BEGIN
  IF TG_OP = 'UPDATE' THEN before := coalesce(OLD.custom, '{}'); END IF;
  NEW.custom := nullif(NEW.custom, '{}');

  SELECT coalesce(jsonb_object_agg(key, jsonb_build_array(type, choices)), '{}') INTO attributes
  FROM custom_attributes WHERE account_id = NEW.account_id AND archived_at IS NULL;

  SELECT given.key INTO invalid
  FROM jsonb_each(NEW.custom) AS given
  WHERE before -> given.key IS DISTINCT FROM given.value
    AND NOT is_custom_value(given.value, attributes -> given.key ->> 0, attributes -> given.key -> 1)
  LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation',
      MESSAGE = format('the value of the custom attribute %s of an employee is not valid', invalid);
  END IF;

  FOR reference IN
    SELECT given.key, given.value #>> '{}' AS id, employee_position(given.value #>> '{}') AS position
    FROM jsonb_each(NEW.custom) AS given
    WHERE attributes -> given.key ->> 0 = 'employee' AND before -> given.key IS DISTINCT FROM given.value
      AND given.value #>> '{}' <> NEW.id
  LOOP
    PERFORM FROM employees
    WHERE account_id = NEW.account_id AND position = reference.position AND id = reference.id;
    IF NOT FOUND THEN
      RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = format(
        'the custom attribute %s of an employee refers to an employee that the account does not have', reference.key);
    END IF;
  END LOOP;
  IF octet_length(NEW.custom::text) > 32768 THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation',
      MESSAGE = 'the custom attributes of an employee have more than 32768 bytes';
  END IF;
  IF TG_OP = 'INSERT' THEN RETURN NEW; END IF;

  SELECT array_agg(key) INTO changed FROM jsonb_object_keys(attributes) AS key
  WHERE before -> key IS DISTINCT FROM NEW.custom -> key;
  changed_at := greatest(NEW.updated_at, OLD.updated_at, OLD.custom_updated_at);
  IF (OLD.employee_number, OLD.first_name, OLD.last_name, OLD.email, OLD.status, OLD.department, OLD.job_title, OLD.location,
      OLD.hire_date, OLD.termination_date, OLD.manager_id)
      IS NOT DISTINCT FROM
    (NEW.employee_number, NEW.first_name, NEW.last_name, NEW.email, NEW.status, NEW.department, NEW.job_title, NEW.location,
      NEW.hire_date, NEW.termination_date, NEW.manager_id) THEN
    NEW.updated_at := OLD.updated_at;
  END IF;
  IF changed IS NOT NULL THEN
    NEW.custom_updated_at := changed_at;
    NEW.custom_times := coalesce(OLD.custom_times, '{}')
      || (SELECT jsonb_object_agg(key, changed_at) FROM unnest(changed) AS key);
  END IF;
  RETURN NEW;
END $$;

-- Removes the references to employees who are deleted from the custom attributes of the others, archived ones included, and returns
-- what it has removed. No index has the values: this reads all employees of an account that has an attribute of this type, once for all
-- ids, and none of another account. Called before the employees are deleted, it leaves nothing to do for the trigger.
CREATE FUNCTION clear_employee_references(for_account text, employee_ids text[])
RETURNS TABLE (id text, employee_number text, removed jsonb)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  keys text[];
  condition text;
  positions bigint[];
BEGIN
  IF current_setting('app.references_cleared', true) = employee_ids::text THEN RETURN; END IF;
  PERFORM set_config('app.references_cleared', employee_ids::text, true);

  SELECT array_agg(key) INTO keys FROM custom_attributes WHERE account_id = for_account AND type = 'employee';
  IF keys IS NULL THEN RETURN; END IF;

  -- With the keys as constants, the employees are read in half the time.
  SELECT string_agg(format('custom ->> %L = ANY ($2)', key), ' OR ') INTO condition FROM unnest(keys) AS key;
  EXECUTE format('
    SELECT array_agg(position) FROM employees WHERE account_id = $1 AND (%s) AND id <> ALL ($2)', condition)
    INTO positions USING for_account, employee_ids;
  IF positions IS NULL THEN RETURN; END IF;

  RETURN QUERY
    SELECT id, employee_number, (
      SELECT jsonb_object_agg(key, custom -> key) FROM unnest(keys) AS key WHERE custom ->> key = ANY (employee_ids))
    FROM employees WHERE account_id = for_account AND position = ANY (positions);
  UPDATE employees SET
    custom = custom - ARRAY(SELECT key FROM unnest(keys) AS key WHERE custom ->> key = ANY (employee_ids)),
    updated_at = now()
  WHERE account_id = for_account AND position = ANY (positions);
END $$;

CREATE FUNCTION employee_references_removed() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  -- In a function of its own, because Citus cannot join a table with the rows of a trigger.
  PERFORM clear_employee_references(account_id, ids)
  FROM (
    SELECT account_id, array_agg(id ORDER BY id) AS ids FROM removed GROUP BY account_id ORDER BY account_id
  ) account;
  RETURN NULL;
END $$;

-- The name sorts before employees_after_delete, which locks the counts of the account: employees are always locked first.
SET LOCAL citus.enable_unsafe_triggers = on;
CREATE TRIGGER employees_after_clear_references AFTER DELETE ON employees
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION employee_references_removed();
