import type { AccountId } from '../../platform/accounts/account-id.js';
import { customKey } from '../../platform/contract/attribute-access.js';
import { foldText } from '../../platform/contract/outside-text.js';
import type { Prisma } from '../../platform/database/client.js';
import {
  type RecordMember,
  readActiveAttributes,
  recordMembersWith,
  requiredMembers,
} from '../employees/index.js';

/** Longer names of columns are not compared with those of attributes. */
const maximumNameLength = 100;

/** A name of a column or an attribute without case, accents, white space and punctuation. */
export function simplify(name: string): string {
  return foldText(name, maximumNameLength);
}

/** The attributes that records of an account can have now, with its custom attributes after the others. */
export async function readRecordMembers(
  prisma: Pick<Prisma.TransactionClient, 'customAttribute'>,
  accountId: AccountId,
): Promise<readonly RecordMember[]> {
  return recordMembersWith(await readActiveAttributes(prisma, accountId));
}

/** Whether a member is a custom attribute. */
export function isCustom({ name }: Pick<RecordMember, 'name'>): boolean {
  return customKey(name) !== undefined;
}

/** What a record must have: of each list at least one member with a value. */
export function requiredIn(attributes: readonly RecordMember[]): readonly (readonly RecordMember[])[] {
  const custom = attributes.filter((attribute) => attribute.required && isCustom(attribute));
  return [...requiredMembers, ...custom.map((attribute) => [attribute])];
}

/**
 * The names of custom attributes by {@link simplify simplified} `custom.<key>`, label and key. The names and labels of the contract are
 * not among them. Of several attributes, the first one counts, and a label before a key.
 */
export function customColumns(attributes: readonly RecordMember[]): ReadonlyMap<string, string> {
  const columns = new Map<string, string>();
  const custom = attributes.filter(isCustom);
  if (custom.length === 0) return columns;
  const others = attributes.filter((attribute) => !isCustom(attribute));
  const taken = new Set(['', ...others.flatMap(({ name, label }) => [simplify(name), simplify(label)])]);
  const add = (nameOf: (attribute: RecordMember) => string) => {
    for (const attribute of custom) {
      const column = simplify(nameOf(attribute));
      if (!taken.has(column) && !columns.has(column)) columns.set(column, attribute.name);
    }
  };
  add(({ name }) => name);
  add(({ label }) => label);
  add(({ name }) => customKey(name) ?? '');
  return columns;
}

/** Headings of columns: the labels, or the name of a custom attribute whose label another one has. */
export function headings(attributes: readonly RecordMember[]): string[] {
  const columns = customColumns(attributes);
  return attributes.map((attribute) => {
    const { name, label } = attribute;
    return isCustom(attribute) && columns.get(simplify(label)) !== name ? name : label;
  });
}

/** The header with the names of custom attributes instead of their labels and keys. */
export function nameCustomColumns(header: readonly string[], attributes: readonly RecordMember[]): string[] {
  const names = new Set(attributes.map(({ name }) => name));
  const columns = customColumns(attributes);
  return header.map((column) => (names.has(column) ? column : (columns.get(simplify(column)) ?? column)));
}
