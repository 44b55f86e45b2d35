import type { Tool } from '@modelcontextprotocol/server';
import { type Contract, type Operation, resolve } from '../../platform/contract/contract.js';
import type { JsonSchema, Parameter, RawOperation } from '../../platform/contract/document.js';
import type { Localise } from '../documentation/index.js';
import { argumentName, bodyArgument, inputSchema, type ToolArgument } from './input-schema.js';

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
 * is a tool without further code.
 *
 * @throws {Error} when two parameters of an operation have the same name as arguments
 */
export function readTools(contract: Contract, localise: Localise): Map<string, OperationTool> {
  const tools = [...contract.operations.values()]
    .filter(isTool)
    .map((operation) => toTool(contract, operation, localise));
  return new Map(tools.map((tool) => [tool.operation.id, tool]));
}

/** Whether the scopes satisfy the security of the operation. */
export function isAllowed({ operation }: OperationTool, scopes: ReadonlySet<string>): boolean {
  return (operation.scopes ?? []).every((scope) => scopes.has(scope));
}

function isTool({ scopes, body, responses }: Operation): boolean {
  const successes = [...responses].filter(([status]) => status >= 200 && status < 300);
  return (
    scopes !== null &&
    scopes.length > 0 &&
    (body === null || body.mediaTypes.includes(json)) &&
    successes.length > 0 &&
    successes.every(([, mediaTypes]) => mediaTypes.length === 0 || mediaTypes.includes(json))
  );
}

function toTool(contract: Contract, operation: Operation, localise: Localise): OperationTool {
  const { document } = contract;
  const item = document.paths[operation.path] ?? {};
  const raw = item[operation.method.toLowerCase()] as RawOperation;
  const toolArguments = readArguments(contract, operation, [
    ...((item.parameters ?? []) as readonly unknown[]),
    ...(raw.parameters ?? []),
  ]);
  const reads = operation.method === 'GET';
  const title = raw.summary ?? operation.id;
  return {
    operation,
    definition: {
      name: operation.id,
      title,
      description: localise(`${title}. ${raw.description ?? ''}`.trim()),
      inputSchema: inputSchema(
        document,
        toolArguments,
        readBody(contract, operation, raw),
      ) as Tool['inputSchema'],
      annotations: {
        title,
        readOnlyHint: reads,
        destructiveHint: !reads && operation.method !== 'POST',
        idempotentHint: operation.method !== 'POST' && operation.method !== 'PATCH',
        openWorldHint: false,
      },
    },
    parameters: new Map(toolArguments.map(({ name, parameter }) => [name, parameter])),
  };
}

/** Parameters of the path and of the query. Headers only for changes, because tools do not need conditional reads. */
function readArguments(
  { document }: Contract,
  { id, method }: Operation,
  declared: readonly unknown[],
): ToolArgument[] {
  const places = method === 'GET' ? ['path', 'query'] : ['path', 'query', 'header'];
  const found = declared
    .map((parameter) => resolve<Parameter>(document, parameter))
    .filter((parameter) => places.includes(parameter.in))
    .map((parameter) => ({ name: argumentName(parameter.name), parameter }));
  const names = new Set([...found.map(({ name }) => name), bodyArgument]);
  if (names.size !== found.length + 1) throw new Error(`${id} has two arguments with the same name`);
  return found;
}

function readBody({ document }: Contract, { body }: Operation, { requestBody }: RawOperation) {
  if (body === null) return null;
  const { content } = resolve<{ content: Record<string, { schema: JsonSchema }> }>(document, requestBody);
  return { required: body.required, schema: content[json]?.schema ?? {} };
}
