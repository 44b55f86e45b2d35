-- The directory searches names by the start of each word, ignoring case and accents, and filters by location.

-- Folds text for the search: "Müller-Groß" becomes "muller gross". Text that is ASCII needs no Unicode tables.
CREATE FUNCTION fold_for_search(given text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  folded text := given;
BEGIN
  IF octet_length(folded) = char_length(folded) THEN
    folded := lower(folded COLLATE "C");
  ELSE
    folded := normalize(lower(normalize(folded, NFKD) COLLATE "und-x-icu"), NFKD);
    folded := regexp_replace(folded, '[\u0300-\u036f]', '', 'g');
    -- Latin letters that Unicode does not decompose
    folded := translate(folded, 'øłđðħıŧ', 'olddhit');
    folded := replace(replace(replace(replace(folded, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
    folded := regexp_replace(folded, '[\u0080-\u00a0\u02b0-\u02bf\u2000-\u206f\u3000]', ' ', 'g');
  END IF;
  folded := regexp_replace(folded, '[\u0001-/:-@\[-`{-\u007f]+', ' ', 'g');
  RETURN btrim(folded, ' ');
END $$;

-- Each key has all words of last name and first name; key n starts with word n, and the words before it follow at its end. So
-- a prefix of one or more words is a range of an index. Plain columns, because with row-level security an index on an
-- expression is not searched.
ALTER TABLE employees
  ADD COLUMN search_key_1 text COLLATE "C",
  ADD COLUMN search_key_2 text COLLATE "C",
  ADD COLUMN search_key_3 text COLLATE "C",
  ADD COLUMN search_key_4 text COLLATE "C",
  ADD COLUMN search_key_5 text COLLATE "C";

-- The length is limited because an entry of an index is.
CREATE FUNCTION set_employee_search_keys() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  folded text := rtrim(left(fold_for_search(NEW.last_name || ' ' || NEW.first_name), 200));
  words text[] := string_to_array(folded, ' ');
  number int := cardinality(words);
BEGIN
  NEW.search_key_1 := folded;
  NEW.search_key_2 := CASE WHEN number > 1 THEN array_to_string(words[2:] || words[:1], ' ') END;
  NEW.search_key_3 := CASE WHEN number > 2 THEN array_to_string(words[3:] || words[:2], ' ') END;
  NEW.search_key_4 := CASE WHEN number > 3 THEN array_to_string(words[4:] || words[:3], ' ') END;
  NEW.search_key_5 := CASE WHEN number > 4 THEN array_to_string(words[5:] || words[:4], ' ') END;
  RETURN NEW;
END $$;

CREATE TRIGGER employees_search_keys BEFORE INSERT OR UPDATE OF first_name, last_name, search_key_1 ON employees
  FOR EACH ROW EXECUTE FUNCTION set_employee_search_keys();

-- How many employees have a location. The location '' stands for none.
CREATE TABLE employee_location_facets (
  account_id text COLLATE "C" NOT NULL,
  location text COLLATE "C" NOT NULL,
  count integer NOT NULL,
  CONSTRAINT employee_location_facets_pkey PRIMARY KEY (account_id, location),
  CONSTRAINT employee_location_facets_count_check CHECK (count > 0)
) WITH (fillfactor = 50);

-- Existing rows of all accounts.
DO $$
DECLARE
  scope text := coalesce(current_setting('app.accounts', true), '');
BEGIN
  PERFORM set_config('app.accounts', '*', true);
  UPDATE employees SET search_key_1 = NULL;
  INSERT INTO employee_location_facets (account_id, location, count)
  SELECT account_id, coalesce(location, ''), count(*) FROM employees GROUP BY 1, 2;
  PERFORM set_config('app.accounts', scope, true);
END $$;

CREATE INDEX employees_account_id_search_key_1_idx ON employees (account_id, search_key_1);
CREATE INDEX employees_account_id_search_key_2_idx ON employees (account_id, search_key_2) WHERE search_key_2 IS NOT NULL;
CREATE INDEX employees_account_id_search_key_3_idx ON employees (account_id, search_key_3) WHERE search_key_3 IS NOT NULL;
CREATE INDEX employees_account_id_search_key_4_idx ON employees (account_id, search_key_4) WHERE search_key_4 IS NOT NULL;
CREATE INDEX employees_account_id_search_key_5_idx ON employees (account_id, search_key_5) WHERE search_key_5 IS NOT NULL;
-- Without the position, so that equal entries share one.
CREATE INDEX employees_account_id_location_idx ON employees (account_id, location);

ALTER TABLE employee_location_facets
  ADD CONSTRAINT employee_location_facets_account_id_fkey
  FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE;

ALTER TABLE employee_location_facets ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON employee_location_facets USING (
  CASE current_setting('app.accounts', true)
    WHEN account_id THEN true
    WHEN '*' THEN true
    ELSE account_id = ANY (string_to_array(current_setting('app.accounts', true), ','))
  END);

CREATE FUNCTION add_to_employee_location(for_account text, of_location text, delta bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF delta > 0 THEN
    INSERT INTO employee_location_facets AS f (account_id, location, count)
    VALUES (for_account, of_location, delta)
    ON CONFLICT (account_id, location) DO UPDATE SET count = f.count + excluded.count;
  ELSE
    UPDATE employee_location_facets SET count = count + delta
    WHERE account_id = for_account AND location = of_location AND count + delta > 0;
    IF NOT FOUND THEN
      DELETE FROM employee_location_facets WHERE account_id = for_account AND location = of_location;
    END IF;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION employees_added_or_removed() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  sign int := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  PERFORM lock_employee_counts(account_id)
  FROM (SELECT DISTINCT account_id FROM changed ORDER BY account_id) account;

  PERFORM add_to_employee_count(node.account_id, node.level, node.bucket, sign * node.rows)
  FROM (
    SELECT leaf.account_id, tree.level, leaf.bucket >> tree.shift AS bucket, sum(leaf.rows)::bigint AS rows
    FROM (SELECT account_id, position >> 6 AS bucket, count(*) AS rows FROM changed GROUP BY 1, 2) leaf
    CROSS JOIN (VALUES (0::smallint, 0), (1::smallint, 6), (2::smallint, 12), (3::smallint, 18), (4::smallint, 63))
      AS tree (level, shift)
    GROUP BY 1, 2, 3
  ) node;

  PERFORM add_to_employee_facet(facet.account_id, facet.status, facet.department, sign * facet.rows)
  FROM (SELECT account_id, status, department, count(*) AS rows FROM changed GROUP BY 1, 2, 3) facet;

  PERFORM add_to_employee_location(facet.account_id, facet.location, sign * facet.rows)
  FROM (SELECT account_id, coalesce(location, '') AS location, count(*) AS rows FROM changed GROUP BY 1, 2) facet;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION employees_changed() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  -- Only accounts with rows that move to another facet, so that a change of name does not wait for other writers.
  moving text[] := ARRAY(
    SELECT DISTINCT a.account_id
    FROM after_change a JOIN before_change b ON b.account_id = a.account_id AND b.position = a.position
    WHERE (a.status, a.department, a.location) IS DISTINCT FROM (b.status, b.department, b.location)
    ORDER BY a.account_id
  );
BEGIN
  IF cardinality(moving) = 0 THEN RETURN NULL; END IF;
  PERFORM lock_employee_counts(account_id) FROM unnest(moving) AS account_id;

  PERFORM add_to_employee_facet(facet.account_id, facet.status, facet.department, facet.delta)
  FROM (
    SELECT account_id, status, department, sum(sign)::bigint AS delta
    FROM (
      SELECT account_id, status, department, 1 AS sign FROM after_change
      UNION ALL
      SELECT account_id, status, department, -1 FROM before_change
    ) both_sides
    WHERE account_id = ANY (moving)
    GROUP BY 1, 2, 3 HAVING sum(sign) <> 0
  ) facet;

  PERFORM add_to_employee_location(facet.account_id, facet.location, facet.delta)
  FROM (
    SELECT account_id, coalesce(location, '') AS location, sum(sign)::bigint AS delta
    FROM (
      SELECT account_id, location, 1 AS sign FROM after_change
      UNION ALL
      SELECT account_id, location, -1 FROM before_change
    ) both_sides
    WHERE account_id = ANY (moving)
    GROUP BY 1, 2 HAVING sum(sign) <> 0
  ) facet;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION employees_truncated() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  -- Row-level security does not apply to TRUNCATE.
  TRUNCATE employee_counts, employee_facets, employee_location_facets;
  RETURN NULL;
END $$;
