-- The audit events of a deleted employee keep its id only, which no record has anymore. src/services/employees/delete-employees.ts
-- erases the other details.

-- To find the events of an employee.
CREATE INDEX audit_events_account_id_employee_idx ON audit_events (account_id, (details ->> 'employee'))
  WHERE type IN ('employee.created', 'employee.updated');

-- Employees that were deleted before.
DO $$
DECLARE
  scope text := coalesce(current_setting('app.accounts', true), '');
BEGIN
  PERFORM set_config('app.accounts', '*', true);
  UPDATE audit_events SET details = jsonb_build_object('employee', details -> 'employee')
  WHERE type IN ('employee.created', 'employee.updated', 'employee.deleted')
    AND NOT EXISTS (
      SELECT 1 FROM employees
      WHERE employees.account_id = audit_events.account_id AND employees.id = audit_events.details ->> 'employee');
  PERFORM set_config('app.accounts', scope, true);
END
$$;
