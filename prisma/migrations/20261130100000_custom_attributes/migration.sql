-- Attributes that accounts add to their employees. Their values are in employees.custom, so that a new attribute needs neither a
-- migration nor a lock of the employees.
CREATE TABLE custom_attributes (
  account_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  label text COLLATE "C" NOT NULL,
  description text COLLATE "C",
  type text COLLATE "C" NOT NULL,
  -- The values of the types choice and choices, in the order in which forms show them.
  choices text[] COLLATE "C" NOT NULL DEFAULT '{}',
  required boolean NOT NULL DEFAULT false,
  sensitive boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  -- The values of an archived attribute are kept, and not shown. They cannot be changed.
  archived_at timestamptz(3),
  -- When it was requested to delete the attribute with its values, which is done in batches.
  purge_requested_at timestamptz(3),
  CONSTRAINT custom_attributes_pkey PRIMARY KEY (account_id, key),
  CONSTRAINT custom_attributes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
  -- Statements contain keys as text.
  CONSTRAINT custom_attributes_key_check CHECK (key ~ '^[a-z][a-z0-9]*(_[a-z0-9]+)*$' AND length(key) <= 40),
  CONSTRAINT custom_attributes_type_check
    CHECK (type IN ('text', 'long_text', 'number', 'date', 'boolean', 'choice', 'choices')),
  CONSTRAINT custom_attributes_choices_check CHECK ((type IN ('choice', 'choices')) = (cardinality(choices) > 0)),
  CONSTRAINT custom_attributes_purge_check CHECK (purge_requested_at IS NULL OR archived_at IS NOT NULL)
);

CREATE INDEX custom_attributes_purge_requested_at_idx ON custom_attributes (purge_requested_at)
  WHERE purge_requested_at IS NOT NULL;

ALTER TABLE custom_attributes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON custom_attributes USING (
  CASE current_setting('app.accounts', true)
    WHEN account_id THEN true
    WHEN '*' THEN true
    ELSE account_id = ANY (string_to_array(current_setting('app.accounts', true), ','))
  END);

ALTER TABLE employees
  -- Values by key. NULL: none.
  ADD COLUMN custom jsonb,
  -- When the values last changed, by key. `updated_at` is the time of the last change of the other attributes, so that readers
  -- without access to a custom attribute do not see its changes.
  ADD COLUMN custom_times jsonb,
  -- The latest of these times.
  ADD COLUMN custom_updated_at timestamptz(3);

CREATE INDEX employees_account_id_custom_updated_at_position_idx ON employees (account_id, custom_updated_at, position)
  WHERE custom_updated_at IS NOT NULL;

-- Whether a value is valid for an attribute; a day that does not exist is an error. Numbers have at most 15 digits, which every reader of
-- JSON can represent.
CREATE FUNCTION is_custom_value(given jsonb, of_type text, of_choices jsonb) RETURNS boolean
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
  END, false)
$$;

-- Checks the values that a statement changes, and stores the time of their change. A value that is stored may be older than a change
-- of its attribute. The time of a change never decreases: it would hide a change from readers who ask for later ones. The attributes
-- are read alone, because Citus restricts what a table can be joined with.
CREATE FUNCTION set_custom_values() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  before jsonb := '{}';
  -- Type and choices by key.
  attributes jsonb;
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

-- The names sort before employees_attribute_times, which then sees a change of custom attributes alone as no change.
SET LOCAL citus.enable_unsafe_triggers = on;
CREATE TRIGGER employees_a_custom_insert BEFORE INSERT ON employees
  FOR EACH ROW WHEN (NEW.custom IS NOT NULL) EXECUTE FUNCTION set_custom_values();
CREATE TRIGGER employees_a_custom_update BEFORE UPDATE OF custom ON employees
  FOR EACH ROW WHEN (OLD.custom IS DISTINCT FROM NEW.custom) EXECUTE FUNCTION set_custom_values();

-- Events have the values, and name the custom attributes that changed as `custom.<key>` after the others.
CREATE OR REPLACE FUNCTION employees_created_events() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_events(account_id, 'employee.created', ids, NULL, contents)
  FROM (
    SELECT account_id, array_agg(id ORDER BY position) AS ids, array_agg(content ORDER BY position) AS contents
    FROM (
      SELECT account_id, id, position, (SELECT row_to_json(attributes) FROM (
        SELECT changed.employee_number, changed.first_name, changed.last_name, changed.email, changed.status,
          changed.department, changed.job_title, changed.location, changed.hire_date, changed.termination_date,
          changed.manager_id, changed.updated_at, changed.custom
      ) attributes) AS content
      FROM changed
    ) created
    GROUP BY account_id ORDER BY account_id
  ) account;
  RETURN NULL;
END $$;

-- The names of custom attributes whose values differ, separated by commas, without archived ones. In a function of its own, because
-- Citus cannot join a table with the rows of a trigger.
CREATE FUNCTION changed_custom_attributes(for_account text, before jsonb, after jsonb) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT string_agg('custom.' || key, ',' ORDER BY key) FROM custom_attributes
    WHERE account_id = for_account AND archived_at IS NULL AND before -> key IS DISTINCT FROM after -> key);
END $$;

CREATE OR REPLACE FUNCTION employees_updated_events() RETURNS trigger
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
          CASE WHEN a.manager_id IS DISTINCT FROM b.manager_id THEN 'manager_id' END,
          CASE WHEN a.custom IS DISTINCT FROM b.custom
            THEN changed_custom_attributes(a.account_id, b.custom, a.custom) END
        ) AS changes,
        (SELECT row_to_json(attributes) FROM (
          SELECT a.employee_number, a.first_name, a.last_name, a.email, a.status, a.department, a.job_title, a.location,
            a.hire_date, a.termination_date, a.manager_id,
            CASE WHEN a.custom IS DISTINCT FROM b.custom THEN greatest(a.updated_at, a.custom_updated_at)
              ELSE a.updated_at END AS updated_at,
            a.custom
        ) attributes) AS content
      FROM after_change a JOIN before_change b ON b.account_id = a.account_id AND b.id = a.id
    ) updated
    WHERE changes <> ''
    GROUP BY account_id ORDER BY account_id
  ) account;
  RETURN NULL;
END $$;
