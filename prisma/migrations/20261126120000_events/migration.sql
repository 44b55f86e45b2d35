-- Events: one feed for each account, in the order of commits. Triggers write the events of a change in its transaction, so that
-- no change is without an event.

-- `events` is the number of events so far, which is the position of the last one. A change locks the row until it commits: no
-- event becomes visible before an event with a lower position, and a rolled back change leaves no gap. `has_webhooks` tells
-- whether the account has webhook endpoints.
ALTER TABLE account_totals
  ADD COLUMN events bigint NOT NULL DEFAULT 0,
  ADD COLUMN last_event_at timestamptz(3),
  ADD COLUMN has_webhooks boolean NOT NULL DEFAULT false,
  SET (fillfactor = 50);

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

ALTER TABLE events ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON events USING (
  CASE current_setting('app.accounts', true)
    WHEN account_id THEN true
    WHEN '*' THEN true
    ELSE account_id = ANY (string_to_array(current_setting('app.accounts', true), ','))
  END);

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

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['webhook_endpoints', 'webhook_attempts', 'webhook_wakeups'] LOOP
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

-- Adds events of one account. The setting app.actor is the JSON object {"user": …, "application": …} of who makes the change.
-- An account that is being deleted gets none. Citus rejects INSERT ... SELECT from a transition table, so the callers pass
-- arrays. `changes` has the names of the changed attributes of each resource, separated by commas.
CREATE FUNCTION add_events(for_account text, of_type text, resources text[], changes text[], contents json[])
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  actor jsonb := nullif(current_setting('app.actor', true), '')::jsonb;
  added bigint := cardinality(resources);
  wakes boolean;
BEGIN
  UPDATE account_totals
  SET events = events + added, last_event_at = greatest(last_event_at, clock_timestamp())
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

-- A session plans the statements of a trigger once, for the number of rows of its first call. A nested loop over the rows before
-- and after a change, which suits one row, takes minutes for ten thousand. The trigger that counts employees has the same join.
ALTER FUNCTION employees_changed() SET enable_nestloop = off;

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
LANGUAGE plpgsql SET enable_nestloop = off AS $$
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
LANGUAGE plpgsql SET enable_nestloop = off AS $$
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

-- TRUNCATE removes rows without telling which: their events lose their attributes too.
CREATE OR REPLACE FUNCTION employees_truncated() RETURNS trigger
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
