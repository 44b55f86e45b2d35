-- What an uploaded file was before its conversion to UTF-8: an encoding, or a workbook with its sheet. NULL: it was UTF-8.
-- Then what the values of each column are, and the format of the dates in each. An empty format: the column has no dates, or day
-- and month can be exchanged. Imports of earlier versions have neither. Then the values of attributes without a column, by
-- attribute, and the status for each value of its column.
ALTER TABLE employee_imports
  ADD COLUMN source text COLLATE "C",
  ADD COLUMN survey jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN date_formats text[] COLLATE "C" NOT NULL DEFAULT '{}',
  ADD COLUMN fixed_values jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN status_values jsonb NOT NULL DEFAULT '{}';

-- The attribute of each column of the last import, by the folded name of the column. An empty attribute: it was ignored.
ALTER TABLE accounts ADD COLUMN import_columns jsonb NOT NULL DEFAULT '{}';
