import type { AccountId } from '../../platform/accounts/account-id.js';
import type { ReadDatabase } from '../../platform/database/client.js';
import type { Report } from './report.js';

/** Reads the names of the users and applications that created reports. */
export class ReportCreators {
  readonly #reads: ReadDatabase['prisma'];

  constructor({ prisma }: ReadDatabase) {
    this.#reads = prisma;
  }

  /**
   * Reads the names of the creators of some reports of the account, by id of the report. A report without a user was created
   * by an application on its own behalf. A report whose creator no longer exists has no name.
   */
  async namesOf(accountId: AccountId, reports: readonly Report[]): Promise<ReadonlyMap<string, string>> {
    const userIds = distinct(reports.map((report) => report.createdByUserId));
    const applicationIds = distinct(reports.map((report) => report.createdByApplicationId));
    const [users, applications] = await Promise.all([
      this.#reads.user.findMany({
        where: { accountId, id: { in: userIds } },
        select: { id: true, givenName: true, familyName: true },
      }),
      this.#reads.application.findMany({
        where: { accountId, id: { in: applicationIds } },
        select: { id: true, name: true },
      }),
    ]);
    const userNames = new Map(users.map((user) => [user.id, `${user.givenName} ${user.familyName}`]));
    const applicationNames = new Map(applications.map(({ id, name }) => [id, name]));
    return new Map(
      reports.flatMap(({ id, createdByUserId, createdByApplicationId }): [string, string][] => {
        const name =
          createdByUserId === null
            ? applicationNames.get(createdByApplicationId ?? '')
            : userNames.get(createdByUserId);
        return name === undefined ? [] : [[id, name]];
      }),
    );
  }
}

function distinct(ids: readonly (string | null)[]): string[] {
  return [...new Set(ids.filter((id) => id !== null))];
}
