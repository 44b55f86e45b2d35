import { type ContractDocument, type JsonSchema, resolve } from '../../../src/platform/contract/contract.js';
import { code, type DescribedMember, type DescribedSchema } from './description.js';
import type { DocumentLinks } from './links.js';

const prefix = '#/components/schemas/';

/** Limits of values, with their wording. */
const limits: readonly (readonly [keyword: string, wording: (value: unknown) => string])[] = [
  ['format', (value) => String(value)],
  ['enum', (value) => `${(value as readonly unknown[]).length === 1 ? 'always' : 'one of'} ${listOf(value)}`],
  ['x-extensible-enum', (value) => `${listOf(value)}, or a value that is added later`],
  ['minimum', (value) => `at least ${value}`],
  ['maximum', (value) => `at most ${value}`],
  ['minLength', (value) => `${value} or more characters`],
  ['maxLength', (value) => `at most ${value} characters`],
  ['minItems', (value) => `${value} or more items`],
  ['maxItems', (value) => `at most ${value} items`],
  ['minProperties', (value) => `${value} or more members`],
  ['pattern', (value) => `pattern ${code(value)}`],
  ['default', (value) => `default ${code(value)}`],
];

/** Describes schemas. Named ones are described once, in a section of their own. */
export class SchemaTexts {
  readonly #document: ContractDocument;
  readonly #links: DocumentLinks;
  readonly #names = new Set<string>();

  constructor(document: ContractDocument, links: DocumentLinks) {
    this.#document = document;
    this.#links = links;
  }

  /** Type and limits in a few words. */
  type(schema: JsonSchema): string {
    const { $ref, type, items, oneOf } = schema as {
      $ref?: string;
      type?: string | readonly string[];
      items?: JsonSchema;
      oneOf?: readonly JsonSchema[];
    };
    if ($ref !== undefined) return this.#named($ref);
    // The schema of its items exists for tools that require one.
    if (schema.maxItems === 0) return 'an empty array';
    const types = [type ?? []].flat().map((name) => (name === 'null' ? '`null`' : name));
    const words = oneOf === undefined ? types.join(' or ') : oneOf.map((one) => this.type(one)).join(' or ');
    const content = items === undefined ? '' : ` of ${bracketed(this.type(items))}`;
    const stated = limits.flatMap(([keyword, wording]) =>
      schema[keyword] === undefined ? [] : [wording(schema[keyword])],
    );
    return [`${words}${content}`, ...stated].join(', ');
  }

  /** The named schemas in the texts so far, and the schemas that these refer to. */
  described(): DescribedSchema[] {
    const described: DescribedSchema[] = [];
    // The set grows while it is read.
    for (const name of this.#names) {
      const schema = resolve<JsonSchema>(this.#document, { $ref: `${prefix}${name}` });
      // The members already show that it is an object.
      const type = schema.properties === undefined ? this.type(schema) : '';
      described.push({ name, text: this.#described(schema), type, members: this.#members(schema) });
    }
    return described;
  }

  #named(reference: string): string {
    const name = reference.slice(prefix.length);
    this.#names.add(name);
    return `[${name}](#${name.toLowerCase()})`;
  }

  #members({ properties = {}, required = [] }: JsonSchema): DescribedMember[] {
    return Object.entries(properties).map(([name, schema]) => ({
      name,
      required: (required as readonly string[]).includes(name),
      text: this.#described(schema),
      type: this.type(schema),
    }));
  }

  #described({ description }: JsonSchema): string {
    return typeof description === 'string' ? this.#links.rewriteLinks(description) : '';
  }
}

/** A type with limits, so that they are not mistaken for those of the array. */
function bracketed(type: string): string {
  return type.includes(',') ? `(${type})` : type;
}

function listOf(values: unknown): string {
  return (values as readonly unknown[]).map(code).join(', ');
}
