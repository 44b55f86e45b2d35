import {
  insertEmployees as insertEmployeesIn,
  type NewEmployee,
} from '../../../src/features/employees/insert-employees.js';
import type { AccountId } from '../../../src/platform/accounts/account-id.js';
import type { PrismaClient } from '../../../src/platform/database/client.js';

/** Adds employees to an account in one transaction. */
export function insertEmployees(
  prisma: PrismaClient,
  accountId: AccountId,
  rows: readonly NewEmployee[],
): Promise<string[]> {
  return prisma.$transaction((tx) => insertEmployeesIn(tx, accountId, rows), { timeout: 600_000 });
}
