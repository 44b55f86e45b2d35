import { type AccountId, toAccountId } from '../../platform/accounts/account-id.js';
import { change, type Unit } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { Core } from '../../platform/core.js';
import { Prisma } from '../../platform/database/client.js';
import { allAccounts, withScope } from '../../platform/database/scope.js';
import { withdrawFromApplications } from './custom-attributes.js';
import { type ValueTable, valueTables } from './custom-value-tables.js';

/** Time between two looks for attributes to delete. */
export const purgePollMilliseconds = 30_000;

/** Changes of employees wait for the lock of a batch, so it is small. */
const defaultBatchSize = 1_000;

type Position = Readonly<Record<string, string | bigint>>;

/** An attribute that is being deleted. */
interface PurgedAttribute {
  readonly accountId: AccountId;
  readonly key: string;
  readonly label: string;
  readonly purgeRequestedAt: Date;
}

type Dependencies = Pick<Core, 'database' | 'clock'> & { readonly logger?: Pick<Core['logger'], 'warn'> };

/**
 * Deletes custom attributes with their values, in small batches. Nothing is stored about the progress: when it is interrupted, the
 * next run looks at all rows again, and changes those that are left. The last batch deletes the attribute itself, so that its key
 * cannot be used before.
 */
export class CustomAttributePurge {
  readonly #dependencies: Dependencies;
  readonly #batchSize: number;

  /** @param batchSize number of rows that a batch looks at */
  constructor(dependencies: Dependencies, { batchSize = defaultBatchSize } = {}) {
    this.#dependencies = dependencies;
    this.#batchSize = batchSize;
  }

  /**
   * Deletes all attributes whose deletion was requested. Several processes can run it at the same time.
   *
   * @param signal stops it after the current batch
   */
  async run(signal?: AbortSignal): Promise<void> {
    const { database, logger } = this.#dependencies;
    const requested = await withScope(allAccounts, () =>
      database.prisma.customAttribute.findMany({
        where: { purgeRequestedAt: { not: null } },
        orderBy: { purgeRequestedAt: 'asc' },
      }),
    );
    for (const { accountId, key } of requested) {
      if (signal?.aborted) return;
      await this.purge(toAccountId(accountId), key, signal).catch((err) =>
        logger?.warn({ err }, 'deleting a custom attribute failed and will be retried'),
      );
    }
  }

  /** Deletes an attribute if this was requested. */
  async purge(accountId: AccountId, key: string, signal?: AbortSignal): Promise<void> {
    const found = await withScope(allAccounts, () =>
      this.#dependencies.database.prisma.customAttribute.findUnique({
        where: { accountId_key: { accountId, key } },
      }),
    );
    if (found === null || found.purgeRequestedAt === null) return;
    const { label, purgeRequestedAt } = found;
    const attribute = { accountId, key, label, purgeRequestedAt };
    for (const table of valueTables) {
      let after: Position | null | undefined;
      do {
        if (signal?.aborted) return;
        after = await this.#change(attribute, (unit) => this.#removeBatch(unit, { table, key, after }));
      } while (after);
    }
    await this.#change(attribute, (unit) => remove(unit, attribute));
  }

  /**
   * Runs a step in a transaction, if the attribute is still to be deleted: otherwise another process has deleted it, and there may
   * be a new one with the key. Changes of employees lock the account too, so none of them stores a value that it has read before.
   */
  #change<Outcome>(
    { accountId, key, purgeRequestedAt }: PurgedAttribute,
    work: (unit: Unit) => Promise<Outcome>,
  ): Promise<Outcome | null> {
    const { database, clock } = this.#dependencies;
    const context = { accountId, at: clock() };
    return change(database.prisma, context, lock.account, async (unit) => {
      const where = { accountId, key, purgeRequestedAt };
      return (await unit.tx.customAttribute.count({ where })) === 0 ? null : await work(unit);
    });
  }

  /** Removes values of a batch of rows. Returns the position of the last row; `null` after the last batch. */
  async #removeBatch(
    { tx, context: { accountId } }: Unit,
    {
      table: { name, keys, without, hasValue },
      key,
      after,
    }: { table: ValueTable; key: string; after: Position | null | undefined },
  ): Promise<Position | null> {
    const [table, columns] = [Prisma.raw(name), Prisma.raw(keys.join(', '))];
    const compare = (operator: string, position: Position) => {
      const values = keys.map((column) => Prisma.sql`${position[column]}`);
      return Prisma.sql`AND (${columns}) ${Prisma.raw(operator)} (${Prisma.join(values)})`;
    };
    const isLater = after ? compare('>', after) : Prisma.empty;
    const [last] = await tx.$queryRaw<Position[]>`
      SELECT ${columns} FROM (
        SELECT ${columns} FROM ${table} WHERE account_id = ${accountId} ${isLater}
        ORDER BY ${columns} LIMIT ${this.#batchSize}
      ) AS batch
      ORDER BY ${Prisma.raw(keys.map((column) => `${column} DESC`).join(', '))} LIMIT 1`;
    if (last === undefined) return null;
    await tx.$executeRaw`
      UPDATE ${table} SET ${without(key)}
      WHERE account_id = ${accountId} ${isLater} ${compare('<=', last)} AND ${hasValue(key)}`;
    return last;
  }
}

/** Removes an attribute without values: from what applications may read, and from the account. */
async function remove(unit: Unit, { accountId, key, label }: PurgedAttribute): Promise<void> {
  await withdrawFromApplications(unit.tx, accountId, key);
  await unit.tx.customAttribute.delete({ where: { accountId_key: { accountId, key } } });
  await unit.record('custom_attribute.purged', { key, label });
}
