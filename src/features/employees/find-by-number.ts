import type { AccountId } from '../../platform/accounts/account-id.js';
import type { Prisma } from '../../platform/database/client.js';

/** Finds the ids of the account's employees with these numbers, by number. */
export async function findByNumber(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.$queryRaw<{ number: string; id: string }[]>`
    SELECT employee_number AS number, id FROM employees
    WHERE account_id = ${accountId} AND employee_number = ANY (${numbers}::text[])`;
  return new Map(rows.map(({ number, id }) => [number, id]));
}
