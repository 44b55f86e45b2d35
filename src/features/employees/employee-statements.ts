import {
  type AccessShape,
  hiddenKeys,
  isRestricted,
  statementName,
} from '../../platform/contract/attribute-access.js';
import {
  type AttributeType,
  type ContractAttribute,
  contractAttributes,
} from '../../platform/contract/employee-attributes.js';
import type { ReadDatabase } from '../../platform/database/client.js';
import { defineLookup, timestampText } from '../../platform/database/define-lookup.js';
import { employeePosition } from '../../platform/database/ids.js';
import { accountScope } from '../../platform/database/scope.js';
import { lastReadableChange } from './employee.js';
import type { EmployeeAnchor, EmployeePage } from './employee-query.js';

/** How the text of a column becomes JSON. */
interface TextFormat {
  readonly quote: '"' | '';
  readonly toText: (column: string) => string;
}

/** SQL expressions for what a reader may read of custom attributes. */
interface CustomReader {
  /** `AttributeAccess.keys`. */
  readonly keys: string;
  /** The keys of the other custom attributes of the account, as an array. */
  readonly hidden: string;
}

function resource(shape: AccessShape, format: TextFormat, { keys, hidden }: CustomReader): string {
  const lastChange = lastReadableChange(shape, shape.readsCustom ? keys : null);
  const members = contractAttributes
    .filter(({ name }) => !isRestricted(name, shape))
    .map((attribute) => `"${attribute.name}":${value(attribute, format, lastChange)}`);
  if (shape.readsCustom)
    members.push(`"custom":' || coalesce((employees.custom - ${hidden})::text, '{}') || '`);
  return `
    '{"id":"' || employees.id || '","type":"employees","attributes":{${members.join(',')}}}'`;
}

/** The value of an attribute within a text constant of SQL. */
function value({ name, type, nullable }: ContractAttribute, format: TextFormat, lastChange: string): string {
  const { quote, toText } = type === 'text' ? format : formats[type];
  const text = toText(name === 'updated_at' ? `(${lastChange})` : `employees.${name}`);
  if (!nullable) return `${quote}' || ${text} || '${quote}`;
  const json = quote === '' ? text : `'${quote}' || ${text} || '${quote}'`;
  return `' || coalesce(${json}, 'null') || '`;
}

/** Types whose text has no escapes. */
const formats: Readonly<Record<Exclude<AttributeType, 'text'>, TextFormat>> = {
  date: { quote: '"', toText: (column) => `to_char(${column}, 'YYYY-MM-DD')` },
  timestamptz: { quote: '"', toText: timestampText },
};

/**
 * SQL expression for the resource object of an employee as JSON text, with the attributes of the contract that the reader may
 * read. The database writes it, because that costs the server a tenth of reading the columns and writing it itself. Records without
 * escapes, which are nearly all, take half the time: the benchmarks `list` and `sync` fail when all are escaped. An id has no escapes.
 */
export function employeeResource(shape: AccessShape, reader: CustomReader): string {
  return `CASE WHEN employees.has_escapes
    THEN ${resource(shape, { quote: '', toText: (column) => `to_json(${column})::text` }, reader)}
    ELSE ${resource(shape, { quote: '"', toText: (column) => column }, reader)} END`;
}

type LookupDatabase = Pick<ReadDatabase, 'runPrepared' | 'isDistributed'>;

interface EmployeeKey {
  readonly accountId: string;
  readonly id: string;
  /** Keys of custom attributes as `AttributeAccess.keys` has them. */
  readonly keys: string;
}

/** The reader of a request of a lookup. */
const readerOfRequest: CustomReader = { keys: 'request.keys', hidden: 'hidden.keys' };

const hiddenFromRequest = `CROSS JOIN LATERAL (${hiddenKeys('request.account_id', 'request.keys')}) AS hidden`;

/** The reader of a statement for the account $1. */
function readerOfAccount(keys: string): CustomReader {
  return { keys, hidden: `(${hiddenKeys('$1', keys)})` };
}

/**
 * The resource object of an employee as JSON.
 *
 * Benchmarks `get` (1.2 times the limit) and `get-1`; compared with the models in test/employees/batched-requests.test.ts.
 */
export function employeeById(database: LookupDatabase, shape: AccessShape) {
  const { readsCustom } = shape;
  const findById = defineLookup({
    name: statementName('employee_by_id', shape),
    columns: { account_id: 'text', position: 'bigint', id: 'text', keys: 'text' },
    request: ({ accountId, id, keys }: EmployeeKey) => ({
      account_id: accountId,
      position: employeePosition(id),
      id,
      keys,
    }),
    sql: `
    SELECT ${employeeResource(shape, readerOfRequest)} AS resource FROM employees ${readsCustom ? hiddenFromRequest : ''}
    WHERE employees.account_id = request.account_id AND employees.position = request.position
      AND employees.id = request.id`,
    toValue: ({ resource }: { resource: string }) => resource,
    scope: (keys) => accountScope(...keys.map(({ accountId }) => accountId)),
    maxBatchSize: 32,
    concurrency: 2,
    distributed: {
      statement: {
        name: statementName('employee_by_id_of_account', shape),
        text: `
        SELECT ${employeeResource(shape, readerOfAccount('$4'))} AS resource FROM employees
        WHERE account_id = $1 AND position = $2 AND id = $3`,
      },
      values: ({ accountId, id, keys }) => [
        accountId,
        employeePosition(id),
        id,
        ...(readsCustom ? [keys] : []),
      ],
      toValue: ([row]: readonly { resource: string }[]) => row?.resource ?? null,
    },
  });
  return findById(database);
}

/** A page of the employees of an account in the order of positions. */
interface PageKey {
  readonly accountId: string;
  /** Records of the page, at most 500. */
  readonly size: number;
  /** Start of the page: after the record at this position, or after a number of records. */
  readonly from: { readonly position: number } | { readonly skip: number };
  /** Keys of custom attributes as `AttributeAccess.keys` has them. */
  readonly keys: string;
}

type EmployeePageRow = Readonly<
  Record<'resources' | 'next', string | null> & Record<'count' | 'recordCount', string>
>;

/** An employee, or the number of employees of the account. */
type EmployeeRow = Readonly<Record<'resource' | 'position' | 'total', string | null>>;

/**
 * The limit of 500 is a constant, because the planner estimates an unknown limit as a tenth of the table. Whether a record
 * follows the page is read with ORDER BY and LIMIT 1: with EXISTS, the planner would read the table from its start. The start
 * of the page is computed in a subquery, which OFFSET 0 preserves: with row-level security, an index is not searched by a
 * comparison with a function of columns.
 */
const pageSql = (shape: AccessShape) => `
  SELECT page.resources, page.count,
    (SELECT coalesce(sum(count), 0)::text FROM employee_counts
     WHERE employee_counts.account_id = request.account_id AND level = 4) AS "recordCount",
    CASE WHEN (SELECT position FROM employees
               WHERE account_id = request.account_id AND position > page.last_position
               ORDER BY position LIMIT 1) IS NOT NULL
      THEN page.last_position::text END AS next
  FROM (
    SELECT CASE WHEN request.skip = 0 THEN request.after + 1
                ELSE employee_position_at(request.account_id, request.skip) END AS position
    OFFSET 0
  ) AS start ${shape.readsCustom ? hiddenFromRequest : ''}
  CROSS JOIN LATERAL (
    SELECT string_agg(resource, ',') AS resources, count(*)::text AS count, max(position) AS last_position
    FROM (
      SELECT resource, position FROM (
        SELECT ${employeeResource(shape, readerOfRequest)} AS resource, position FROM employees
        WHERE account_id = request.account_id AND position >= start.position
        ORDER BY position LIMIT 500
      ) AS largest
      LIMIT request.size
    ) AS employees
  ) AS page`;

/**
 * A page of the account's employees in the order of their ids.
 *
 * Benchmarks `list` (1.6 times the limit), `list-1`, `sync` and `pages`; compared with the models in
 * test/employees/batched-requests.test.ts.
 */
export function employeePage(database: LookupDatabase, shape: AccessShape) {
  const readPage = defineLookup({
    name: statementName('employee_page', shape),
    columns: { account_id: 'text', after: 'bigint', skip: 'bigint', size: 'integer', keys: 'text' },
    request: ({ accountId, size, from, keys }: PageKey) => ({
      account_id: accountId,
      ...startOf(from),
      size,
      keys,
    }),
    sql: pageSql(shape),
    toValue: ({ resources, count, recordCount, next }: EmployeePageRow): EmployeePage => ({
      resources: resources ?? '',
      count: Number(count),
      recordCount: Number(recordCount),
      nextAnchor: next === null ? null : anchorAt(next),
    }),
    scope: (keys) => accountScope(...keys.map(({ accountId }) => accountId)),
    // Few, so that a small page does not wait long for large ones.
    maxBatchSize: 8,
    concurrency: 3,
    distributed: {
      statement: {
        name: statementName('employee_page_of_account', shape),
        text: `
        SELECT ${employeeResource(shape, readerOfAccount('$5'))} AS resource, position::text AS position, NULL::text AS total FROM employees
        WHERE account_id = $1 AND position >=
          CASE WHEN $3::bigint = 0 THEN $2::bigint + 1 ELSE employee_position_at($1, $3) END
        ORDER BY employees.position LIMIT $4::integer + 1`,
        followedBy: {
          name: 'employee_total_of_account',
          text: `
          SELECT NULL::text AS resource, NULL::text AS position, coalesce(sum(count), 0)::text AS total
          FROM employee_counts WHERE account_id = $1 AND level = 4`,
        },
      },
      values: ({ accountId, size, from, keys }) => {
        const { after, skip } = startOf(from);
        return [accountId, after, skip, size, ...(shape.readsCustom ? [keys] : [])];
      },
      toValue: (rows: readonly EmployeeRow[], { size }) => {
        const found = rows.filter(({ total }) => total === null);
        const total = rows.find((row) => row.total !== null)?.total;
        const page = found.slice(0, size);
        return {
          resources: page.map(({ resource }) => resource).join(','),
          count: page.length,
          recordCount: Number(total),
          // One row more than the page shows that a record follows.
          nextAnchor: found.length > size ? anchorAt(page.at(-1)?.position) : null,
        };
      },
    },
  });
  return readPage(database);
}

/** The anchor of a list by id, which has no other sort keys. */
function anchorAt(position: string | null | undefined): EmployeeAnchor {
  return { values: [], position: Number(position) };
}

function startOf(from: PageKey['from']): { after: number; skip: number } {
  return 'position' in from ? { after: from.position, skip: 0 } : { after: -1, skip: from.skip };
}
