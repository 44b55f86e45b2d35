-- What a check or an import has found, for its page, such as the causes of errors. Then the values of a rejected row, as they
-- are in the file. Empty: only the manager was rejected.
ALTER TABLE employee_imports ADD COLUMN findings jsonb NOT NULL DEFAULT '{}';
ALTER TABLE employee_import_errors ADD COLUMN cells text[] COLLATE "C" NOT NULL DEFAULT '{}';
