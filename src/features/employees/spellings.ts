import type { AccountId } from '../../platform/accounts/account-id.js';
import { Prisma } from '../../platform/database/client.js';
import type { EmployeeRecord } from './employee.js';
import { knownStatuses } from './employee-attributes.js';

/** Attributes whose values are the same without regard to case. */
const spelledMembers = ['status', 'department', 'location', 'jobTitle'] as const;

type SpelledMember = (typeof spelledMembers)[number];

/** Spellings of an attribute that are known. The values of further ones are stored as they are. */
const maximumSpellings = 10_000;

const sources: Readonly<Record<SpelledMember, (accountId: AccountId) => Prisma.Sql>> = {
  status: (accountId) => Prisma.sql`
    SELECT status, sum(count) FROM employee_facets WHERE account_id = ${accountId} GROUP BY 1`,
  department: (accountId) => Prisma.sql`
    SELECT department, sum(count) FROM employee_facets WHERE account_id = ${accountId} GROUP BY 1`,
  location: (accountId) => Prisma.sql`
    SELECT location, count FROM employee_location_facets WHERE account_id = ${accountId} AND location <> ''`,
  // The database does not count job titles: this reads all employees of the account.
  jobTitle: (accountId) => Prisma.sql`
    SELECT job_title, count(*) FROM employees WHERE account_id = ${accountId} AND job_title IS NOT NULL GROUP BY 1`,
};

/**
 * The spellings of values that an account uses, so that "Sales" and "sales" become one. The most frequent one is used for all,
 * and that of the contract for a known status.
 */
export class Spellings {
  readonly #byMember: Readonly<Record<SpelledMember, Map<string, string>>>;

  private constructor(rows: readonly { member: SpelledMember; value: string }[]) {
    this.#byMember = {
      status: new Map(knownStatuses.map((status) => [status, status])),
      department: new Map(),
      location: new Map(),
      jobTitle: new Map(),
    };
    for (const { member, value } of rows) this.#use(member, value);
  }

  /**
   * Reads the spellings of an account, with one statement.
   *
   * @param members the attributes that are needed. Default: all.
   */
  static async read(
    prisma: Pick<Prisma.TransactionClient, '$queryRaw'>,
    accountId: AccountId,
    members: readonly SpelledMember[] = spelledMembers,
  ): Promise<Spellings> {
    if (members.length === 0) return new Spellings([]);
    const selected = members.map(
      (member) => Prisma.sql`
        (SELECT ${member}::text AS member, found.value FROM (${sources[member](accountId)}) AS found (value, uses)
         ORDER BY found.uses DESC, found.value LIMIT ${maximumSpellings})`,
    );
    return new Spellings(await prisma.$queryRaw(Prisma.join(selected, ' UNION ALL ')));
  }

  /** The record with the spellings of the account. The spelling of a new value is used for the next records. */
  apply(record: EmployeeRecord): EmployeeRecord {
    let spelled = record;
    for (const member of spelledMembers) {
      const value = record[member];
      if (typeof value !== 'string') continue;
      const used = this.#use(member, value);
      if (used !== value) spelled = { ...spelled, [member]: used };
    }
    return spelled;
  }

  /** The values of an attribute that are known now, in lower case. */
  valuesOf(member: SpelledMember): ReadonlySet<string> {
    return new Set(this.#byMember[member].keys());
  }

  #use(member: SpelledMember, value: string): string {
    const spellings = this.#byMember[member];
    const folded = fold(value);
    const used = spellings.get(folded);
    if (used === undefined && spellings.size < maximumSpellings) spellings.set(folded, value);
    return used ?? value;
  }
}

/**
 * The values of a form with the spellings of the account. A value that the user did not change keeps its spelling, and so does one
 * in which only the case was changed: the user corrects it.
 *
 * @param stored the employee before the change; `null` for a new one
 */
export async function spellAsAccount(
  prisma: Pick<Prisma.TransactionClient, '$queryRaw'>,
  accountId: AccountId,
  { record, stored }: { record: EmployeeRecord; stored: EmployeeRecord | null },
): Promise<EmployeeRecord> {
  const isNew = (member: SpelledMember) => fold(record[member] ?? '') !== fold(stored?.[member] ?? '');
  const isKnown = knownStatuses.some((status) => status === fold(record.status));
  const members = spelledMembers.filter((member) => isNew(member));
  const spelled = (await Spellings.read(prisma, accountId, members)).apply(record);
  const status = isKnown && record.status !== stored?.status ? fold(record.status) : record.status;
  const values = members.map((member) => [member, spelled[member]]);
  return { ...record, status, ...Object.fromEntries(values) };
}

function fold(value: string): string {
  return value.toLowerCase();
}
