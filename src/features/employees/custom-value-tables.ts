import { customName } from '../../platform/contract/attribute-access.js';
import { Prisma } from '../../platform/database/client.js';

/** Where values of custom attributes are stored. */
export interface ValueTable {
  readonly name: string;
  /** The primary key without the account, by which batches are read. */
  readonly keys: readonly string[];
  /** The columns without the values of an attribute. */
  readonly without: (key: string) => Prisma.Sql;
  readonly hasValue: (key: string) => Prisma.Sql;
}

const path = (key: string) => Prisma.sql`ARRAY['custom', ${key}]::text[]`;

/**
 * A filter that replaces those by a deleted attribute: without a value, and invalid for all types. So a report does not run with it
 * when the key is used again.
 */
const emptied = (key: string) =>
  Prisma.sql`jsonb_build_object('field', ${customName(key)}::text, 'operator', 'eq', 'value', '')`;

const withoutFilters = (filters: Prisma.Sql, key: string) => Prisma.sql`(
  SELECT jsonb_agg(CASE WHEN filter ->> 'field' = ${customName(key)} THEN ${emptied(key)} ELSE filter END ORDER BY place)
  FROM jsonb_array_elements(${filters}) WITH ORDINALITY AS listed (filter, place))`;

const hasFilter = (filters: Prisma.Sql, key: string) => Prisma.sql`EXISTS (
  SELECT 1 FROM jsonb_array_elements(${filters}) AS listed (filter)
  WHERE filter ->> 'field' = ${customName(key)} AND filter <> ${emptied(key)})`;

const eventFilters = Prisma.sql`(attributes::jsonb -> 'filters')`;

/** Whether an import has the values of an attribute, in a column or for all rows. */
const isImported = (key: string) => Prisma.sql`
  (${customName(key)} = ANY (imports.attributes) OR imports.fixed_values -> ${customName(key)}::text IS NOT NULL)`;

/**
 * The tables with values. The employees and the reports are before the events: an event has all values of its record, so that none is
 * stored with the value afterwards. The errors are before the imports, whose values for all rows determine them.
 */
export const valueTables: readonly ValueTable[] = [
  {
    name: 'employees',
    keys: ['position'],
    without: (key) =>
      Prisma.sql`custom = custom - ${key}::text, custom_times = nullif(custom_times - ${key}::text, '{}')`,
    hasValue: (key) =>
      Prisma.sql`(custom -> ${key}::text IS NOT NULL OR custom_times -> ${key}::text IS NOT NULL)`,
  },
  {
    name: 'reports',
    keys: ['id'],
    without: (key) => Prisma.sql`
      filters = ${withoutFilters(Prisma.sql`filters`, key)}, version = version + 1, updated_at = now()`,
    hasValue: (key) => hasFilter(Prisma.sql`filters`, key),
  },
  {
    name: 'events',
    keys: ['position'],
    // An event is never deleted, because positions have no gaps.
    without: (key) => Prisma.sql`
      attributes = (CASE WHEN type LIKE 'report.%'
        THEN jsonb_set(attributes::jsonb, '{filters}', ${withoutFilters(eventFilters, key)})
        ELSE attributes::jsonb #- ${path(key)} END)::json,
      previous = (previous::jsonb #- ${path(key)} #- ARRAY['custom_times', ${key}]::text[])::json,
      changed = array_remove(changed, ${customName(key)})`,
    hasValue: (key) => Prisma.sql`
      CASE WHEN type LIKE 'report.%' THEN ${hasFilter(eventFilters, key)}
        WHEN type LIKE 'employee.%'
        THEN attributes -> 'custom' -> ${key}::text IS NOT NULL OR previous -> 'custom' -> ${key}::text IS NOT NULL
          OR previous -> 'custom_times' -> ${key}::text IS NOT NULL OR ${customName(key)} = ANY (changed)
        ELSE false END`,
  },
  {
    name: 'audit_events',
    keys: ['id'],
    without: (key) => Prisma.sql`details = details - ${customName(key)}::text`,
    hasValue: (key) => Prisma.sql`type LIKE 'employee.%' AND details -> ${customName(key)}::text IS NOT NULL`,
  },
  {
    name: 'employee_import_changes',
    keys: ['import_id', 'position'],
    // A version has the key and a hash of each value.
    without: (key) => Prisma.sql`
      before = before #- ${path(key)}, version = regexp_replace(version, ${` ${key}:[^ ]*`}, '')`,
    hasValue: (key) => Prisma.sql`(before #> ${path(key)} IS NOT NULL OR strpos(version, ${` ${key}:`}) > 0)`,
  },
  {
    name: 'employee_import_errors',
    keys: ['import_id', 'line'],
    // The error of a date has the date. Errors of managers and of other employees have no cells, and the latter have their numbers.
    without: () => Prisma.sql`
      cells = '{}', message = 'The values and the errors of this row were deleted with a custom attribute'`,
    hasValue: (key) => Prisma.sql`
      (strpos(message, ${`${customName(key)} `}) > 0 OR cells <> '{}' AND EXISTS (
        SELECT 1 FROM employee_imports AS imports
        WHERE imports.account_id = employee_import_errors.account_id AND imports.id = employee_import_errors.import_id
          AND ${isImported(key)}))`,
  },
  {
    name: 'employee_imports',
    keys: ['id'],
    without: (key) => Prisma.sql`
      findings = findings - 'changes', fixed_values = fixed_values - ${customName(key)}::text`,
    // Only the first lines of JSON determine the columns, so that later ones can have other attributes.
    hasValue: (key) => Prisma.sql`(
      fixed_values -> ${customName(key)}::text IS NOT NULL OR findings -> 'changes' IS NOT NULL
        AND (${customName(key)} = ANY (attributes) OR format = 'jsonl'))`,
  },
];
