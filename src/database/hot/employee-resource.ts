/** The attributes that are text, and their columns. */
const attributes = ['employee_number', 'first_name', 'last_name', 'email', 'status', 'department'] as const;

const updatedAt = `to_char(employees.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** @param quote around the text of a column */
function resource(quote: '"' | '', toText: (column: string) => string): string {
  const members = attributes.map(
    (name) => `"${name}":${quote}' || ${toText(`employees.${name}`)} || '${quote},`,
  );
  return `
    '{"id":"' || employees.id || '","type":"employees","attributes":{${members.join('')}"updated_at":"' || ${updatedAt}
    || '"}}'`;
}

/**
 * SQL expression for the resource object of an employee as JSON text. The database writes it, because that costs the server
 * a tenth of reading the columns and writing it itself. Records without escapes, which are nearly all, take half the time:
 * the benchmarks `list` and `sync` fail when all are escaped. An id has no escapes.
 */
export const employeeResource = `CASE WHEN employees.has_escapes
  THEN ${resource('', (column) => `to_json(${column})::text`)}
  ELSE ${resource('"', (column) => column)} END`;
