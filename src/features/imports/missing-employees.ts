import type { AccountId } from '../../platform/accounts/account-id.js';
import { change, type Unit } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { Clock } from '../../platform/clock.js';
import type { Database, Prisma } from '../../platform/database/client.js';
import { deletedAtOnce, deleteEmployees, type Employee, employeeSelection } from '../employees/index.js';

/** Number of employees that one statement reads. */
const readSize = 10_000;

/** Maximum number of employee numbers in an outcome. */
const maximumNamed = 10;

interface MissingRequest {
  /** Employee numbers of the file. */
  readonly numbers: ReadonlySet<string>;
  /** {@link MissingEmployees.start} at the start of the import. */
  readonly start: bigint;
  /** Employees that may be deleted, as a percentage of those that existed at the start. */
  readonly maximumPercent: number;
  /** Whether nothing is deleted in any case. */
  readonly dryRun: boolean;
}

/** Employees of an account that a file does not contain. */
export interface MissingOutcome {
  /** `above_limit`: nothing was deleted, or would be. */
  readonly kind: 'deleted' | 'above_limit';
  readonly missing: number;
  /** Employees that existed at the start of the import. */
  readonly total: number;
  /** The first employee numbers. */
  readonly named: readonly string[];
}

/** Deletes the employees that a complete import does not contain. */
export class MissingEmployees {
  readonly #prisma: Database['prisma'];
  readonly #clock: Clock;

  constructor({ prisma }: Database, clock: Clock) {
    this.#prisma = prisma;
    this.#clock = clock;
  }

  /** The position after the last employee. Employees that are added from now on are not missing in a file. */
  async start(accountId: AccountId): Promise<bigint> {
    const account = await this.#prisma.account.findFirst({
      where: { id: accountId },
      select: { employeeSequence: true },
    });
    return account?.employeeSequence ?? 0n;
  }

  /** Deletes the employees in one transaction, with an audit event for each, unless there are more than the limit allows. */
  delete(accountId: AccountId, request: MissingRequest): Promise<MissingOutcome> {
    const { maximumPercent, dryRun } = request;
    const work = async (unit: Unit): Promise<MissingOutcome> => {
      const { missing, total } = await findMissing(unit.tx, accountId, request);
      const named = missing.slice(0, maximumNamed).map(({ number }) => number);
      const facts = { missing: missing.length, total, named };
      if (missing.length * 100 > maximumPercent * total) return { kind: 'above_limit', ...facts };
      if (!dryRun) await deleteAll(unit, missing);
      return { kind: 'deleted', ...facts };
    };
    const context = { accountId, at: this.#clock() };
    return change(this.#prisma, context, lock.account, work, { maxWait: 60_000, timeout: 600_000 });
  }
}

async function deleteAll(unit: Unit, missing: readonly Found[]): Promise<void> {
  for (let first = 0; first < missing.length; first += deletedAtOnce) {
    const positions = missing.slice(first, first + deletedAtOnce).map(({ position }) => position);
    const employees = await unit.tx.$queryRaw<Employee[]>`
      SELECT ${employeeSelection} FROM employees
      WHERE account_id = ${unit.context.accountId} AND position = ANY (${positions}::text[]::bigint[])`;
    await deleteEmployees(unit, employees);
  }
}

interface Found {
  readonly position: string;
  readonly number: string;
}

async function findMissing(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  { numbers, start }: MissingRequest,
): Promise<{ missing: Found[]; total: number }> {
  const missing: Found[] = [];
  let total = 0;
  for (let after = '-1'; ; ) {
    const rows = await tx.$queryRaw<Found[]>`
      SELECT position::text, employee_number AS number FROM employees
      WHERE account_id = ${accountId} AND position > ${after}::text::bigint AND position < ${String(start)}::text::bigint
      ORDER BY employees.position LIMIT ${readSize}`;
    total += rows.length;
    missing.push(...rows.filter(({ number }) => !numbers.has(number)));
    const last = rows.at(-1);
    if (last === undefined || rows.length < readSize) return { missing, total };
    after = last.position;
  }
}
