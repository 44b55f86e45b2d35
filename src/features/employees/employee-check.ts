import type { ErrorObject } from 'ajv';
import { addressTextRule, nameTextRule } from '../../platform/accounts/name-rules.js';
import { customKey, customName } from '../../platform/contract/attribute-access.js';
import type { Contract, JsonSchema } from '../../platform/contract/contract.js';
import { isDateText, isObject, isStorableText } from '../../platform/contract/outside-text.js';
import { createBodyValidation } from '../../platform/contract/validator.js';
import { invalidValues } from '../../platform/problems/describe-validation.js';
import { maximumReportedErrors } from '../../platform/problems/invalid-request.js';
import { ruleText, type Violation, violation } from '../../platform/problems/rule-texts.js';
import type { CustomAttribute } from './custom-attributes.js';
import { refersToEmployees, sizedReferences } from './custom-references.js';
import { customBytes, isBlank, maximumCustomBytes, parseCustomValue } from './custom-values.js';
import type { CustomValue, EmployeeRecord, GivenReferences } from './employee.js';
import { givenAttributes } from './employee-attributes.js';

/** A member of a record. One that is not required can be absent, blank or `null`. */
export interface RecordMember {
  readonly name: string;
  /** Name for users. */
  readonly label: string;
  readonly nullable: boolean;
  readonly required: boolean;
  /** Absent: text. */
  readonly type?: string;
}

/** The manager by employee number, which a file can have instead of `manager_id`. */
const managerNumber = {
  name: 'manager_employee_number',
  label: 'Manager (employee number)',
  nullable: true,
  required: false,
} as const satisfies RecordMember;

export const recordMembers: readonly RecordMember[] = [...givenAttributes, managerNumber];

/** The members of the records of an account with these custom attributes. */
export const recordMembersWith = (custom: readonly CustomAttribute[]): readonly RecordMember[] => [
  ...recordMembers,
  ...custom.map(({ name, label, type, required }) => ({ name, label, type, required, nullable: true })),
];

const nameMembers = recordMembers.filter(({ name }) => name === 'first_name' || name === 'last_name');

/** What a record must have: of each list at least one member with a value. Some people have only one name. */
export const requiredMembers: readonly (readonly RecordMember[])[] = [
  ...recordMembers.filter(({ required }) => required).map((member) => [member]),
  nameMembers,
];

/** The manager in a record: an employee by id or employee number; `null`: none. */
export type ManagerReference = { readonly id: string } | { readonly employeeNumber: string } | null;

interface RecordError {
  /** Name of the member; empty for the whole record. */
  readonly member: string;
  readonly violation: Violation;
}

interface ValidRecord {
  readonly employee: EmployeeRecord;
  /** Absent: the record has no manager, and does not remove it. */
  readonly manager?: ManagerReference;
  /** The employees that custom attributes refer to, who may not be stored yet. Absent: none, and no value is removed. */
  readonly references?: GivenReferences;
  readonly errors?: never;
}

interface InvalidRecord<Error> {
  readonly errors: readonly Error[];
  readonly employee?: never;
}

export type CheckedRecord = ValidRecord | InvalidRecord<string>;

type CheckedMembers = ValidRecord | InvalidRecord<RecordError>;

/** Validation of the records of an import file. */
export interface EmployeeCheck {
  /** The members of a record; `custom.<key>` is the one of a custom attribute. */
  readonly attributes: readonly RecordMember[];
  /** The employee of a valid record without the manager and other employees, who may not be stored yet; or all errors. */
  check(value: unknown): CheckedRecord;
  /**
   * The same, with errors by member.
   *
   * @param unchanged members that have their stored value. It may be older than the rules for names and addresses.
   */
  checkMembers(value: unknown, unchanged?: ReadonlySet<string>): CheckedMembers;
  /**
   * The same validation for an account with custom attributes. A record has their values as members `custom.<key>`, or in an object
   * `custom`.
   *
   * @param attributes those that are not archived
   */
  withCustom(attributes: readonly CustomAttribute[]): EmployeeCheck;
}

/**
 * Creates the validation from the attributes of an employee in the contract, except those that the service sets. A record
 * can omit an attribute that is not required, or leave it blank, but not both names. White space at the ends of values is removed.
 */
export function createEmployeeCheck(contract: Contract): EmployeeCheck {
  const validate = createBodyValidation(() => recordSchema(contract));
  const checkOfContract = (given: unknown, unchanged: ReadonlySet<string>): CheckedMembers => {
    const value = withoutBlanks(trimmed(given, unchanged));
    const blank = requiredNames.filter((name) => isBlank((value as Attributes | null)?.[name]));
    const findings = validate(value);
    const hasName = nameMembers.some(({ name }) => (value as Attributes | null)?.[name]);
    if (findings.length === 0 && blank.length === 0 && hasName) {
      const record = value as Attributes;
      const errors = checkedTexts
        .filter(({ name }) => !unchanged.has(name))
        .flatMap((member) => storageErrors(member, record[member.name]));
      if (typeof record.manager_id === 'string' && typeof record[managerNumber.name] === 'string') {
        errors.push({
          member: 'manager_id',
          violation: violation('either_or', { other: managerNumber.name }),
        });
      }
      if (
        isTerminatedBeforeHired(record) &&
        !(unchanged.has('hire_date') && unchanged.has('termination_date'))
      )
        errors.push({ member: 'termination_date', violation: violation('not_before_hire_date') });
      return errors.length > 0 ? { errors } : toRecord(record);
    }
    const required = blank.map((member) => ({ member, violation: violation('required') }));
    const unnamed =
      hasName || !isObject(value) ? [] : [{ member: 'first_name', violation: violation('required_name') }];
    const others = findings.filter(({ instancePath }) => !blank.includes(instancePath.slice(1)));
    return { errors: [...required, ...(others.length > 0 ? describe(others) : []), ...unnamed] };
  };
  const checkFor = (custom: readonly CustomAttribute[]): EmployeeCheck => {
    const checkMembers = (given: unknown, unchanged: ReadonlySet<string> = new Set()): CheckedMembers => {
      // Without custom attributes, a member `custom` is unknown.
      if (custom.length === 0 || !isObject(given)) return checkOfContract(given, unchanged);
      const { others, values: givenValues } = splitCustom(given);
      const checked = checkOfContract(others, unchanged);
      const found = checkCustom(custom, givenValues, unchanged);
      const errors = [...(checked.errors ?? []), ...found.errors];
      if (checked.errors !== undefined || errors.length > 0) return { errors };
      const { custom: values, references } = found;
      return {
        ...checked,
        employee: { ...checked.employee, custom: values },
        ...(Object.keys(references).length > 0 && { references }),
      };
    };
    return {
      attributes: recordMembersWith(custom),
      checkMembers,
      check(given) {
        const checked = checkMembers(given);
        if (checked.errors === undefined) return checked;
        return {
          errors: checked.errors.map(
            ({ member, violation }) => `${member || 'the record'} ${ruleText(violation)}`,
          ),
        };
      },
      withCustom: checkFor,
    };
  };
  return checkFor([]);
}

interface GivenCustom {
  readonly others: Readonly<Record<string, unknown>>;
  /** By key. */
  readonly values: ReadonlyMap<string, unknown>;
}

/** The object with a member `custom.<key>` for each member of its object `custom`. */
export function withCustomMembers(
  object: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { custom } = object;
  if (!isObject(custom)) return object;
  const members = Object.entries(object).flatMap(([name, value]) =>
    name === 'custom'
      ? Object.entries(custom).map(([key, inner]) => [customName(key), inner] as const)
      : [[name, value] as const],
  );
  return Object.fromEntries(members);
}

/** Takes the values of custom attributes out of a record. A member `custom` that is no object is an unknown member. */
function splitCustom(given: Readonly<Record<string, unknown>>): GivenCustom {
  const members = Object.entries(withCustomMembers(given));
  const values = members.flatMap(([name, value]) => {
    const key = customKey(name);
    return key === undefined ? [] : [[key, value] as const];
  });
  const others = members.filter(([name]) => customKey(name) === undefined);
  return { others: Object.fromEntries(others), values: new Map(values) };
}

/** The values of custom attributes that a record has and that are not unchanged, apart from references to employees, or their errors. */
function checkCustom(
  attributes: readonly CustomAttribute[],
  values: GivenCustom['values'],
  unchanged: ReadonlySet<string>,
): {
  readonly custom: Readonly<Record<string, CustomValue | null>>;
  readonly references: GivenReferences;
  readonly errors: readonly RecordError[];
} {
  const custom: Record<string, CustomValue | null> = {};
  const references: Record<string, string | null> = {};
  const errors: RecordError[] = [];
  const known = new Set(attributes.map(({ key }) => key));
  const names = attributes.map(({ name }) => name);
  const unknown = [...values.keys()].filter((key) => !known.has(key)).slice(0, maximumReportedErrors);
  for (const key of unknown)
    errors.push({ member: customName(key), violation: violation('known_member', { values: names }) });
  for (const attribute of attributes) {
    const { key, name, required } = attribute;
    if (unchanged.has(name) || (!values.has(key) && !required)) continue;
    const parsed = parseCustomValue(attribute, values.get(key));
    if ('violation' in parsed) errors.push({ member: name, violation: parsed.violation });
    else if (required && parsed.value === null)
      errors.push({ member: name, violation: violation('required') });
    else if (refersToEmployees(attribute)) references[key] = parsed.value as string | null;
    else custom[key] = parsed.value;
  }
  if (customBytes({ ...custom, ...sizedReferences(references) }) > maximumCustomBytes)
    errors.push({ member: 'custom', violation: violation('maximum_bytes', { maximum: maximumCustomBytes }) });
  return { custom, references, errors };
}

type Attributes = Readonly<Record<string, string | null | undefined>>;

const names: readonly string[] = recordMembers.map(({ name }) => name);
const requiredNames = recordMembers.filter(({ required }) => required).map(({ name }) => name);
const optionalMembers = recordMembers.filter(({ required }) => !required);

function recordSchema({ document }: Contract): JsonSchema {
  const { properties = {} } = document.components.schemas.EmployeeAttributes ?? {};
  const given = Object.entries(properties).filter(([name]) => names.includes(name));
  const reference = { type: ['string', 'null'], maxLength: 255 };
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(given),
      // A malformed id is reported like an unknown one.
      manager_id: reference,
      [managerNumber.name]: reference,
    },
    required: requiredNames,
    additionalProperties: false,
  };
}

/** The given value without white space at the ends of its texts. */
function trimmed(given: unknown, unchanged: ReadonlySet<string>): unknown {
  if (!isObject(given)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'string' && !unchanged.has(name) ? value.trim() : value,
    ]),
  );
}

/** A blank value and `null` are the same for an attribute that is not required. It is stored as its type allows. */
function withoutBlanks(given: unknown): unknown {
  if (!isObject(given)) return given;
  const blank = optionalMembers.filter(({ name }) => given[name] === null || isBlank(given[name]));
  if (blank.length === 0) return given;
  return { ...given, ...Object.fromEntries(blank.map(({ name, nullable }) => [name, nullable ? null : ''])) };
}

function describe(findings: readonly ErrorObject[]): RecordError[] {
  const values = invalidValues(findings, 'body', { form: true }).slice(0, maximumReportedErrors);
  return values.map(({ place, violation }) => ({
    member: 'parameter' in place ? place.parameter : '',
    violation,
  }));
}

const checkedTexts = [...givenAttributes, { name: managerNumber.name, type: 'text' }];

/** Errors of a value that the schema of the response does not cover. */
function storageErrors(
  { name: member, type }: { name: string; type: string },
  value: string | null | undefined,
): RecordError[] {
  const violation = value === null || value === undefined ? undefined : storageRule(member, type, value);
  return violation === undefined ? [] : [{ member, violation }];
}

function storageRule(name: string, type: string, value: string): Violation | undefined {
  if (value === '') return undefined;
  if (type === 'date')
    return isDateText(value) ? undefined : violation('date', { from: '0001-01-01', to: '9999-12-31' });
  if (!isStorableText(value)) return violation('storable_text');
  // The decoder replaces invalid bytes by this character. Storing it would lose the original text.
  if (value.includes('\uFFFD')) return violation('utf_8');
  return name === 'email' ? addressTextRule(value) : nameTextRule(value);
}

/** Dates as text, `YYYY-MM-DD`, have the order of time. */
function isTerminatedBeforeHired({ hire_date: hired, termination_date: terminated }: Attributes): boolean {
  return isDateText(hired) && isDateText(terminated) && (terminated as string) < (hired as string);
}

function toRecord(value: Attributes): ValidRecord {
  const given = givenAttributes.filter(({ name }) => name !== 'manager_id' && value[name] !== undefined);
  const employee = Object.fromEntries(
    given.map(({ name, member }) => [member, value[name]]),
  ) as unknown as EmployeeRecord;
  const { manager_id: id, [managerNumber.name]: employeeNumber } = value;
  if (typeof id === 'string') return { employee, manager: { id } };
  if (typeof employeeNumber === 'string') return { employee, manager: { employeeNumber } };
  return id === null || employeeNumber === null ? { employee, manager: null } : { employee };
}
