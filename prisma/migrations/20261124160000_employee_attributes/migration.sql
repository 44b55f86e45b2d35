ALTER TABLE employees
  ADD COLUMN job_title text COLLATE "C",
  ADD COLUMN location text COLLATE "C",
  ADD COLUMN hire_date date,
  ADD COLUMN termination_date date,
  DROP COLUMN has_escapes,
  ADD COLUMN has_escapes boolean NOT NULL GENERATED ALWAYS AS (
    employee_number || first_name || last_name || email || status || department || coalesce(job_title, '')
      || coalesce(location, '') ~ '["\\[:cntrl:]]') STORED;
