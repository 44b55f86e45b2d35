import type { AccountId } from '../../platform/accounts/account-id.js';
import { readActorNames } from '../../platform/accounts/actor-names.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import { employeePosition } from '../../platform/database/ids.js';
import { type Anchor, type OrderTerm, pageQuery, splitPage } from '../../platform/database/page-query.js';
import { accountScope, withScope } from '../../platform/database/scope.js';
import type { CustomAttribute, CustomType } from './custom-attributes.js';
import { customValue, formatCustomValue } from './custom-values.js';
import { type AttributeType, givenAttributes } from './employee-attributes.js';
import { absentValue, valuesSeparator } from './employee-event-details.js';
import type { EarlierValues } from './upsert-employees.js';

/** An attribute of the contract, or a custom one. */
interface ChangedAttribute {
  readonly name: string;
  readonly label: string;
  readonly type: AttributeType | CustomType;
}

/** A value of an employee before and after a change. `null`: none. Absent: it is not recorded. */
export interface ChangedValue {
  readonly attribute: ChangedAttribute;
  readonly from?: string | null;
  readonly to?: string | null;
}

/** A change of an employee. */
export interface EmployeeChange {
  readonly id: string;
  readonly at: Date;
  readonly kind: 'created' | 'updated' | 'import_created' | 'import_updated';
  /** `null`: a user who was deleted, or the command line. */
  readonly userName: string | null;
  /** Whether the change was made at the command line. */
  readonly byOperator: boolean;
  /** Name of the imported file. */
  readonly fileName: string | null;
  readonly values: readonly ChangedValue[];
}

/** The last change of a page; the next page starts after it. */
type ChangeAnchor = Pick<EmployeeChange, 'at' | 'id'>;

export interface HistoryRequest {
  readonly accountId: AccountId;
  readonly employeeId: string;
  /** The last change of the previous page; absent for the first page. */
  readonly after?: ChangeAnchor | undefined;
  readonly size: number;
  /** The custom attributes that are not archived. Values of others are not shown. */
  readonly custom: readonly CustomAttribute[];
}

/** A change without the name of its user. */
interface StoredChange extends Omit<EmployeeChange, 'userName' | 'byOperator' | 'values'> {
  readonly userId: string | null;
  /** Each request has an address, and the command line has none. */
  readonly address: string | null;
  readonly values: readonly ChangedValue[];
}

/**
 * Reads a page of the changes of an employee, newest first: those of the audit log, with the values before and after, and those of
 * imports that can still be undone, with the values before them. Changes of earlier imports are not recorded.
 *
 * @returns at most `size` changes of the audit log, with the imports between them; and whether there are more
 */
export async function readHistory(
  database: Pick<Database, 'prisma'>,
  request: HistoryRequest,
): Promise<{ changes: readonly EmployeeChange[]; more: boolean }> {
  const { accountId, after } = request;
  return await withScope(accountScope(accountId), async () => {
    const [{ events, more }, imports] = await Promise.all([
      auditedChanges(database, request),
      importedChanges(database, request),
    ]);
    const last = more ? events.at(-1) : undefined;
    const between = imports.filter(
      ({ at }) => (after === undefined || at < after.at) && (last === undefined || at >= last.at),
    );
    const stored = [...events, ...between].toSorted((one, other) => other.at.getTime() - one.at.getTime());
    const actors = stored.map(({ userId }) => ({ userId, applicationId: null }));
    const { users } = await readActorNames(database, accountId, actors);
    const changes = stored.map(({ userId, address, ...change }) => ({
      ...change,
      userName: users.get(userId ?? '')?.name ?? null,
      byOperator: userId === null && address === null,
    }));
    return { changes, more };
  });
}

const order: readonly OrderTerm[] = [
  { value: Prisma.sql`event.created_at`, type: 'timestamptz', descending: true },
  { value: Prisma.sql`event.id`, type: 'text', descending: false },
];

interface EmployeeEvent {
  readonly id: string;
  readonly type: string;
  readonly at: Date;
  readonly userId: string | null;
  readonly address: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly anchor: Anchor;
}

async function auditedChanges(
  { prisma }: Pick<Database, 'prisma'>,
  { accountId, employeeId, after, size, custom }: HistoryRequest,
): Promise<{ events: readonly StoredChange[]; more: boolean }> {
  const found = await prisma.$queryRaw<EmployeeEvent[]>(
    pageQuery(
      {
        source: Prisma.sql`audit_events event`,
        condition: Prisma.sql`
          event.account_id = ${accountId} AND event.type IN ('employee.created', 'employee.updated')
          AND event.details ->> 'employee' = ${employeeId}`,
        order,
      },
      Prisma.sql`event.id, event.type, event.created_at AS at, event.user_id AS "userId", event.address, event.details`,
      { size, start: after === undefined ? { skip: 0 } : { anchor: [after.at.toISOString(), after.id] } },
    ),
  );
  const { rows, nextAnchor } = splitPage(found, size);
  const events = rows.map(({ type, details, anchor: _, ...event }): StoredChange => {
    const isNew = type === 'employee.created';
    const values = (isNew ? createdValues : updatedValues)([...givenAttributes, ...custom], details);
    return { ...event, kind: isNew ? 'created' : 'updated', fileName: null, values };
  });
  return { events, more: nextAnchor !== null };
}

/** The values in the details that `createdDetails` has written. */
function createdValues(
  attributes: readonly ChangedAttribute[],
  details: EmployeeEvent['details'],
): ChangedValue[] {
  return attributes.flatMap((attribute) => {
    const value = details[attribute.name];
    return typeof value === 'string' ? [{ attribute, from: null, to: value }] : [];
  });
}

/** The values in the details that `updatedDetails` has written. They have the employee number in any case. */
function updatedValues(
  attributes: readonly ChangedAttribute[],
  details: EmployeeEvent['details'],
): ChangedValue[] {
  return attributes.flatMap((attribute): ChangedValue[] => {
    const text = details[attribute.name];
    if (typeof text !== 'string' || !text.includes(valuesSeparator)) return [];
    const [from, to, ...others] = text.split(valuesSeparator).map(fromText);
    // A value contains the separator: where it ends is unknown.
    if (others.length > 0) return [{ attribute, to: text }];
    return [{ attribute, from: from ?? null, to: to ?? null }];
  });
}

function fromText(text: string): string | null {
  return text === absentValue ? null : text;
}

interface ImportRow {
  readonly id: string;
  readonly at: Date;
  readonly userId: string | null;
  readonly address: string | null;
  readonly fileName: string;
  readonly before: EarlierValues | null;
}

/** The changes of the imports that can be undone. An account has at most 50 imports. */
async function importedChanges(
  { prisma }: Pick<Database, 'prisma'>,
  { accountId, employeeId, custom }: HistoryRequest,
): Promise<readonly StoredChange[]> {
  const rows = await prisma.$queryRaw<ImportRow[]>`
    SELECT stored.id, coalesce(stored.finished_at, stored.created_at) AS at, stored.user_id AS "userId", stored.address,
      stored.file_name AS "fileName", change.before
    FROM employee_imports stored
    JOIN employee_import_changes change ON change.account_id = stored.account_id AND change.import_id = stored.id
    WHERE stored.account_id = ${accountId} AND change.account_id = ${accountId}
      AND change.position = ${employeePosition(employeeId)}`;
  return rows.map(({ before, ...row }) => ({
    ...row,
    kind: before === null ? 'import_created' : 'import_updated',
    values: before === null ? [] : earlierValues(before, custom),
  }));
}

/** The values before an import that it has changed. */
function earlierValues(before: EarlierValues, custom: readonly CustomAttribute[]): ChangedValue[] {
  const values = givenAttributes.map((attribute) => ({
    attribute,
    from: attribute.member === 'employeeNumber' ? undefined : before[attribute.member],
  }));
  const customValues = custom.map((attribute) => {
    const value = customValue(before.custom ?? {}, attribute.key);
    return { attribute, from: value === undefined || value === null ? value : formatCustomValue(value) };
  });
  return [...values, ...customValues].flatMap(({ attribute, from }) =>
    from === undefined ? [] : [{ attribute, from }],
  );
}
