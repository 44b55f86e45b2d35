-- What the values of each column are, and the format of the dates in each. An empty format: the column has no dates, or day and
-- month can be exchanged. Imports of earlier versions have neither.
ALTER TABLE employee_imports
  ADD COLUMN survey jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN date_formats text[] COLLATE "C" NOT NULL DEFAULT '{}';
