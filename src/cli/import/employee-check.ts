import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { Contract } from '../../contract/contract.js';
import { isDateText } from '../../contract/date-text.js';
import type { JsonSchema } from '../../contract/document.js';
import { isStorableText } from '../../contract/storable-text.js';
import { annotations } from '../../contract/validator.js';
import { describeValidation } from '../../problems/describe-validation.js';
import { type GivenAttribute, givenAttributes } from '../../services/employees/employee-attributes.js';
import type { EmployeeRecord } from '../../services/employees/employee-record.js';

/** Validation of the records of an import file. */
export interface EmployeeCheck {
  readonly attributes: readonly GivenAttribute[];
  /** The employee of a valid record, or all errors. */
  check(
    value: unknown,
  ):
    | { readonly employee: EmployeeRecord; readonly errors?: never }
    | { readonly errors: readonly string[]; readonly employee?: never };
}

/**
 * Creates the validation from the attributes of an employee in the contract, except those that the service sets. A record
 * can omit a nullable attribute, or leave it blank.
 */
export function createEmployeeCheck(contract: Contract): EmployeeCheck {
  const ajv = new Ajv2020({ allErrors: true, verbose: true });
  ajvFormats.default(ajv);
  ajv.addVocabulary(annotations);
  const validate = ajv.compile<Attributes>(recordSchema(contract));
  return {
    attributes: givenAttributes,
    check(given) {
      const value = withoutBlanks(given);
      const blank = requiredNames.filter((name) => isBlank((value as Attributes | null)?.[name]));
      if (validate(value) && blank.length === 0) {
        const errors = givenAttributes.flatMap((attribute) =>
          storageErrors(attribute, value[attribute.name]),
        );
        return errors.length > 0 ? { errors } : { employee: toEmployee(value) };
      }
      const findings = (validate.errors ?? []).filter(
        ({ instancePath }) => !blank.includes(instancePath.slice(1)),
      );
      const required = blank.map((name) => `${name} is required`);
      return { errors: [...required, ...(findings.length > 0 ? describe(findings) : [])] };
    },
  };
}

type Attributes = Readonly<Record<string, string | null | undefined>>;

const names: readonly string[] = givenAttributes.map(({ name }) => name);
const nullableNames: readonly string[] = givenAttributes
  .filter(({ nullable }) => nullable)
  .map(({ name }) => name);
const requiredNames = names.filter((name) => !nullableNames.includes(name));

function recordSchema({ document }: Contract): JsonSchema {
  const { properties = {} } = document.components.schemas.EmployeeAttributes ?? {};
  const given = Object.entries(properties).filter(([name]) => names.includes(name));
  return {
    type: 'object',
    properties: Object.fromEntries(given),
    required: requiredNames,
    additionalProperties: false,
  };
}

/** A blank value of a nullable attribute counts as `null`. */
function withoutBlanks(given: unknown): unknown {
  const blank = nullableNames.filter((name) => isBlank((given as Attributes | null)?.[name]));
  if (blank.length === 0) return given;
  return { ...(given as Attributes), ...Object.fromEntries(blank.map((name) => [name, null])) };
}

function describe(findings: readonly ErrorObject[]): string[] {
  const { errors = [] } = describeValidation(findings, 'body', { form: true });
  return errors.map(({ detail }) => detail.replace(/^ /, 'the record ').replace(/\.$/, ''));
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/** Errors of a value that the schema of the response does not cover. */
function storageErrors({ name, type }: GivenAttribute, value: string | null | undefined): string[] {
  if (value === null || value === undefined) return [];
  if (type === 'date')
    return isDateText(value) ? [] : [`${name} must be a date from 0001-01-01 to 9999-12-31`];
  if (!isStorableText(value)) return [`${name} must be valid Unicode without NUL characters`];
  // The decoder replaces invalid bytes by this character. Storing it would lose the original text.
  if (value.includes('\uFFFD')) return [`${name} must be valid UTF-8`];
  if (name === 'employee_number' && value.trim() !== value) {
    return ['employee_number must not begin or end with a space'];
  }
  return [];
}

function toEmployee(value: Attributes): EmployeeRecord {
  const given = givenAttributes.filter(({ name }) => value[name] !== undefined);
  return Object.fromEntries(given.map(({ name, member }) => [member, value[name]])) as EmployeeRecord;
}
