const firstNames =
  'Ada,Amina,Anika,Bilal,Carmen,Chen,Dmitri,Elif,Emeka,Fatima,Gustav,Hana,Ines,Ivan,Jonas,Kaito,Leila,Mateo,Ngozi,Olga,Priya,Rosa,Sven,Tariq,Uma,Viktor,Wei,Yara,Zoe';
const lastNames =
  'Adeyemi,Andersson,Bauer,Costa,Dubois,Eriksen,Fischer,Garcia,Haddad,Ivanova,Jansen,Kowalski,Lindqvist,Moreau,Nakamura,Okafor,Pereira,Quinn,Rossi,Schmidt,Tanaka,Ueda,Varga,Weber,Xu,Yilmaz,Zhang';
const departments =
  'Engineering,Sales,Payroll,Human Resources,Legal,Marketing,Support,Logistics,Research,Finance';
const statuses = 'active,active,active,active,active,active,active,on_leave,inactive,terminated';

/** Positions have four digits in base 36 here; ids have zeros before them. */
const maximumEmployees = 36 ** 4;

/**
 * Adds employees to accounts `$1` to `$2`, at positions `$3` to `$4`. The triggers of the table keep its counts. Values are
 * computed from account and position, so that databases of one kind are equal.
 */
export const insertEmployees = `
  INSERT INTO employees (id, account_id, position, employee_number, first_name, last_name, email, status,
    department, created_at, updated_at)
  SELECT
    prefix || '0000' || substr(digits, p / 46656 + 1, 1) || substr(digits, p / 1296 % 36 + 1, 1)
      || substr(digits, p / 36 % 36 + 1, 1) || substr(digits, p % 36 + 1, 1),
    account_id, p, 'E' || lpad((p + 1)::text, 7, '0'), first_name, last_name,
    lower(first_name) || '.' || lower(last_name) || '.' || p || '@' || account_id || '.example',
    status, department, updated_at - interval '90 days', updated_at
  FROM (
    SELECT t, p, account_id, prefix, '0123456789abcdefghijklmnopqrstuvwxyz' AS digits,
      first_names[(p * 7 + t) % cardinality(first_names) + 1] AS first_name,
      last_names[(p * 11 + t * 3) % cardinality(last_names) + 1] AS last_name,
      departments[(p * 13 + t) % cardinality(departments) + 1] AS department,
      statuses[(p * 17 + t) % cardinality(statuses) + 1] AS status,
      timestamptz '2026-01-01' + make_interval(secs => (p::bigint * 7919 + t::bigint * 104729) % 15552000 + (p % 1000) / 1000.0)
        AS updated_at
    FROM
      (SELECT string_to_array('${firstNames}', ',') AS first_names, string_to_array('${lastNames}', ',') AS last_names,
              string_to_array('${departments}', ',') AS departments, string_to_array('${statuses}', ',') AS statuses
      ) AS words,
      (SELECT t, 'bench' || lpad(t::text, 8, '0') AS account_id, 'b' || lpad(t::text, 7, '0') AS prefix
       FROM generate_series($1::int, $2::int) AS t) AS tenants,
      generate_series($3::int, $4::int) AS p
    ORDER BY t, p
  ) AS employee`;

/**
 * Adds the values that employees can be without: 15 locations, 200 job titles, 20 years of hire dates, termination dates of one in
 * 20, and a manager for each 20 employees. The triggers would need several minutes for a million employees, so the counts by location
 * are written here.
 */
export const completeEmployees = [
  'ALTER TABLE employees DISABLE TRIGGER USER',
  `UPDATE employees SET
     location = 'Location ' || mixed / 200 % 15,
     job_title = 'Title ' || mixed / 3000 % 200,
     hire_date = date '2006-01-01' + mixed / 7 % 7300,
     termination_date = CASE WHEN mixed / 11 % 20 = 0 THEN date '2020-01-01' + mixed % 2000 END,
     manager_id = manager.id
   FROM (SELECT account_id AS account, position AS place, (position * 7368787 % 1000000007)::int AS mixed FROM employees) AS numbers
   JOIN employees AS manager ON manager.account_id = account AND manager.position = place / 20
   WHERE employees.account_id = account AND employees.position = place`,
  'ALTER TABLE employees ENABLE TRIGGER USER',
  'DELETE FROM employee_location_facets',
  `INSERT INTO employee_location_facets (account_id, location, count)
   SELECT account_id, location, count(*) FROM employees GROUP BY 1, 2`,
];

/** @throws {RangeError} when the ids would differ from those of the service */
export function assertEmployees(count: number): void {
  if (count > maximumEmployees)
    throw new RangeError(`At most ${maximumEmployees} employees for each account`);
}
