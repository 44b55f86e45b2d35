import type { ErrorObject } from 'ajv';
import { isRuleName, type Violation, violation } from './rule-texts.js';

interface Branch {
  readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
}

type Schema = ErrorObject['parentSchema'];

/** The rule of the catalogue that a finding of the validator violates. */
export function violationOf({ keyword, params, parentSchema }: ErrorObject): Violation {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, minProperties, maxProperties } =
    parentSchema ?? {};
  const stated = statedRule(parentSchema);
  switch (keyword) {
    case 'required':
      return violation('required');
    case 'additionalProperties':
      return violation('known_member', { values: Object.keys(parentSchema?.properties ?? {}) });
    case 'minimum':
    case 'maximum':
      return violation('integer_range', { minimum, maximum });
    case 'minLength':
      return violation('minimum_length', { minimum: minLength, maximum: maxLength });
    case 'maxLength':
      return violation('maximum_length', { minimum: minLength, maximum: maxLength });
    case 'minItems':
      return violation('minimum_length', { minimum: minItems, maximum: maxItems, of: 'item' });
    case 'maxItems':
      return stated ?? violation('maximum_length', { minimum: minItems, maximum: maxItems, of: 'item' });
    case 'minProperties':
      return violation('minimum_length', { minimum: minProperties, maximum: maxProperties, of: 'member' });
    case 'discriminator':
      return violation('discriminator', { values: tagValues(parentSchema, params.tag) });
    case 'enum':
      return violation('one_of', { values: params.allowedValues });
    case 'type':
      return violation('type', { types: [params.type].flat(), minimum, maximum });
    case 'format':
      if (isInteger(parentSchema)) return violation('integer_range', { minimum, maximum });
      if (params.format === 'date-time') return violation('existing_timestamp');
      return stated ?? violation('valid');
    default:
      return (keyword === 'pattern' ? stated : undefined) ?? violation('valid');
  }
}

function isInteger(schema: Schema): boolean {
  return [schema?.type].flat().includes('integer');
}

/** The rule that the contract names, because no keyword of JSON Schema states it. */
function statedRule(schema: Schema): Violation | undefined {
  const { name, ...params } = (schema?.['x-rule'] ?? {}) as { name?: string };
  return name !== undefined && isRuleName(name) ? { rule: name, params } : undefined;
}

/** Values of the property that selects a branch of a union. */
function tagValues(schema: Schema, tag: string): readonly string[] {
  const branches = (schema?.oneOf ?? []) as readonly Branch[];
  return branches.flatMap(({ properties }) => properties[tag]?.enum ?? []);
}
