import type { AccountId } from '../../platform/accounts/account-id.js';
import { customName } from '../../platform/contract/attribute-access.js';
import type { Prisma } from '../../platform/database/client.js';

/** Types of the values of custom attributes. */
export const customTypes = [
  'text',
  'long_text',
  'number',
  'date',
  'boolean',
  'choice',
  'choices',
  'employee',
] as const;

export type CustomType = (typeof customTypes)[number];

/** The types for users. */
export const customTypeLabels: Readonly<Record<CustomType, string>> = {
  text: 'Text',
  long_text: 'Long text',
  number: 'Number',
  date: 'Date',
  boolean: 'Yes or no',
  choice: 'One choice',
  choices: 'Several choices',
  employee: 'Employee',
};

/** An attribute that an account has added to its employees. */
export interface CustomAttribute {
  /** Name of the value in `attributes.custom`. It never changes. */
  readonly key: string;
  /** `custom.<key>`: its name in imports, forms, events and the audit log. */
  readonly name: string;
  readonly label: string;
  readonly description: string | null;
  readonly type: CustomType;
  /** The values of a choice, in the order in which forms show them. Empty for other types. */
  readonly choices: readonly string[];
  /** Whether an employee who is added, edited or imported must have a value. */
  readonly required: boolean;
  /** Whether only owners and administrators see the values on pages. */
  readonly sensitive: boolean;
  /** `null` unless it is archived: its values are kept, and neither shown nor changed. */
  readonly archivedAt: Date | null;
  /** When it was requested to delete it with its values; `null` unless it is archived. */
  readonly purgeRequestedAt: Date | null;
}

/** Reads the custom attributes of an account in the order in which they were added. */
export async function readCustomAttributes(
  prisma: Pick<Prisma.TransactionClient, 'customAttribute'>,
  accountId: AccountId,
): Promise<CustomAttribute[]> {
  const rows = await prisma.customAttribute.findMany({
    where: { accountId },
    orderBy: [{ createdAt: 'asc' }, { key: 'asc' }],
  });
  return rows.map(({ accountId: _, createdAt: __, updatedAt: ___, ...row }) => ({
    ...row,
    name: customName(row.key),
    type: row.type as CustomType,
  }));
}

/** Removes an attribute from what the applications of an account may read. Another one with its key is not theirs to read. */
export async function withdrawFromApplications(
  tx: Pick<Prisma.TransactionClient, '$executeRaw'>,
  accountId: AccountId,
  key: string,
): Promise<void> {
  const name = customName(key);
  await tx.$executeRaw`
    UPDATE applications SET readable_attributes = array_remove(readable_attributes, ${name})
    WHERE account_id = ${accountId} AND ${name} = ANY (readable_attributes)`;
}

/** Reads the custom attributes of an account that are not archived, in the order in which they were added. */
export async function readActiveAttributes(
  prisma: Pick<Prisma.TransactionClient, 'customAttribute'>,
  accountId: AccountId,
): Promise<CustomAttribute[]> {
  const attributes = await readCustomAttributes(prisma, accountId);
  return attributes.filter(({ archivedAt }) => archivedAt === null);
}
