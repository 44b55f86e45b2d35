import { type AttributeAccess, isReadableCustom } from '../../platform/contract/attribute-access.js';
import type { Operation } from '../../platform/contract/contract.js';
import type { components } from '../../platform/contract/generated.js';
import { memberParameter, memberParameters } from '../../platform/contract/object-parameters.js';
import { isObject } from '../../platform/contract/outside-text.js';
import { unknownParameters } from '../../platform/http/binding/request-syntax.js';
import { type InvalidValue, invalidRequest } from '../../platform/problems/invalid-request.js';
import { type Violation, violation } from '../../platform/problems/rule-texts.js';
import type { CustomAttribute, CustomType } from './custom-attributes.js';
import type { CustomFilter } from './custom-filter.js';
import { comparedTextRule } from './custom-values.js';
import type { RangeFilter, ValueFilter } from './employee-filter.js';

type Given = components['schemas']['EmployeeCustomFilters'];

/** The name of the parameter whose members are the filters. */
const parameter = 'filter';

/** Types whose values have ranges. */
const ranged: ReadonlySet<CustomType> = new Set(['number', 'date']);

/**
 * Reads the filters of custom attributes.
 *
 * @param attributes the custom attributes of the account that are not archived
 * @throws {Problem} 400 `invalid_request`: an attribute that the reader may not read is an unknown parameter, as one that does not
 *   exist; for other attributes it names each parameter with an invalid value
 */
export function readCustomFilters(
  given: Given,
  {
    attributes,
    access,
    operation,
  }: { attributes: readonly CustomAttribute[]; access: AttributeAccess; operation: Operation },
): CustomFilter[] {
  const readable = new Map(
    attributes
      .filter(({ key }) => isReadableCustom(key, access))
      .map((attribute) => [attribute.name, attribute]),
  );
  const unknown = Object.keys(given).filter((name) => !readable.has(name as CustomAttribute['name']));
  if (unknown.length > 0) {
    const parameters = unknown.flatMap((name) => memberParameters(parameter, { [name]: given[name] }));
    throw unknownParameters(
      parameters.map(([name]) => name),
      operation,
    );
  }
  const invalid: InvalidValue[] = [];
  const filters = Object.entries(given).map(([name, value]): CustomFilter => {
    const attribute = readable.get(name as CustomAttribute['name']) as CustomAttribute;
    return { key: attribute.key, type: attribute.type, wanted: readFilter(attribute, value, invalid) };
  });
  if (invalid.length > 0) throw invalidRequest(invalid);
  return filters;
}

/** Reads the filter of an attribute. Adds an error for each of its parameters with an invalid value. */
function readFilter(
  { name, type }: CustomAttribute,
  given: Given[string],
  invalid: InvalidValue[],
): ValueFilter | RangeFilter {
  const check = (path: readonly string[], violated: Violation | undefined) => {
    if (violated !== undefined)
      invalid.push({ place: { parameter: memberParameter(parameter, path) }, violation: violated });
  };
  const inRange = (text: string | undefined) => (text === undefined ? undefined : normalized(type, text));
  if (isObject(given)) {
    for (const [bound, text] of Object.entries(given)) check([name, bound], boundRule({ name, type }, text));
    return { from: inRange(given.gte), before: inRange(given.lt) };
  }
  const texts = [given].flat();
  check(
    [name],
    texts.map((text) => valueRule(type, text)).find((violated) => violated !== undefined),
  );
  return texts.map((text) => normalized(type, text));
}

/** The rule that a bound of a range violates. */
function boundRule(
  { name, type }: Pick<CustomAttribute, 'name' | 'type'>,
  text: string,
): Violation | undefined {
  if (ranged.has(type)) return valueRule(type, text);
  if (type === 'long_text') return violation('no_filter');
  return violation('range_filter', { parameter: memberParameter(parameter, [name]) });
}

/**
 * The rule that a value violates. An empty text is no value. A text or a choice is any text: an employee can have a choice that was
 * removed.
 */
function valueRule(type: CustomType, text: string): Violation | undefined {
  if (type === 'long_text') return violation('no_filter');
  if (text === '') return undefined;
  if (type === 'boolean')
    return ['true', 'false'].includes(text) ? undefined : violation('one_of', { values: ['true', 'false'] });
  return type === 'number' || type === 'date' ? comparedTextRule(type, text) : undefined;
}

/** A number as JSON has it. `NaN` is never used, because its parameter is invalid. */
function normalized(type: CustomType, text: string): string {
  return type === 'number' && text !== '' ? String(Number(text)) : text;
}
