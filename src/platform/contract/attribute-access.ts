import { type RestrictableAttribute, restrictableAttributes } from './employee-attributes.js';

/** What a reader may read of employees. It is only made by the functions and constants of this file. */
export interface AttributeAccess {
  /**
   * The attributes of the contract that it may not read, in the order of the contract. There is one array for each set, so that it can
   * be the key of a map.
   */
  readonly restricted: readonly RestrictableAttribute[];
  /** Keys of the custom attributes that it may read unless they are archived, in any order; `all`: every one. */
  readonly custom: readonly string[] | 'all';
  /** These keys as a parameter of a statement: separated by commas, or `*` for all. */
  readonly keys: string;
}

const noKeys: readonly string[] = [];

/** The access of a reader who may read all attributes of the contract, and no others. */
export const contractAccess: AttributeAccess = { restricted: [], custom: noKeys, keys: '' };

/** The access of a reader who may read all attributes. */
export const fullAccess: AttributeAccess = {
  restricted: contractAccess.restricted,
  custom: 'all',
  keys: '*',
};

const customPrefix = 'custom.';

/** The name of a custom attribute: in lists of attributes, imports and forms, and in events that changed it. */
export function customName(key: string): `custom.${string}` {
  return `${customPrefix}${key}`;
}

/** The key in the name of a custom attribute; `undefined` for another name. */
export function customKey(name: string): string | undefined {
  return name.startsWith(customPrefix) ? name.slice(customPrefix.length) : undefined;
}

const sets = new Map<string, AttributeAccess['restricted']>([['', contractAccess.restricted]]);

const known = new Map<string, AttributeAccess>();

/** Number of lists of attributes whose access is kept, because each request needs it. */
const maximumKnown = 1_000;

/**
 * The access of an application that may read these attributes, in addition to those that each one may read.
 *
 * @param readable names, separated by spaces
 */
export function accessTo(readable: string): AttributeAccess {
  const found = known.get(readable);
  if (found !== undefined) return found;
  if (known.size >= maximumKnown) known.clear();
  const access = readAccess(readable.split(' '));
  known.set(readable, access);
  return access;
}

function readAccess(readable: readonly string[]): AttributeAccess {
  const found = restrictableAttributes.filter((name) => !readable.includes(name));
  const set = found.join();
  const restricted = sets.get(set) ?? found;
  sets.set(set, restricted);
  const keys = readable.map(customKey).filter((key) => key !== undefined);
  return { restricted, custom: keys.length === 0 ? noKeys : keys, keys: keys.join() };
}

/** The access of a reader who may read all attributes of the contract, and the custom attributes with these keys. */
export function contractAnd(keys: readonly string[]): AttributeAccess {
  return accessTo([...restrictableAttributes, ...keys.map(customName)].join(' '));
}

/** Whether an attribute of the contract is restricted for the reader. */
export function isRestricted(name: string, { restricted }: Pick<AttributeAccess, 'restricted'>): boolean {
  return (restricted as readonly string[]).includes(name);
}

/** Whether the reader may read a custom attribute that is not archived. */
export function isReadableCustom(key: string, { custom }: Pick<AttributeAccess, 'custom'>): boolean {
  return custom === 'all' || custom.includes(key);
}

/**
 * What the text of a statement depends on: the restricted attributes, and whether the reader may read custom attributes. Their keys
 * are a parameter.
 */
export interface AccessShape extends Pick<AttributeAccess, 'restricted'> {
  readonly readsCustom: boolean;
}

/** The value for each shape of access, made when it is first needed. There are at most 64 shapes. */
export function forEachShape<Value>(make: (shape: AccessShape) => Value): (access: AttributeAccess) => Value {
  const made = [false, true].map((readsCustom) => ({
    readsCustom,
    values: new Map<AttributeAccess['restricted'], Value>(),
  }));
  const [without, including] = made;
  return ({ restricted, custom }) => {
    const { readsCustom, values } = (custom.length === 0 ? without : including) as (typeof made)[number];
    const known = values.get(restricted);
    if (known !== undefined) return known;
    const value = make({ restricted, readsCustom });
    values.set(restricted, value);
    return value;
  };
}

/** Name of a prepared statement for a shape of access, with a digit for each restrictable attribute. */
export function statementName(name: string, { restricted, readsCustom }: AccessShape): string {
  const digits = restrictableAttributes.map((attribute) => Number(restricted.includes(attribute)));
  const without = restricted.length === 0 ? '' : `_without_${digits.join('')}`;
  return `${name}${readsCustom ? '_with_custom' : ''}${without}`;
}

/** SQL condition that a reader may read the custom attribute with a key. @param keys expression for {@link AttributeAccess.keys} */
export function isReadableKey(key: string, keys: string): string {
  return `(${keys} = '*' OR ${key} = ANY (string_to_array(${keys}, ',')))`;
}

/**
 * SQL query for the keys of an account's custom attributes that a reader may not read, as an array `keys`. It is part of each
 * statement that reads values, so that both are from one snapshot: a new attribute is never shown by mistake.
 */
export function hiddenKeys(account: string, keys: string): string {
  return `
    SELECT coalesce(array_agg(key), '{}') AS keys FROM custom_attributes
    WHERE custom_attributes.account_id = ${account}
      AND NOT (archived_at IS NULL AND ${isReadableKey('key', keys)})`;
}

/**
 * SQL query for the names of an account's custom attributes that a reader may read, as an array `names`, sorted. It is part of a
 * statement for the same reason.
 */
export function readableNames(account: string, keys: string): string {
  return `
    SELECT coalesce(array_agg('${customPrefix}' || key ORDER BY key), '{}') AS names FROM custom_attributes
    WHERE custom_attributes.account_id = ${account}
      AND archived_at IS NULL AND ${isReadableKey('key', keys)}`;
}

/** The member `restricted` of `meta`, for an application without access to some attributes. */
export function restrictedMeta({ restricted }: Pick<AttributeAccess, 'restricted'>): {
  restricted?: RestrictableAttribute[];
} {
  return restricted.length === 0 ? {} : { restricted: [...restricted] };
}

/** A document as JSON, with `meta.restricted` for an application without access to some attributes. */
export function withRestricted(document: string, access: Pick<AttributeAccess, 'restricted'>): string {
  if (access.restricted.length === 0) return document;
  return `${document.slice(0, -1)},"meta":${JSON.stringify(restrictedMeta(access))}}`;
}
