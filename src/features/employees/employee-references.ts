import type { AccountId } from '../../platform/accounts/account-id.js';
import { Prisma } from '../../platform/database/client.js';
import { employeePosition, employeePositionSql } from '../../platform/database/ids.js';
import {
  type Employee,
  type EmployeeRecord,
  employeeSelection,
  type GivenReferences,
  initialValue,
} from './employee.js';
import { type GivenValues, givenAttributes } from './employee-attributes.js';

/** Reads the account's employee with this id; `null` if this account has none with this id, also for a malformed id. */
export async function readEmployee(
  prisma: Pick<Prisma.TransactionClient, '$queryRaw'>,
  accountId: AccountId,
  id: string,
): Promise<Employee | null> {
  const position = employeePosition(id);
  if (position === -1) return null;
  const [employee] = await prisma.$queryRaw<Employee[]>`
    SELECT ${employeeSelection} FROM employees
    WHERE account_id = ${accountId} AND position = ${position} AND id = ${id}`;
  return employee ?? null;
}

/** The employees of references, or the references that are unknown, or that are the number of one employee and the id of another. */
export type ResolvedReferences =
  | { readonly kind: 'found'; readonly employees: readonly Employee[] }
  | { readonly kind: 'rejected'; readonly unknown: readonly string[]; readonly ambiguous: readonly string[] };

/** Finds employees of the account by employee number or id. Each one is found once, in the order of the references. */
export async function resolveReferences(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  references: readonly string[],
): Promise<ResolvedReferences> {
  const positions = references.map(employeePosition).filter((position) => position !== -1);
  const found = await tx.$queryRaw<Employee[]>`
    SELECT ${employeeSelection} FROM employees
    WHERE account_id = ${accountId} AND employee_number = ANY (${references}::text[])
    UNION ALL
    SELECT ${employeeSelection} FROM employees
    WHERE account_id = ${accountId} AND position = ANY (${positions}::bigint[]) AND id = ANY (${references}::text[])`;
  const byNumber = new Map(found.map((employee) => [employee.employeeNumber, employee]));
  const byId = new Map(found.map((employee) => [employee.id, employee]));
  const employees = new Map<string, Employee>();
  const unknown = new Set<string>();
  const ambiguous = new Set<string>();
  for (const reference of references) {
    const [numbered, identified] = [byNumber.get(reference), byId.get(reference)];
    const employee = numbered ?? identified;
    if (employee === undefined) unknown.add(reference);
    else if (numbered !== undefined && identified !== undefined && numbered.id !== identified.id)
      ambiguous.add(reference);
    else employees.set(employee.id, employee);
  }
  if (unknown.size > 0 || ambiguous.size > 0)
    return { kind: 'rejected', unknown: [...unknown], ambiguous: [...ambiguous] };
  return { kind: 'found', employees: [...employees.values()] };
}

/** Finds the ids of the account's employees with these numbers, by number. */
async function findByNumber(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.$queryRaw<{ number: string; id: string }[]>`
    SELECT employee_number AS number, id FROM employees
    WHERE account_id = ${accountId} AND employee_number = ANY (${numbers}::text[])`;
  return new Map(rows.map(({ number, id }) => [number, id]));
}

/**
 * Reads columns of the account's employees with these numbers. OFFSET 0 makes PostgreSQL look up each number in the index: during
 * a large import the planner assumes that the account is small, and would read all of its rows.
 */
export function lookUpNumbers<Row>(
  prisma: Pick<Prisma.TransactionClient, '$queryRaw'>,
  accountId: AccountId,
  { numbers, columns }: { numbers: readonly string[]; columns: Prisma.Sql },
): Promise<Row[]> {
  return prisma.$queryRaw<Row[]>`
    SELECT found.* FROM unnest(${numbers}::text[]) AS given (number)
    CROSS JOIN LATERAL (
      SELECT ${columns} FROM employees
      WHERE account_id = ${accountId} AND employee_number = given.number OFFSET 0
    ) AS found`;
}

/** Reads the account's employees with these numbers. */
export function readEmployeesByNumber(
  prisma: Pick<Prisma.TransactionClient, '$queryRaw'>,
  accountId: AccountId,
  numbers: readonly string[],
): Promise<Employee[]> {
  return lookUpNumbers(prisma, accountId, { numbers, columns: employeeSelection });
}

/** Reads the account's employees with these ids, by position. Ids that no employee has are ignored. */
export async function readEmployees(
  prisma: Pick<Prisma.TransactionClient, '$queryRaw'>,
  accountId: AccountId,
  ids: readonly string[],
): Promise<Employee[]> {
  const positions = ids.map(employeePosition).filter((position) => position !== -1);
  const known = new Set(ids);
  const found = await readEmployeesByPosition(prisma, accountId, positions);
  return found.filter(({ id }) => known.has(id));
}

/** Reads the account's employees at these positions. */
export function readEmployeesByPosition(
  prisma: Pick<Prisma.TransactionClient, '$queryRaw'>,
  accountId: AccountId,
  positions: readonly number[],
): Promise<Employee[]> {
  return prisma.$queryRaw<Employee[]>`
    SELECT ${employeeSelection} FROM employees
    WHERE account_id = ${accountId} AND position = ANY (${positions}::bigint[])`;
}

/** The manager of an employee, by id. */
interface ManagerEdge {
  readonly id: string;
  readonly managerId: string;
}

/**
 * Reads the managers of employees, their managers, and so on. The position of a manager is computed in a subquery, which
 * OFFSET 0 preserves: with row-level security, an index is not searched by an expression of functions that are not leakproof.
 *
 * @param ids ids of employees of the account
 */
export function managersAbove(
  tx: Pick<Prisma.TransactionClient, '$queryRaw'>,
  accountId: AccountId,
  ids: readonly string[],
): Promise<ManagerEdge[]> {
  const employeeAt = (position: Prisma.Sql) => Prisma.sql`
    LATERAL (
      SELECT id, manager_id FROM employees WHERE account_id = ${accountId} AND position = ${position} OFFSET 0
    ) AS employee`;
  return tx.$queryRaw<ManagerEdge[]>`
    WITH RECURSIVE chain (id, manager_id) AS (
      SELECT employee.* FROM unnest(${ids.map(employeePosition)}::bigint[]) AS given (position)
      CROSS JOIN ${employeeAt(Prisma.sql`given.position`)}
      UNION
      SELECT employee.* FROM chain
      CROSS JOIN LATERAL (SELECT ${managerPosition} AS position OFFSET 0) AS above
      CROSS JOIN ${employeeAt(Prisma.sql`above.position`)}
    )
    SELECT id, manager_id AS "managerId" FROM chain WHERE manager_id IS NOT NULL`;
}

const managerPosition = Prisma.raw(employeePositionSql('chain.manager_id'));

/** The values of an employee as a user provides them, without `managerId`. Absent values are `null`. */
export interface EmployeeInput {
  readonly employee: EmployeeRecord;
  /** Employee number of the manager; `null`: none. */
  readonly managerNumber: string | null;
  /** The employees that custom attributes refer to. Those of absent keys are not changed. */
  readonly references?: GivenReferences | undefined;
}

/** The reason why the values of an employee are not stored. */
export type EmployeeRejection = 'number_taken' | 'manager_unknown' | 'manager_self' | 'manager_cycle';

/**
 * Finds the manager of several employees by employee number, in a change that has locked the account.
 *
 * @returns the id, or the reason why one of the employees cannot have this manager
 */
export async function resolveManager(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  { employeeIds, number }: { employeeIds: ReadonlySet<string>; number: string },
): Promise<{ readonly id: string } | { readonly reasons: readonly EmployeeRejection[] }> {
  const id = (await findByNumber(tx, accountId, [number])).get(number);
  if (id === undefined) return { reasons: ['manager_unknown'] };
  if (employeeIds.has(id)) return { reasons: ['manager_self'] };
  const chain = await managersAbove(tx, accountId, [id]);
  return chain.some(({ managerId }) => employeeIds.has(managerId)) ? { reasons: ['manager_cycle'] } : { id };
}

/**
 * Checks values against the other employees, in a change that has locked the account, `change(…, lock.account)`: until it ends,
 * no other one stores the same number or a manager.
 *
 * @param employeeId `null` for an employee that is not stored yet
 * @returns all values, or the reason for their rejection
 */
export async function resolveInput(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  { employeeId, input }: { employeeId: string | null; input: EmployeeInput },
): Promise<{ readonly values: GivenValues } | { readonly reasons: readonly EmployeeRejection[] }> {
  const { employee, managerNumber } = input;
  const { employeeNumber } = employee;
  const known = await findByNumber(tx, accountId, [
    employeeNumber,
    ...(managerNumber === null ? [] : [managerNumber]),
  ]);
  const reasons: EmployeeRejection[] = [];
  if ((known.get(employeeNumber) ?? employeeId) !== employeeId) reasons.push('number_taken');
  let managerId: string | null = null;
  if (managerNumber !== null) {
    managerId = known.get(managerNumber) ?? null;
    // Also the number that a new employee gets.
    if (managerNumber === employeeNumber) reasons.push('manager_self');
    else if (managerId === null) reasons.push('manager_unknown');
    else if (managerId === employeeId) reasons.push('manager_self');
    else if (employeeId !== null) {
      const chain = await managersAbove(tx, accountId, [managerId]);
      if (chain.some((edge) => edge.managerId === employeeId)) reasons.push('manager_cycle');
    }
  }
  if (reasons.length > 0) return { reasons };
  const values = givenAttributes.map((attribute) => [attribute.member, initialValue(employee, attribute)]);
  return { values: { ...Object.fromEntries(values), managerId } as GivenValues };
}

/** Ids of employees who are the manager of others, in their order. Each is one search of an index. */
export async function readManagerIds(
  prisma: Pick<Prisma.TransactionClient, '$queryRaw'>,
  accountId: AccountId,
  limit: number,
): Promise<string[]> {
  const rows = await prisma.$queryRaw<{ id: string }[]>`
    WITH RECURSIVE managers (id, place) AS (
      (SELECT manager_id, 1 FROM employees WHERE account_id = ${accountId} AND manager_id IS NOT NULL
       ORDER BY manager_id LIMIT 1)
      UNION ALL
      SELECT following.manager_id, place + 1 FROM managers CROSS JOIN LATERAL (
        SELECT manager_id FROM employees WHERE account_id = ${accountId} AND manager_id > managers.id
        ORDER BY manager_id LIMIT 1
      ) AS following
      WHERE place < ${limit}::int)
    SELECT id FROM managers`;
  return rows.map(({ id }) => id);
}
