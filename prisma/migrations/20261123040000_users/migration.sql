-- E-mail addresses are compared in Unicode form NFC from now on. The ones that were stored in another form are changed,
-- except where a user has the composed address already: that user keeps it, and the other one can be named by id only.
--
-- No constraint demands the form: PostgreSQL knows it in databases with the encoding UTF8 only. Other encodings cannot
-- hold decomposed text of the languages that they are for.
DO $$
BEGIN
  IF getdatabaseencoding() <> 'UTF8' THEN RETURN; END IF;
  -- For this transaction: row-level security binds the owner of the tables as well.
  PERFORM set_config('app.accounts', '*', true);
  UPDATE users SET email = normalize(email, NFC)
  WHERE id IN (
    SELECT DISTINCT ON (normalize(email, NFC)) id FROM users
    WHERE email IS NOT NFC NORMALIZED ORDER BY normalize(email, NFC), created_at, id)
    AND NOT EXISTS (SELECT FROM users other WHERE other.email = normalize(users.email, NFC));
END $$;
