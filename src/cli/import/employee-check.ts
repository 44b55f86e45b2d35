import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Contract } from '../../contract/contract.js';
import type { JsonSchema } from '../../contract/document.js';
import { isStorableText } from '../../contract/storable-text.js';
import { annotations } from '../../contract/validator.js';
import { describeValidation } from '../../problems/describe-validation.js';
import type { EmployeeRecord } from '../../services/employees/upsert-employees.js';

/** Where the attributes of an import are kept. */
const members: Readonly<Record<string, keyof EmployeeRecord>> = {
  employee_number: 'employeeNumber',
  first_name: 'firstName',
  last_name: 'lastName',
  email: 'email',
  status: 'status',
  department: 'department',
};

/** What a record of an import file is checked with. */
export interface EmployeeCheck {
  /** Names of the attributes that each record has. */
  readonly attributes: readonly string[];
  /** The employee that a record describes, or everything that is wrong with it. */
  check(
    value: unknown,
  ):
    | { readonly employee: EmployeeRecord; readonly faults?: never }
    | { readonly faults: readonly string[]; readonly employee?: never };
}

/**
 * Makes the check from the contract's attributes of an employee: all of them but those that the service itself
 * writes, each with the bounds that it has there.
 *
 * @throws {Error} when the contract has an attribute that nothing is known of here
 */
export function createEmployeeCheck(contract: Contract): EmployeeCheck {
  const { updated_at: _, ...properties } =
    contract.document.components.schemas.EmployeeAttributes?.properties ?? {};
  const attributes = Object.keys(properties);
  const unknown = attributes.filter((name) => !(name in members));
  if (unknown.length > 0) throw new Error(`The import does not know the attributes ${unknown.join(', ')}`);
  const ajv = new Ajv2020({ allErrors: true, verbose: true });
  ajv.addVocabulary(annotations);
  const validate = ajv.compile<Record<string, string>>(strict(properties));
  return {
    attributes,
    check(value) {
      const blank = attributes.filter((name) => isBlank((value as Record<string, unknown> | null)?.[name]));
      if (validate(value) && blank.length === 0) {
        const faults = attributes.flatMap((name) => faultsOf(name, value[name] ?? ''));
        return faults.length > 0 ? { faults } : { employee: toEmployee(value) };
      }
      const errors = (validate.errors ?? []).filter(
        ({ instancePath }) => !blank.includes(instancePath.slice(1)),
      );
      const required = blank.map((name) => `${name} is required`);
      return { faults: [...required, ...(errors.length > 0 ? describe(errors) : [])] };
    },
  };
}

function strict(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function describe(errors: readonly ErrorObject[]): string[] {
  const { errors: findings = [] } = describeValidation(errors, 'body', { form: true });
  return findings.map(({ detail }) => detail.replace(/^ /, 'the record ').replace(/\.$/, ''));
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/** What the schema of a response does not state of a value that is to be stored. */
function faultsOf(name: string, value: string): string[] {
  if (!isStorableText(value)) return [`${name} must not contain NUL or broken characters`];
  // What the decoder puts in place of bytes that it cannot read: storing it would lose the name for good.
  if (value.includes('\uFFFD')) return [`${name} has characters that are not UTF-8`];
  if (name === 'employee_number' && value.trim() !== value) {
    return ['employee_number must not begin or end with a space'];
  }
  return [];
}

function toEmployee(value: Record<string, string>): EmployeeRecord {
  const entries = Object.entries(members).map(([name, member]) => [member, value[name]]);
  return Object.fromEntries(entries) as EmployeeRecord;
}
