import { employeeAttributes } from './generated-values.js';

type Generated = (typeof employeeAttributes)[number];

/** Name of an attribute of an employee in the contract and of its column. */
export type AttributeName = Generated['name'];

/** PostgreSQL type of the column of an attribute. */
export type AttributeType = 'text' | 'date' | 'timestamptz';

export interface ContractAttribute {
  readonly name: AttributeName;
  readonly type: AttributeType;
  readonly nullable: boolean;
  /** Whether every employee has a value. Others have `null` if the attribute is nullable, and an empty text otherwise. */
  readonly required: boolean;
  /** Whether an application can be without access to it: it is not in `required` of the contract. */
  readonly restrictable: boolean;
}

/** Name of an attribute that an application can be without access to. */
export type RestrictableAttribute = Extract<Generated, { restrictable: true }>['name'];

/** `job_title` as `jobTitle`. */
type MemberName<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<MemberName<Rest>>}`
  : Name;

/** The attributes as members of an object: text, `YYYY-MM-DD` for a date, `Date` for a timestamp. */
export type AttributeValues = {
  readonly [Attribute in Generated as MemberName<Attribute['name']>]:
    | (Attribute['type'] extends 'timestamptz' ? Date : string)
    | (Attribute['nullable'] extends true ? null : never);
};

/** Members of {@link AttributeValues} that an employee can be without. */
export type OptionalMember = MemberName<Extract<Generated, { required: false }>['name']>;

/** The attributes of an employee in the order of the contract. */
export const contractAttributes: readonly ContractAttribute[] = employeeAttributes;

/** Name of the member of {@link AttributeValues} that has the value of an attribute. */
export function memberOf(name: AttributeName): keyof AttributeValues {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as keyof AttributeValues;
}

/** The attributes that an application can be without access to, in the order of the contract. */
export const restrictableAttributes: readonly RestrictableAttribute[] = employeeAttributes
  .filter((attribute) => attribute.restrictable)
  .map(({ name }) => name as RestrictableAttribute);

export function isRestrictable(name: string): name is RestrictableAttribute {
  return (restrictableAttributes as readonly string[]).includes(name);
}

/** Names of attributes, each once: restrictable ones in the order of the contract, then the others by name. */
export function inContractOrder(names: readonly string[]): string[] {
  return [
    ...new Set([...restrictableAttributes.filter((name) => names.includes(name)), ...names.toSorted()]),
  ];
}
