import type { AccountId } from '../../platform/accounts/account-id.js';
import type { Prisma } from '../../platform/database/client.js';
import { employeePosition } from '../../platform/database/ids.js';
import { type Employee, employeeSelection } from './employee.js';

/** The employees of references, or the references that are unknown, or that are the number of one employee and the id of another. */
export type ResolvedReferences =
  | { readonly kind: 'found'; readonly employees: readonly Employee[] }
  | { readonly kind: 'rejected'; readonly unknown: readonly string[]; readonly ambiguous: readonly string[] };

/** Finds employees of the account by employee number or id. Each one is found once, in the order of the references. */
export async function resolveReferences(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  references: readonly string[],
): Promise<ResolvedReferences> {
  const positions = references.map(employeePosition).filter((position) => position !== -1);
  const found = await tx.$queryRaw<Employee[]>`
    SELECT ${employeeSelection} FROM employees
    WHERE account_id = ${accountId} AND employee_number = ANY (${references}::text[])
    UNION ALL
    SELECT ${employeeSelection} FROM employees
    WHERE account_id = ${accountId} AND position = ANY (${positions}::bigint[]) AND id = ANY (${references}::text[])`;
  const byNumber = new Map(found.map((employee) => [employee.employeeNumber, employee]));
  const byId = new Map(found.map((employee) => [employee.id, employee]));
  const employees = new Map<string, Employee>();
  const unknown = new Set<string>();
  const ambiguous = new Set<string>();
  for (const reference of references) {
    const [numbered, identified] = [byNumber.get(reference), byId.get(reference)];
    const employee = numbered ?? identified;
    if (employee === undefined) unknown.add(reference);
    else if (numbered !== undefined && identified !== undefined && numbered.id !== identified.id)
      ambiguous.add(reference);
    else employees.set(employee.id, employee);
  }
  if (unknown.size > 0 || ambiguous.size > 0)
    return { kind: 'rejected', unknown: [...unknown], ambiguous: [...ambiguous] };
  return { kind: 'found', employees: [...employees.values()] };
}
