-- What an uploaded file was before its conversion to UTF-8: an encoding, or a workbook with its sheet. NULL: it was UTF-8.
ALTER TABLE employee_imports ADD COLUMN source text COLLATE "C";
