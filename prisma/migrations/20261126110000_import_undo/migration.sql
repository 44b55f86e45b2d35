-- The employees that an import of an uploaded file has created or changed, until it can no longer be undone. The table stays on
-- the coordinator of Citus, as the other tables of imports.
CREATE TABLE employee_import_changes (
  account_id text COLLATE "C" NOT NULL,
  import_id text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  -- Hash of the values after the import, without the manager. Empty: another change came between two changes of the import.
  version text COLLATE "C" NOT NULL,
  -- After the import.
  manager_id text COLLATE "C",
  -- The values before the import of the attributes that it changed. NULL: the import created the employee.
  before jsonb,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT employee_import_changes_pkey PRIMARY KEY (account_id, import_id, position),
  CONSTRAINT employee_import_changes_account_id_import_id_fkey
    FOREIGN KEY (account_id, import_id) REFERENCES employee_imports (account_id, id) ON DELETE CASCADE
);

CREATE INDEX employee_import_changes_expires_at_idx ON employee_import_changes (expires_at);

ALTER TABLE employee_import_changes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON employee_import_changes USING (
  CASE current_setting('app.accounts', true)
    WHEN account_id THEN true
    WHEN '*' THEN true
    ELSE account_id = ANY (string_to_array(current_setting('app.accounts', true), ','))
  END);

ALTER TABLE employee_imports
  DROP CONSTRAINT employee_imports_state_check,
  ADD CONSTRAINT employee_imports_state_check CHECK (state IN
    ('uploading', 'uploaded', 'checking', 'checked', 'importing', 'complete', 'cancelled', 'failed', 'undone'));
