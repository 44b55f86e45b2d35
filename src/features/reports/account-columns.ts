import type { AccountId } from '../../platform/accounts/account-id.js';
import { type AttributeAccess, isReadableCustom } from '../../platform/contract/attribute-access.js';
import type { Prisma, ReadDatabase } from '../../platform/database/client.js';
import { accountScope, withScope } from '../../platform/database/scope.js';
import { readActiveAttributes } from '../employees/index.js';
import { comparedKeys, type ReportDefinition } from './report.js';
import { columnsWith, contractColumns, isCustomKey, type ReportColumns } from './report-columns.js';

type Client = Pick<Prisma.TransactionClient, 'customAttribute'>;

/** A reader of reports of an account. */
export interface ColumnReader {
  readonly accountId: AccountId;
  readonly access: Pick<AttributeAccess, 'custom'>;
}

/** Reads the columns that reports of an account can have for a reader: custom attributes only if they are readable and not archived. */
export async function readColumns(
  prisma: Client,
  { accountId, access }: ColumnReader,
): Promise<ReportColumns> {
  if (access.custom.length === 0) return contractColumns;
  const attributes = await readActiveAttributes(prisma, accountId);
  return columnsWith(attributes.filter(({ key }) => isReadableCustom(key, access)));
}

/** Reads the columns for definitions. Without a custom attribute in them, there is nothing to read. */
export async function readColumnsFor(
  prisma: Client,
  reader: ColumnReader,
  definitions: readonly Partial<ReportDefinition>[],
): Promise<ReportColumns> {
  const isCustom = definitions.some((definition) =>
    [...(definition.columns ?? []), ...comparedKeys(definition)].some(isCustomKey),
  );
  return isCustom ? await readColumns(prisma, reader) : contractColumns;
}

/** Reads the columns that reports of accounts can have. */
export class AccountColumns {
  readonly #prisma: ReadDatabase['prisma'];

  constructor({ prisma }: ReadDatabase) {
    this.#prisma = prisma;
  }

  /** The columns of a reader, see {@link readColumns}. */
  read(reader: ColumnReader): Promise<ReportColumns> {
    return withScope(accountScope(reader.accountId), () => readColumns(this.#prisma, reader));
  }

  /** The columns of a reader for definitions, see {@link readColumnsFor}. */
  readFor(reader: ColumnReader, definitions: readonly Partial<ReportDefinition>[]): Promise<ReportColumns> {
    return withScope(accountScope(reader.accountId), () => readColumnsFor(this.#prisma, reader, definitions));
  }
}
