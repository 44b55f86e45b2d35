import type { Tool } from '@modelcontextprotocol/server';
import { isPermitted, openIdScope } from '../../oauth/scopes.js';
import {
  type Contract,
  type ContractDocument,
  type JsonSchema,
  type Operation,
  type Parameter,
  type RawOperation,
  resolve,
} from '../../platform/contract/contract.js';
import type { WithBaseUrl } from '../documentation/index.js';

/** The argument with the JSON body of the request. */
export const bodyArgument = 'body';

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
function inputSchema(
  document: ContractDocument,
  parameters: ReadonlyMap<string, Parameter>,
  body: { readonly required: boolean; readonly schema: JsonSchema } | null,
): Tool['inputSchema'] {
  const definitions = new Map<string, JsonSchema>();
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const [name, parameter] of parameters) {
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
    properties: properties as Tool['inputSchema']['properties'],
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...(definitions.size > 0 && { $defs: Object.fromEntries(definitions) }),
  };
}

/**
 * Builds the schema of the result of a tool: that of the successful response. Its root is an object and no reference, as the
 * revisions before 2026 require. `undefined` when the response has no body.
 */
function outputSchema(document: ContractDocument, { responses }: RawOperation): Tool['outputSchema'] {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const { content } = resolve<{ content?: Record<string, { schema: JsonSchema }> }>(document, success);
  const schema = content?.[json]?.schema;
  if (schema === undefined) return undefined;
  const definitions = new Map<string, JsonSchema>();
  const root = standalone(document, resolve<JsonSchema>(document, schema), definitions);
  return {
    ...root,
    type: 'object',
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

/** An operation of the contract that is a tool. */
export interface OperationTool {
  readonly operation: Operation;
  /** The tool as clients see it. */
  readonly definition: Tool;
  /** Arguments that are parameters, by name. */
  readonly parameters: ReadonlyMap<string, Parameter>;
}

const json = 'application/json';

/**
 * The tools: every operation that needs scopes and whose request and response are JSON. A new operation of the contract
 * is a tool without further code. The UserInfo endpoint is for applications that sign users in, and is no tool.
 *
 * @throws {Error} when two parameters of an operation have the same name as arguments
 */
export function readTools(contract: Contract, withBaseUrl: WithBaseUrl): Map<string, OperationTool> {
  const tools = [...contract.operations.values()]
    .filter(isTool)
    .map((operation) => toTool(contract, operation, withBaseUrl));
  return new Map(tools.map((tool) => [tool.operation.id, tool]));
}

/** Whether the scopes satisfy the security of the operation. */
export function isAllowed({ operation }: OperationTool, scopes: ReadonlySet<string>): boolean {
  return isPermitted(scopes, operation.scopes ?? [], operation.otherScopes);
}

function isTool({ scopes, body, responses }: Operation): boolean {
  const successes = [...responses].filter(([status]) => status >= 200 && status < 300);
  return (
    scopes !== null &&
    scopes.length > 0 &&
    !scopes.includes(openIdScope) &&
    (body === null || body.mediaTypes.includes(json)) &&
    successes.length > 0 &&
    successes.every(([, mediaTypes]) => mediaTypes.length === 0 || mediaTypes.includes(json))
  );
}

function toTool(contract: Contract, operation: Operation, withBaseUrl: WithBaseUrl): OperationTool {
  const { document } = contract;
  const item = document.paths[operation.path] ?? {};
  const raw = item[operation.method.toLowerCase()] as RawOperation;
  const parameters = readArguments(contract, operation, [
    ...((item.parameters ?? []) as readonly unknown[]),
    ...(raw.parameters ?? []),
  ]);
  const reads = operation.method === 'GET';
  const title = raw.summary ?? operation.id;
  const output = outputSchema(document, raw);
  return {
    operation,
    definition: {
      name: operation.id,
      title,
      description: withBaseUrl(`${title}. ${raw.description ?? ''}`.trim()),
      inputSchema: inputSchema(document, parameters, readBody(contract, operation, raw)),
      ...(output !== undefined && { outputSchema: output }),
      annotations: {
        title,
        readOnlyHint: reads,
        destructiveHint: !reads && operation.method !== 'POST',
        idempotentHint: operation.method !== 'POST' && operation.method !== 'PATCH',
        openWorldHint: false,
      },
    },
    parameters,
  };
}

/** Parameters of the path and of the query. Headers only for changes, because tools do not need conditional reads. */
function readArguments(
  { document }: Contract,
  { id, method }: Operation,
  declared: readonly unknown[],
): Map<string, Parameter> {
  const places = method === 'GET' ? ['path', 'query'] : ['path', 'query', 'header'];
  const found = declared
    .map((parameter) => resolve<Parameter>(document, parameter))
    .filter((parameter) => places.includes(parameter.in))
    .map((parameter) => ({ ...parameter, schema: resolve<JsonSchema>(document, parameter.schema) }));
  const byName = new Map(found.map((parameter) => [argumentName(parameter.name), parameter]));
  if (byName.size !== found.length || byName.has(bodyArgument))
    throw new Error(`${id} has two arguments with the same name`);
  return byName;
}

function readBody({ document }: Contract, { body }: Operation, { requestBody }: RawOperation) {
  if (body === null) return null;
  const { content } = resolve<{ content: Record<string, { schema: JsonSchema }> }>(document, requestBody);
  return { required: body.required, schema: content[json]?.schema ?? {} };
}
