import { hash } from 'node:crypto';
import type { AccountId } from '../../platform/accounts/account-id.js';
import { lockAccount } from '../../platform/changes/locks.js';
import { Prisma } from '../../platform/database/client.js';
import { employeePosition } from '../../platform/database/ids.js';
import {
  customValue,
  type EarlierValues,
  type Employee,
  type EmployeeRecord,
  employeeVersion,
  readEmployeesByNumber,
  readEmployeesByPosition,
  valuesToChange,
} from '../employees/index.js';
import type { ManagerChange } from './assign-managers.js';
import type { ReferenceChange } from './assign-references.js';

/** A change of an employee, in a transaction that has locked the account. */
interface RecordedChange {
  readonly position: number;
  readonly version: string;
  readonly manager_id: string | null;
  /** Absent: the change created the employee. */
  readonly before?: EarlierValues;
  /** The version and the manager before the change. If they differ from those of an earlier change of the import, others changed the employee. */
  readonly earlier_version?: string;
  readonly earlier_manager_id?: string | null;
}

/** Between the parts of a version, and between the key and the hash of a part. */
const partSeparator = ' ';
const keySeparator = ':';

/**
 * Version of an employee without the manager, which an import stores later: the hash of the values, and the key and the hash of each
 * value of a custom attribute. So it can be compared without attributes that are archived or deleted since.
 */
function versionWithoutManager({ custom, ...employee }: Employee): string {
  const values = employeeVersion({ ...employee, managerId: null, custom: {} });
  const parts = Object.entries(custom).map(
    ([key, value]) => `${key}${keySeparator}${hash('sha256', JSON.stringify(value), 'base64url')}`,
  );
  return [values, ...parts.toSorted()].join(partSeparator);
}

/**
 * Whether an employee has the values of a recorded version, except the manager.
 *
 * @param active keys of the custom attributes that are compared
 */
export function hasVersion(employee: Employee, version: string, active: ReadonlySet<string>): boolean {
  const comparable = (text: string) =>
    text
      .split(partSeparator)
      .filter((part) => !part.includes(keySeparator) || active.has(part.split(keySeparator, 1)[0] ?? ''))
      .join(partSeparator);
  return comparable(version) === comparable(versionWithoutManager(employee));
}

/** Records which employees an import creates and changes, so that it can be undone. */
export class ImportHistory {
  readonly #accountId: AccountId;
  readonly #importId: string;
  readonly #expiresAt: Date;

  constructor({ accountId, id, expiresAt }: { accountId: AccountId; id: string; expiresAt: Date }) {
    this.#accountId = accountId;
    this.#importId = id;
    this.#expiresAt = expiresAt;
  }

  /** Stores a batch, and records its changes in the same transaction. */
  async recordBatch<Result>(
    tx: Prisma.TransactionClient,
    rows: readonly EmployeeRecord[],
    store: () => Promise<Result>,
  ): Promise<Result> {
    const accountId = this.#accountId;
    await lockAccount(tx, accountId);
    const before = byNumber(
      await readEmployeesByNumber(
        tx,
        accountId,
        rows.map(({ employeeNumber }) => employeeNumber),
      ),
    );
    const changed = rows.filter((row) => {
      const stored = before.get(row.employeeNumber);
      return stored === undefined || Object.keys(valuesToChange(stored, row)).length > 0;
    });
    const result = await store();
    const numbers = changed.map(({ employeeNumber }) => employeeNumber);
    const after = byNumber(await readEmployeesByNumber(tx, accountId, numbers));
    const changes = changed.flatMap((row): RecordedChange[] => {
      const [earlier, employee] = [before.get(row.employeeNumber), after.get(row.employeeNumber)];
      if (employee === undefined) return [];
      const { id, managerId: manager_id } = employee;
      const change = { position: employeePosition(id), version: versionWithoutManager(employee), manager_id };
      if (earlier === undefined) return [change];
      return [
        {
          ...change,
          before: valuesToChange(earlier, row),
          earlier_version: versionWithoutManager(earlier),
          earlier_manager_id: manager_id,
        },
      ];
    });
    await this.#record(tx, changes);
    return result;
  }

  /** Records managers that were stored in this transaction. */
  async recordManagers(tx: Prisma.TransactionClient, managers: readonly ManagerChange[]): Promise<void> {
    const positions = managers.map(({ employee }) => employeePosition(employee.id));
    const stored = await readEmployeesByPosition(tx, this.#accountId, positions);
    const employees = new Map(stored.map((employee) => [employee.id, employee]));
    const changes = managers.flatMap(({ employee: { id, managerId }, managerId: manager_id }) => {
      const employee = employees.get(id);
      if (employee === undefined) return [];
      const version = versionWithoutManager(employee);
      const before = { managerId };
      const earlier = { earlier_version: version, earlier_manager_id: managerId };
      return [{ position: employeePosition(id), version, manager_id, before, ...earlier }];
    });
    await this.#record(tx, changes);
  }

  /** Records references to employees that were stored in this transaction. */
  async recordReferences(
    tx: Prisma.TransactionClient,
    references: readonly ReferenceChange[],
  ): Promise<void> {
    const positions = references.map(({ id }) => employeePosition(id));
    const stored = await readEmployeesByPosition(tx, this.#accountId, positions);
    const employees = new Map(stored.map((employee) => [employee.id, employee]));
    const changes = references.flatMap(({ id, before: custom, changes: changed }) => {
      const employee = employees.get(id);
      if (employee === undefined) return [];
      const { managerId: manager_id } = employee;
      const earlier = Object.keys(changed).map((key) => [key, customValue(custom, key) ?? null]);
      return [
        {
          position: employeePosition(id),
          version: versionWithoutManager(employee),
          manager_id,
          before: { custom: Object.fromEntries(earlier) },
          earlier_version: versionWithoutManager({ ...employee, custom }),
          earlier_manager_id: manager_id,
        },
      ];
    });
    await this.#record(tx, changes);
  }

  /** An employee that the import has changed before keeps the earliest values, also of each custom attribute. */
  async #record(tx: Prisma.TransactionClient, changes: readonly RecordedChange[]): Promise<void> {
    if (changes.length === 0) return;
    const [accountId, importId] = [this.#accountId, this.#importId];
    const updates = changes.filter(({ before }) => before !== undefined);
    const hasCustom = updates.some(({ before }) => before?.custom !== undefined);
    const before = Prisma.raw(hasCustom ? `${earliest} || ${earliestCustom}` : earliest);
    if (updates.length > 0)
      await tx.$executeRaw`
        UPDATE employee_import_changes AS stored SET
          version = CASE
            WHEN stored.version = given.earlier_version
              AND stored.manager_id IS NOT DISTINCT FROM given.earlier_manager_id THEN given.version
            ELSE '' END,
          manager_id = given.manager_id, before = ${before}
        FROM json_to_recordset(${JSON.stringify(updates)}::json) AS given
          (position bigint, version text, manager_id text, before jsonb, earlier_version text, earlier_manager_id text)
        WHERE stored.account_id = ${accountId} AND stored.import_id = ${importId}
          AND stored.position = given.position`;
    await tx.$executeRaw`
      INSERT INTO employee_import_changes (account_id, import_id, position, version, manager_id, before, expires_at)
      SELECT ${accountId}, ${importId}, given.*, ${this.#expiresAt.toISOString()}::timestamptz
      FROM json_to_recordset(${JSON.stringify(changes)}::json) AS given
        (position bigint, version text, manager_id text, before jsonb)
      ON CONFLICT DO NOTHING`;
  }
}

/** The operator replaces members of the object only, not those of an object in it. */
const earliest = 'given.before || stored.before';
const earliestCustom = `
  CASE WHEN given.before -> 'custom' IS NULL OR stored.before -> 'custom' IS NULL THEN '{}'
    ELSE jsonb_build_object('custom', (given.before -> 'custom') || (stored.before -> 'custom')) END`;

function byNumber(employees: readonly Employee[]): ReadonlyMap<string, Employee> {
  return new Map(employees.map((employee) => [employee.employeeNumber, employee]));
}
