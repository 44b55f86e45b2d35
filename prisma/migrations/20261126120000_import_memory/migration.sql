-- The attribute of each column of the last import, by the folded name of the column. An empty attribute: it was ignored.
ALTER TABLE accounts ADD COLUMN import_columns jsonb NOT NULL DEFAULT '{}';
