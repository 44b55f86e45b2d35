import type { AccountId } from '../../platform/accounts/account-id.js';
import { Prisma, type ReadDatabase } from '../../platform/database/client.js';
import { employeePosition } from '../../platform/database/ids.js';
import { accountScope, withScope } from '../../platform/database/scope.js';
import { type Employee, employeeSelection, employeesByName } from './employee.js';
import { managersAbove, readEmployeesByPosition, readManagerIds } from './employee-references.js';

/** Managers from whom the top of the organisation is looked for. */
const maximumManagers = 2000;

/** People at the top that are read. */
const maximumTop = 50;

/** Managers above a person that are read. */
const maximumAbove = 20;

/** Direct reports that are counted. */
export const maximumCount = 1000;

/** A person with direct reports, of whom only some are read. */
export interface OrganisationNode {
  readonly person: Employee;
  /** Number of direct reports, at most {@link maximumCount} + 1. */
  readonly count: number;
  readonly reports: readonly OrganisationNode[];
}

/** The number of direct reports that are read for each person of a level. The last level has none. */
type LevelSizes = readonly number[];

/** Who reports to whom. */
export class Organisation {
  readonly #prisma: ReadDatabase['prisma'];

  constructor({ prisma }: ReadDatabase) {
    this.#prisma = prisma;
  }

  /**
   * Reads the people who have direct reports and no manager, by name; at most {@link maximumTop}. In an account with more than
   * 2,000 managers, those above 2,000 of them.
   */
  async top(
    accountId: AccountId,
    sizes: LevelSizes,
  ): Promise<{ nodes: readonly OrganisationNode[]; more: boolean }> {
    return await withScope(accountScope(accountId), async () => {
      const managers = await readManagerIds(this.#prisma, accountId, maximumManagers);
      const edges = await managersAbove(this.#prisma, accountId, managers);
      const below = new Set(edges.map(({ id }) => id));
      const top = [...new Set([...managers, ...edges.map(({ managerId }) => managerId)])].filter(
        (id) => !below.has(id),
      );
      const people = await readEmployeesByPosition(
        this.#prisma,
        accountId,
        top.slice(0, maximumTop).map(employeePosition),
      );
      return {
        nodes: await this.#nodes(accountId, employeesByName(people), sizes),
        more: top.length > maximumTop || managers.length === maximumManagers,
      };
    });
  }

  /** Reads the levels below a person, and the nearest managers above, the highest one first; at most {@link maximumAbove}. */
  async around(
    accountId: AccountId,
    person: Employee,
    sizes: LevelSizes,
  ): Promise<{ above: readonly Employee[]; node: OrganisationNode }> {
    return await withScope(accountScope(accountId), async () => {
      const edges = await managersAbove(this.#prisma, accountId, [person.id]);
      const managerOf = new Map(edges.map(({ id, managerId }) => [id, managerId]));
      const ids: string[] = [];
      for (
        let id = managerOf.get(person.id);
        id !== undefined && ids.length < maximumAbove;
        id = managerOf.get(id)
      )
        ids.unshift(id);
      const found = await readEmployeesByPosition(this.#prisma, accountId, ids.map(employeePosition));
      const employees = new Map(found.map((employee) => [employee.id, employee]));
      const [node] = await this.#nodes(accountId, [person], sizes);
      return {
        above: ids.flatMap((id) => employees.get(id) ?? []),
        node: node ?? { person, count: 0, reports: [] },
      };
    });
  }

  async #nodes(
    accountId: AccountId,
    people: readonly Employee[],
    [size, ...sizes]: LevelSizes,
  ): Promise<readonly OrganisationNode[]> {
    if (people.length === 0) return [];
    const ids = people.map(({ id }) => id);
    const counts = await this.#counts(accountId, ids);
    const reports = size === undefined ? [] : await this.#reports(accountId, ids, size);
    const nodes = await this.#nodes(accountId, employeesByName(reports), sizes);
    return people.map((person) => ({
      person,
      count: counts.get(person.id) ?? 0,
      reports: nodes.filter((node) => node.person.managerId === person.id),
    }));
  }

  async #counts(accountId: AccountId, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#prisma.$queryRaw<{ id: string; count: number }[]>`
      SELECT given.id, reports.count FROM unnest(${ids}::text[]) AS given (id)
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS count FROM (
          SELECT FROM employees WHERE account_id = ${accountId} AND manager_id = given.id
          LIMIT ${Prisma.raw(String(maximumCount + 1))}
        ) AS found
      ) AS reports`;
    return new Map(rows.map(({ id, count }) => [id, count]));
  }

  /** Direct reports of people, for each of them the first `size` in the order of the index. */
  #reports(accountId: AccountId, ids: readonly string[], size: number): Promise<Employee[]> {
    return this.#prisma.$queryRaw<Employee[]>`
      SELECT reports.* FROM unnest(${ids}::text[]) AS given (id)
      CROSS JOIN LATERAL (
        SELECT ${employeeSelection} FROM employees WHERE account_id = ${accountId} AND manager_id = given.id
        ORDER BY position LIMIT ${Prisma.raw(String(size))}
      ) AS reports`;
  }
}
