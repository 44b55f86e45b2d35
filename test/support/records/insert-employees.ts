import type { PrismaClient } from '../../../src/database/client.js';
import type { AccountId } from '../../../src/services/account-id.js';
import {
  insertEmployees as insertEmployeesIn,
  type NewEmployee,
} from '../../../src/services/employees/insert-employees.js';

/** Adds employees to an account in one transaction. */
export function insertEmployees(
  prisma: PrismaClient,
  accountId: AccountId,
  rows: readonly NewEmployee[],
): Promise<string[]> {
  return prisma.$transaction((tx) => insertEmployeesIn(tx, accountId, rows), { timeout: 600_000 });
}
