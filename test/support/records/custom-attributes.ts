import type { CustomType } from '../../../src/features/employees/index.js';
import type { AccountId } from '../../../src/platform/accounts/account-id.js';
import type { Database } from '../../../src/platform/database/client.js';

interface Definition {
  readonly key: string;
  readonly type?: CustomType;
  /** Default: "Label of <key>". */
  readonly label?: string;
  readonly choices?: readonly string[];
  readonly required?: boolean;
  readonly sensitive?: boolean;
  readonly archivedAt?: Date;
}

/** Adds custom attributes to an account, in this order. The default type is text. */
export async function defineAttributes(
  { prisma }: Pick<Database, 'prisma'>,
  accountId: AccountId,
  definitions: readonly Definition[],
): Promise<void> {
  await prisma.customAttribute.createMany({
    data: definitions.map(({ key, type = 'text', label, choices = [], ...more }, index) => {
      const at = new Date(Date.UTC(2026, 10, 1, 0, 0, index));
      return {
        ...{ accountId, key, type, label: label ?? `Label of ${key}` },
        ...{ choices: [...choices], createdAt: at, updatedAt: at },
        ...more,
      };
    }),
  });
}

/** Stores values of custom attributes of an employee, in place of those that are stored. */
export async function setCustomValues(
  { prisma }: Pick<Database, 'prisma'>,
  accountId: AccountId,
  id: string,
  custom: object,
): Promise<void> {
  await prisma.employee.updateMany({ where: { accountId, id }, data: { custom } });
}
