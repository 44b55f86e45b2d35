import { resolve } from '../../platform/contract/contract.js';
import type { ContractDocument, JsonSchema, Parameter } from '../../platform/contract/document.js';

/** An argument of a tool that is a parameter of its operation. */
export interface ToolArgument {
  readonly name: string;
  readonly parameter: Parameter;
}

/** The argument with the JSON body of the request. */
export const bodyArgument = 'body';

/** JSON Schema of the arguments of a tool. */
export interface InputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: string[];
  readonly additionalProperties: false;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly [keyword: string]: unknown;
}

/**
 * Name of a parameter as the name of an argument: `page[size]` is `page_size`, and `If-Match` is `if_match`. Names consist
 * of letters, digits and `_`, which all language models accept.
 */
export function argumentName(parameter: string): string {
  return parameter
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/_$/, '');
}

/** Builds the schema of the arguments of a tool: its parameters, and its body in one argument. */
export function inputSchema(
  document: ContractDocument,
  toolArguments: Iterable<ToolArgument>,
  body: { readonly required: boolean; readonly schema: JsonSchema } | null,
): InputSchema {
  const definitions = new Map<string, JsonSchema>();
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const { name, parameter } of toolArguments) {
    const { description = '', schema } = parameter as Parameter & { description?: string };
    properties[name] = {
      ...standalone(document, resolve<JsonSchema>(document, schema), definitions),
      ...(description !== '' && { description: description.trim() }),
    };
    if (parameter.required === true) required.push(name);
  }
  if (body !== null) {
    properties[bodyArgument] = standalone(document, body.schema, definitions);
    if (body.required) required.push(bodyArgument);
  }
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(definitions.size > 0 && { $defs: Object.fromEntries(definitions) }),
  };
}

const schemas = '#/components/schemas/';

/** A schema without extensions of OpenAPI, with references to `$defs`. Adds the referenced schemas to `definitions`. */
function standalone<Node>(
  document: ContractDocument,
  node: Node,
  definitions: Map<string, JsonSchema>,
): Node {
  if (Array.isArray(node)) return node.map((item) => standalone(document, item, definitions)) as Node;
  if (typeof node !== 'object' || node === null) return node;
  const members = Object.entries(node).filter(([keyword]) => !keyword.startsWith('x-'));
  return Object.fromEntries(
    members.map(([keyword, value]) => {
      if (keyword !== '$ref' || typeof value !== 'string') {
        return [keyword, standalone(document, value, definitions)];
      }
      const name = value.slice(schemas.length);
      if (!definitions.has(name)) {
        // Before its content is read, which may refer to the schema itself.
        definitions.set(name, {});
        definitions.set(name, standalone(document, resolve<JsonSchema>(document, node), definitions));
      }
      return [keyword, `#/$defs/${name}`];
    }),
  ) as Node;
}
