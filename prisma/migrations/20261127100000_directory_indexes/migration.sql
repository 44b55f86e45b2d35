-- A page of a department, in the order by name.
CREATE INDEX employees_account_id_department_name_idx
  ON employees (account_id, department, last_name, first_name, position);

-- A location with other filters, and its count. Without the position, so that equal entries share one.
CREATE INDEX employees_account_id_location_department_status_idx
  ON employees (account_id, location, department, status);
DROP INDEX employees_account_id_location_idx;
