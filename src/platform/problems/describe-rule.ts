import type { ErrorObject } from 'ajv';

interface Branch {
  readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
}

type Schema = ErrorObject['parentSchema'];

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
};

const formatRules: Readonly<Record<string, string>> = {
  'date-time': 'must be an existing date and time, such as 2026-01-31T00:00:00Z',
};

/** The valid values for a finding of the validator. The text follows the name of the value. */
export function describeRule({ keyword, params, parentSchema }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return `is unknown; valid members are ${Object.keys(parentSchema?.properties ?? {}).join(', ')}`;
    case 'minimum':
    case 'maximum':
      return `must be ${integer(parentSchema)}`;
    case 'minLength':
    case 'maxLength':
      return `must have ${range(parentSchema?.minLength, parentSchema?.maxLength, 'character')}`;
    case 'minItems':
      return `must have ${range(parentSchema?.minItems, parentSchema?.maxItems, 'item')}`;
    case 'maxItems':
      return (
        statedRule(parentSchema) ??
        `must have ${range(parentSchema?.minItems, parentSchema?.maxItems, 'item')}`
      );
    case 'minProperties':
      return `must have ${range(parentSchema?.minProperties, parentSchema?.maxProperties, 'member')}`;
    case 'discriminator':
      return `must be one of ${tagValues(parentSchema, params.tag).join(', ')}`;
    case 'enum':
      return `must be ${params.allowedValues.length === 1 ? '' : 'one of '}${params.allowedValues.join(', ')}`;
    case 'type':
      return `must be ${[params.type].flat().map(typeNameIn(parentSchema)).join(' or ')}`;
    case 'format':
      return isInteger(parentSchema)
        ? `must be ${integer(parentSchema)}`
        : (formatRules[params.format] ?? statedRule(parentSchema) ?? 'is not valid');
    case 'pattern':
      return statedRule(parentSchema) ?? 'is not valid';
    default:
      return 'is not valid';
  }
}

function typeNameIn(schema: Schema): (type: string) => string {
  return (type) => (type === 'integer' ? integer(schema) : (typeNames[type] ?? type));
}

function isInteger(schema: Schema): boolean {
  return [schema?.type].flat().includes('integer');
}

/** For example "an integer from 1 to 500". */
export function integer(schema: Readonly<Record<string, unknown>> | undefined): string {
  const { minimum, maximum } = schema ?? {};
  if (minimum === undefined) return maximum === undefined ? 'an integer' : `an integer up to ${maximum}`;
  return maximum === undefined ? `an integer from ${minimum}` : `an integer from ${minimum} to ${maximum}`;
}

/** For example "1 to 255 characters". */
function range(minimum = 0, maximum: number | undefined, thing: string): string {
  const things = (count: number) => `${count} ${thing}${count === 1 ? '' : 's'}`;
  if (maximum === undefined) return `at least ${things(minimum)}`;
  if (minimum === maximum) return `exactly ${things(maximum)}`;
  return minimum === 0 ? `at most ${things(maximum)}` : `${minimum} to ${things(maximum)}`;
}

/** The sentence of the contract's description that starts with "Must" and states in words what the schema checks. */
function statedRule(schema: Schema): string | undefined {
  const sentence = /(?:^|\. +)M(ust .*?)\.(?= |$)/.exec(oneLine(schema))?.[1];
  return sentence === undefined ? undefined : `m${sentence}`;
}

/** Values of the property that selects a branch of a union. */
function tagValues(schema: Schema, tag: string): readonly string[] {
  const branches = (schema?.oneOf ?? []) as readonly Branch[];
  return branches.flatMap(({ properties }) => properties[tag]?.enum ?? []);
}

function oneLine(schema: Schema): string {
  const description = String(schema?.description ?? '').replaceAll('`', '');
  return description.replaceAll(/\s+/g, ' ').trim();
}
