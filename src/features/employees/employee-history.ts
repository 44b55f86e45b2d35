import type { AccountId } from '../../platform/accounts/account-id.js';
import { readActorNames } from '../../platform/accounts/actor-names.js';
import { type Clock, dayMilliseconds, utcDate } from '../../platform/clock.js';
import type { AttributeAccess } from '../../platform/contract/attribute-access.js';
import type { ReadDatabase } from '../../platform/database/client.js';
import { employeePosition } from '../../platform/database/ids.js';
import { accountScope, withScope } from '../../platform/database/scope.js';
import { changesOfEmployee } from './employee-change-statement.js';
import type { HistoryDates } from './employees-as-of.js';

/** A page of the changes of an employee. */
export interface HistoryRequest {
  readonly employeeId: string;
  /** Position of the last change of the previous page; absent for the first page. */
  readonly before?: number | undefined;
  readonly size: number;
  /** Changes of only attributes that the reader may not read are not in the history. */
  readonly access: AttributeAccess;
}

interface HistoryPage {
  /** Resource objects as JSON, newest first. */
  readonly changes: readonly string[];
  /** Position of the last change if more follow; otherwise `null`. */
  readonly next: number | null;
}

/** Whether a value from a client can be the position of a change. */
export function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

type ChangeRow = Readonly<Record<'position' | 'document', string>> | Readonly<Record<'position', null>>;

/** The changes of employees, which are events of the account that are kept for longer than the feed shows them. */
export class EmployeeHistory {
  readonly #database: Pick<ReadDatabase, 'prisma' | 'runPrepared'>;
  readonly #clock: Clock;
  /** Days for which changes are shown. */
  readonly retentionDays: number;

  constructor(
    database: Pick<ReadDatabase, 'prisma' | 'runPrepared'>,
    { clock, retentionDays }: { clock: Clock; retentionDays: number },
  ) {
    this.#database = database;
    this.#clock = clock;
    this.retentionDays = retentionDays;
  }

  /** Reads a page of the changes of an employee; `null` if this account has none with this id. */
  async page(
    accountId: AccountId,
    { employeeId, before = Number.MAX_SAFE_INTEGER, size, access }: HistoryRequest,
  ): Promise<HistoryPage | null> {
    const rows = await this.#database.runPrepared<ChangeRow>(
      changesOfEmployee(access),
      [
        ...[accountId, String(employeePosition(employeeId)), employeeId, String(before)],
        ...[this.#cutoff().toISOString(), String(size + 1)],
        ...(access.keys === '' ? [] : [access.keys]),
      ],
      accountScope(accountId),
    );
    if (rows.length === 0) return null;
    const found = rows.filter((row) => row.position !== null);
    const shown = found.slice(0, size);
    const last = found.length > size ? shown.at(-1) : undefined;
    return {
      changes: shown.map(({ document }) => document),
      next: last === undefined ? null : Number(last.position),
    };
  }

  /** Reads the names of users who made changes, by id. Those who were deleted are absent. */
  async userNames(accountId: AccountId, userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const actors = userIds.map((userId) => ({ userId, applicationId: null }));
    const { users } = await withScope(accountScope(accountId), () =>
      readActorNames(this.#database, accountId, actors),
    );
    return new Map([...users].map(([id, { name }]) => [id, name]));
  }

  /**
   * The time before which changes of the account are in its audit log only, if some of them may still be shown; otherwise `null`. An
   * account that was created since has all its changes in the history.
   */
  async incompleteBefore(accountId: AccountId): Promise<Date | null> {
    const { historySince, createdAt } = await this.#account(accountId);
    return historySince > createdAt && historySince > this.#cutoff() ? historySince : null;
  }

  /** Reads the dates for which the history of an account is complete. */
  async dates(accountId: AccountId): Promise<HistoryDates> {
    const now = this.#clock();
    const { historySince } = await this.#account(accountId);
    const since = Math.min(Math.max(historySince.getTime(), this.#cutoff().getTime()), now.getTime());
    return { oldest: utcDate(new Date(since)), latest: utcDate(now) };
  }

  #account(accountId: AccountId): Promise<{ readonly historySince: Date; readonly createdAt: Date }> {
    return withScope(accountScope(accountId), () =>
      this.#database.prisma.account.findUniqueOrThrow({
        where: { id: accountId },
        select: { historySince: true, createdAt: true },
      }),
    );
  }

  /** The time of the oldest change that is shown. */
  #cutoff(): Date {
    return new Date(this.#clock().getTime() - this.retentionDays * dayMilliseconds);
  }
}
