-- Values of attributes without a column, by attribute, and the status for each value of its column.
ALTER TABLE employee_imports
  ADD COLUMN fixed_values jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN status_values jsonb NOT NULL DEFAULT '{}';
