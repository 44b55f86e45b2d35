-- For `filter[email]`, which ignores case: the address in lower case, if it differs. An expression index would not be used,
-- because lower() is not leakproof and the table has row-level security.
ALTER TABLE employees
  ADD COLUMN folded_email text COLLATE "C" GENERATED ALWAYS AS (nullif(lower(email), email)) STORED;

CREATE INDEX employees_account_id_folded_email_idx ON employees (account_id, folded_email)
  WHERE folded_email IS NOT NULL;
