import type { AccountId } from '../../platform/accounts/account-id.js';
import type { ReadDatabase } from '../../platform/database/client.js';
import type { Anchor } from '../../platform/database/keyset.js';
import { cutPage } from '../../platform/database/page-query.js';
import { accountScope, withScope } from '../../platform/database/scope.js';
import { type ChoiceRow, choicesQuery, type DirectoryChoices, groupChoices } from './directory-choices.js';
import { type BoundedCount, DirectoryQuery } from './directory-query.js';
import type { Employee } from './employee.js';
import type { DirectoryRequest } from './employee-page.js';
import { foldParts, maximumMatches, type SearchPart, searchParts } from './employee-search.js';

/** A page of the directory, and the filters that can be selected. */
export interface DirectoryPage {
  readonly employees: readonly Employee[];
  readonly count: number;
  /** Whether more employees than `count` may match. */
  readonly more: boolean;
  readonly choices: DirectoryChoices;
}

/** The directory of an account: its employees by search text and filters. */
export class Directory {
  readonly #prisma: ReadDatabase['prisma'];

  constructor({ prisma }: Pick<ReadDatabase, 'prisma'>) {
    this.#prisma = prisma;
  }

  /**
   * Reads a page of employees. A search reads at most {@link maximumMatches} employees for each way to find them, in the order
   * of their names; `more` is true when there may be others.
   */
  read(accountId: AccountId, { text, filter, sort, size, skip }: DirectoryRequest): Promise<DirectoryPage> {
    return withScope(accountScope(accountId), async () => {
      const query = new DirectoryQuery(accountId, filter, text === '' ? null : await this.#fold(text));
      const [[total], rows, choices] = await Promise.all([
        this.#prisma.$queryRaw<BoundedCount[]>(query.count()),
        this.#prisma.$queryRaw<(Employee & { anchor: Anchor })[]>(query.page({ sort, size, skip })),
        this.#prisma.$queryRaw<ChoiceRow[]>(choicesQuery(accountId, filter)),
      ]);
      const count = Number(total?.count ?? 0);
      const more = total?.more ?? false;
      return {
        employees: cutPage(rows, size).rows,
        count: more ? Math.min(count, maximumMatches) : count,
        more,
        choices: groupChoices(choices, filter, text !== ''),
      };
    });
  }

  /** The database folds the text, as it folds names. */
  async #fold(text: string): Promise<SearchPart[]> {
    const parts = searchParts(text);
    const rows = await this.#prisma.$queryRaw<{ folded: string }[]>(foldParts(parts));
    return parts.map((part, index) => ({
      text: part,
      words: (rows[index]?.folded ?? '').split(' ').filter((word) => word !== ''),
    }));
  }
}
