import type { AccountId } from '../../platform/accounts/account-id.js';
import type { AuditEventType } from '../../platform/audit/audit-log.js';
import type { Core } from '../../platform/core.js';
import { employeePosition } from '../../platform/database/ids.js';
import type { AuditEntry, AuditLogReader } from '../audit-log/index.js';
import { type Employee, readEmployeesByPosition } from '../employees/index.js';

/** Events that change what the users of an account see. */
const types = [
  'employee.created',
  'employee.updated',
  'employee.deleted',
  'employees.imported',
  'employees.import_undone',
  'report.created',
  'report.updated',
  'report.deleted',
  'application.created',
  'application.updated',
  'application.deleted',
  'invitation.created',
  'invitation.accepted',
  'user.role_changed',
] as const satisfies readonly AuditEventType[];

/** A change, with the employee if it still exists. */
export interface RecentChange {
  readonly entry: AuditEntry;
  readonly employee: Employee | undefined;
}

/** Reads the newest changes of an account. */
export class RecentChanges {
  readonly #prisma: Core['reads']['prisma'];
  readonly #auditLog: AuditLogReader;

  constructor({ reads }: Pick<Core, 'reads'>, auditLog: AuditLogReader) {
    this.#prisma = reads.prisma;
    this.#auditLog = auditLog;
  }

  /** The newest changes of an account, newest first. */
  async list(accountId: AccountId, size: number): Promise<RecentChange[]> {
    const entries = await this.#auditLog.newest(accountId, { types, size });
    const positions = entries.map(({ details }) => employeePosition(String(details.employee ?? '')));
    const found = await readEmployeesByPosition(this.#prisma, accountId, positions);
    const byId = new Map(found.map((employee) => [employee.id, employee]));
    return entries.map((entry) => ({ entry, employee: byId.get(String(entry.details.employee)) }));
  }
}
