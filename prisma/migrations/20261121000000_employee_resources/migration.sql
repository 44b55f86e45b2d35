-- Every record as the API shows it: the resource object of the contract, as JSON. It is written when the record is, so
-- that a page of a list is read and joined and nothing else. A change of the resource in the contract is a change of
-- this function, and a rewrite of the column.
--
-- Declared immutable although what it calls is only stable: of those functions no setting can change the outcome for a
-- text and for a moment in UTC written in digits.
CREATE FUNCTION employee_resource(
  id text, employee_number text, first_name text, last_name text, email text, status text, department text,
  updated_at timestamptz
) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN concat(
    '{"id":', to_json(id), ',"type":"employees","attributes":{',
    '"employee_number":', to_json(employee_number),
    ',"first_name":', to_json(first_name),
    ',"last_name":', to_json(last_name),
    ',"email":', to_json(email),
    ',"status":', to_json(status),
    ',"department":', to_json(department),
    ',"updated_at":"', to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"}}'
  );
END $$;

ALTER TABLE employees ADD COLUMN resource text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
  employee_resource(id, employee_number, first_name, last_name, email, status, department, updated_at)
) STORED;
