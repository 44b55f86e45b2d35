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

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['employee_imports', 'employee_import_chunks', 'employee_import_errors'] LOOP
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
