-- The history of employees is in their events: an event of an update also has the values before it.
ALTER TABLE events
  -- The values before an update by column: those of the attributes that it changed, without those that were NULL; `custom` with all
  -- values of custom attributes if one of them changed; and the times of changes. NULL: the resource has been deleted, or the event is
  -- not an update of an employee.
  ADD COLUMN previous json,
  -- What made the change, if it was not a form or a command for single employees: import or import_undo.
  ADD COLUMN source text COLLATE "C",
  ADD CONSTRAINT events_source_check CHECK (source IN ('import', 'import_undo'));

-- A page of the changes of an employee.
CREATE INDEX events_account_id_resource_id_position_idx ON events (account_id, resource_id, position);
DROP INDEX events_account_id_resource_id_idx;

-- From when the history of employees is complete. Earlier events do not have the values before a change.
ALTER TABLE accounts ADD COLUMN history_since timestamptz(3) NOT NULL DEFAULT now();

-- As before, with the values before the changes. The setting app.actor can have a `source`.
DROP FUNCTION add_events(text, text, text[], text[], json[]);
CREATE FUNCTION add_events(
  for_account text, of_type text, resources text[], changes text[], contents json[], earlier json[] DEFAULT NULL)
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
    (account_id, position, type, occurred_at, user_id, application_id, source, resource_id, changed, attributes, previous)
  SELECT account_totals.account_id, account_totals.events - added + given.number, of_type, account_totals.last_event_at,
    actor ->> 'user', actor ->> 'application', actor ->> 'source', given.resource,
    coalesce(string_to_array(given.change, ','), '{}'), given.content, given.previous
  FROM account_totals
  CROSS JOIN unnest(resources, changes, contents, earlier)
    WITH ORDINALITY AS given (resource, change, content, previous, number)
  WHERE account_totals.account_id = for_account;

  IF wakes THEN INSERT INTO webhook_wakeups (account_id) VALUES (for_account); END IF;
END $$;

-- The earlier events of deleted resources lose their attributes.
CREATE OR REPLACE FUNCTION erase_events(for_account text, resources text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE events SET attributes = NULL, previous = NULL
  WHERE account_id = for_account AND resource_id = ANY (resources) AND attributes IS NOT NULL;
END $$;

CREATE OR REPLACE FUNCTION employees_updated_events() RETURNS trigger
LANGUAGE plpgsql SET enable_nestloop = off SET jit = off AS $$
BEGIN
  PERFORM add_events(account_id, 'employee.updated', ids, changes, contents, earlier)
  FROM (
    SELECT account_id, array_agg(id ORDER BY position) AS ids, array_agg(changes ORDER BY position) AS changes,
      array_agg(content ORDER BY position) AS contents, array_agg(previous ORDER BY position) AS earlier
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
        ) attributes) AS content,
        (SELECT json_strip_nulls(row_to_json(attributes)) FROM (
          SELECT
            CASE WHEN a.employee_number IS DISTINCT FROM b.employee_number THEN b.employee_number END AS employee_number,
            CASE WHEN a.first_name IS DISTINCT FROM b.first_name THEN b.first_name END AS first_name,
            CASE WHEN a.last_name IS DISTINCT FROM b.last_name THEN b.last_name END AS last_name,
            CASE WHEN a.email IS DISTINCT FROM b.email THEN b.email END AS email,
            CASE WHEN a.status IS DISTINCT FROM b.status THEN b.status END AS status,
            CASE WHEN a.department IS DISTINCT FROM b.department THEN b.department END AS department,
            CASE WHEN a.job_title IS DISTINCT FROM b.job_title THEN b.job_title END AS job_title,
            CASE WHEN a.location IS DISTINCT FROM b.location THEN b.location END AS location,
            CASE WHEN a.hire_date IS DISTINCT FROM b.hire_date THEN b.hire_date END AS hire_date,
            CASE WHEN a.termination_date IS DISTINCT FROM b.termination_date THEN b.termination_date END AS termination_date,
            CASE WHEN a.manager_id IS DISTINCT FROM b.manager_id THEN b.manager_id END AS manager_id,
            CASE WHEN a.custom IS DISTINCT FROM b.custom THEN coalesce(b.custom, '{}') END AS custom,
            b.updated_at, b.attribute_times, b.custom_times, b.custom_updated_at
        ) attributes) AS previous
      FROM after_change a JOIN before_change b ON b.account_id = a.account_id AND b.id = a.id
    ) updated
    WHERE changes <> ''
    GROUP BY account_id ORDER BY account_id
  ) account;
  RETURN NULL;
END $$;
