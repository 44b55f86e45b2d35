-- Filters of the list of employees. Without the position, so that equal entries share one: an entry takes about 10 bytes.
CREATE INDEX employees_account_id_job_title_idx ON employees (account_id, job_title);
CREATE INDEX employees_account_id_hire_date_idx ON employees (account_id, hire_date);
CREATE INDEX employees_account_id_termination_date_idx ON employees (account_id, termination_date)
  WHERE termination_date IS NOT NULL;
