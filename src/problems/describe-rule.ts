import type { ErrorObject } from 'ajv';

interface Branch {
  readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

/** What a value must be that the validator rejects; follows the name of the value. */
export function describeRule({ keyword, params, message, parentSchema }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not allowed';
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'minLength':
      return `must have at least ${count(params.limit, 'character')}`;
    case 'maxLength':
      return `must have at most ${count(params.limit, 'character')}`;
    case 'minItems':
      return `must have at least ${count(params.limit, 'item')}`;
    case 'maxItems':
      return statedRule(parentSchema) ?? `must have at most ${count(params.limit, 'item')}`;
    case 'minProperties':
      return `must have at least ${count(params.limit, 'member')}`;
    case 'discriminator':
      return `must be one of ${tagValues(parentSchema, params.tag).join(', ')}`;
    case 'enum':
      return `must be one of ${params.allowedValues.join(', ')}`;
    case 'type':
      return `must be ${[params.type].flat().map(typeName).join(' or ')}`;
    case 'format':
      return `must be a valid ${params.format}`;
    case 'pattern':
      return statedRule(parentSchema) ?? `must match the pattern ${params.pattern}`;
    default:
      return message ?? 'is not valid';
  }
}

function count(limit: number, thing: string): string {
  return `${limit} ${thing}${limit === 1 ? '' : 's'}`;
}

function typeName(type: string): string {
  return typeNames[type] ?? type;
}

/** The sentence of the contract's description that begins with Must, which says in words what the schema checks. */
function statedRule(schema: ErrorObject['parentSchema']): string | undefined {
  const sentence = /(?:^|\. +)M(ust .*?)\.(?= |$)/.exec(oneLine(schema))?.[1];
  return sentence === undefined ? undefined : `m${sentence}`;
}

/** Values of the member that decides between the branches of a union. */
function tagValues(schema: ErrorObject['parentSchema'], tag: string): readonly string[] {
  const branches = (schema?.oneOf ?? []) as readonly Branch[];
  return branches.flatMap(({ properties }) => properties[tag]?.enum ?? []);
}

function oneLine(schema: ErrorObject['parentSchema']): string {
  const description = String(schema?.description ?? '').replaceAll('`', '');
  return description.replaceAll(/\s+/g, ' ').trim();
}
