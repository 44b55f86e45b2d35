import type { CallToolResult, Server } from '@modelcontextprotocol/server';
import type { InjectOptions } from 'fastify';
import { isRepeatable, type Parameter } from '../../platform/contract/contract.js';
import {
  isObjectParameter,
  memberParameters,
  pathReader,
} from '../../platform/contract/object-parameters.js';
import { isObject, isStorableText } from '../../platform/contract/outside-text.js';
import { invalidParameter, invalidRequest } from '../../platform/problems/invalid-request.js';
import { type Problem, type ProblemDocument, recordNotFound } from '../../platform/problems/problem.js';
import { violation } from '../../platform/problems/rule-texts.js';
import { argumentName, bodyArgument, isAllowed, type OperationTool } from './tools.js';

/** Result of a tool call that succeeded. @param body JSON, or empty when the response has no body */
export function succeeded(body: string): CallToolResult {
  if (body === '') return { content: [{ type: 'text', text: 'Done. The response has no body.' }] };
  return { content: [{ type: 'text', text: body }], structuredContent: JSON.parse(body) };
}

/**
 * Result of a tool call that was rejected: the problem document, also as text.
 *
 * @param tool the tool that was called
 * @param retryAfter seconds after which the call may be repeated
 */
export function rejectedCall(
  problem: ProblemDocument,
  tool: Pick<OperationTool, 'parameters'>,
  retryAfter?: unknown,
): CallToolResult {
  const objects = [...tool.parameters.values()].filter(isObjectParameter);
  const lines = [
    `${problem.title} (${problem.status} ${problem.code}): ${problem.detail}`,
    ...(problem.errors ?? []).map((error) => `- ${placeOf(error, objects)}: ${error.detail}`),
    ...(retryAfter === undefined ? [] : [`Try again after ${retryAfter} seconds.`]),
    `Request id: ${problem.request_id}`,
  ];
  return {
    isError: true,
    content: [{ type: 'text', text: lines.join('\n') }],
    structuredContent: { ...problem },
  };
}

/** Where the error is, as an argument of the tool. */
function placeOf(
  error: NonNullable<ProblemDocument['errors']>[number],
  objects: readonly Parameter[],
): string {
  const {
    parameter = '',
    header,
    pointer,
  } = error as Partial<Record<'parameter' | 'header' | 'pointer', string>>;
  if (pointer !== undefined) return `body${pointer}`;
  for (const object of objects) {
    const path = pathReader(object)(parameter);
    if (path !== undefined) return [argumentName(object.name), ...path].join('/');
  }
  return argumentName(header ?? parameter);
}

/** Arguments of a tool call, as the client sent them. */
type ToolArguments = Readonly<Record<string, unknown>>;

/** Method, URL, headers and body of the request of a tool call. */
type ToolRequest = Required<Pick<InjectOptions, 'method' | 'url'>> & {
  readonly headers: Record<string, string>;
  readonly payload?: string;
};

/**
 * Builds the request of a tool call. Values are checked by the operation, like those of any request.
 *
 * @throws {Problem} 400 `invalid_request` for arguments that no request can have; 404 `not_found` for an id that no record
 *   can have
 */
export function toolRequest({ operation, parameters }: OperationTool, given: ToolArguments): ToolRequest {
  const known = [...parameters.keys(), ...(operation.body === null ? [] : [bodyArgument])];
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw unknownArguments(unknown, known);

  let path: string = operation.path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = { accept: 'application/json' };
  for (const [name, parameter] of parameters) {
    if (isObjectParameter(parameter)) {
      for (const field of fieldsOf(name, parameter, given[name])) query.append(...field);
      continue;
    }
    const values = textsOf(name, given[name], isRepeatable(parameter));
    const [value] = values;
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, () => segment(name, value));
    else if (value === undefined) continue;
    else if (!values.every(isStorableText)) throw invalidParameter(name, violation('storable_text'));
    else if (parameter.in === 'query') for (const text of values) query.append(parameter.name, text);
    else headers[parameter.name.toLowerCase()] = value;
  }
  const url = query.size === 0 ? path : `${path}?${query}`;
  const method = operation.method as ToolRequest['method'];
  const body = given[bodyArgument];
  if (operation.body === null || body === undefined) return { method, url, headers };
  headers['content-type'] = 'application/json';
  return { method, url, headers, payload: JSON.stringify(body) };
}

/** The parameters of the request for an argument that is an object. Their names and values are checked by the operation. */
function fieldsOf(name: string, parameter: Parameter, given: unknown): [name: string, text: string][] {
  if (given === undefined) return [];
  if (!isObject(given)) throw invalidParameter(name, violation('json_object'));
  return memberParameters(parameter.name, given).flatMap(([field, value]) =>
    textsOf(field, value, true).map((text): [string, string] => {
      if (!isStorableText(field) || !isStorableText(text))
        throw invalidParameter(name, violation('storable_text'));
      return [field, text];
    }),
  );
}

/** The values of an argument as texts; several only for a parameter that can be repeated. */
function textsOf(name: string, given: unknown, repeatable: boolean): string[] {
  if (given === undefined) return [];
  if (!repeatable || !Array.isArray(given)) return [textOf(name, given)];
  // Without a value, the request would not have the parameter at all.
  if (given.length === 0)
    throw invalidParameter(name, violation('minimum_length', { minimum: 1, of: 'item' }));
  return given.map((value) => textOf(name, value));
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw invalidParameter(name, violation('argument_type'));
}

/** A segment of a path. `.` and `..` would lead to another path, even when they are percent-encoded. */
function segment(name: string, value: string | undefined): string {
  if (value === undefined) throw invalidParameter(name, violation('required'));
  if (value === '' || value === '.' || value === '..' || !isStorableText(value)) throw recordNotFound();
  return encodeURIComponent(value);
}

/** Characters of an unknown name that are repeated in the error. */
const maximumEcho = 100;

function unknownArguments(unknown: readonly string[], known: readonly string[]): Problem {
  const error = violation('known_argument', { values: known });
  return invalidRequest(
    unknown.map((name) => ({ place: { parameter: name.slice(0, maximumEcho) }, violation: error })),
    { summarize: (count) => `The call has ${count} unknown arguments.` },
  );
}

/** The caller of a request, and the function that calls a tool for it. */
export interface ToolCaller {
  readonly scopes: ReadonlySet<string>;
  call(tool: OperationTool, given: ToolArguments): Promise<CallToolResult>;
}

/** What a server offers a caller. */
interface ToolOffer {
  readonly tools: ReadonlyMap<string, OperationTool>;
  readonly version: string;
  readonly caller: ToolCaller;
}

const instructions =
  `Employees, saved reports, events, webhook endpoints and the profile of the current user in the People API. Each tool
is an operation of the API and acts for the user or the application of the access token. A tool error states what must be
corrected. Lists have pages: call the tool again with page_after set to meta.next_cursor.`.replaceAll(
    '\n',
    ' ',
  );

/**
 * Responds to one message of the Model Context Protocol, without a session: any process can respond to any message. The
 * revisions before 2026 start with `initialize`, later ones name the revision in each message.
 *
 * @param body the parsed body of the request
 */
export async function respond(request: Request, body: unknown, offer: ToolOffer): Promise<Response> {
  const sdk = await library();
  const create = () => createServer(sdk, offer);
  const { createMcpHandler, isLegacyRequest, WebStandardStreamableHTTPServerTransport } = sdk;
  if (!(await isLegacyRequest(request, body))) {
    if (isSubscription(body)) return methodNotFound(body.id);
    return createMcpHandler(create, { legacy: 'reject', responseMode: 'json' }).fetch(request, {
      parsedBody: body,
    });
  }
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = create();
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    await server.close();
  }
}

/**
 * Whether a message requests a stream of changes. The library would keep one open, although the tools do not change and the
 * server declares no changes.
 */
function isSubscription(body: unknown): body is { readonly id: string | number } {
  const { method, id } = Object(body) as { method?: unknown; id?: unknown };
  return method === 'subscriptions/listen' && (typeof id === 'string' || typeof id === 'number');
}

/** The response to a method that the server does not have. @see MCP 2026-07-28, Streamable HTTP */
function methodNotFound(id: string | number): Response {
  return Response.json(
    { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } },
    { status: 404 },
  );
}

/** The library is loaded with the first message. */
const library = () => import('@modelcontextprotocol/server');

function createServer(
  { ProtocolError, ProtocolErrorCode, Server }: Awaited<ReturnType<typeof library>>,
  { tools, version, caller }: ToolOffer,
): Server {
  const server = new Server(
    { name: 'people-api', title: 'People API', version },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: [...tools.values()]
      .filter((tool) => isAllowed(tool, caller.scopes))
      .map(({ definition }) => definition),
  }));
  server.setRequestHandler('tools/call', ({ params: { name, arguments: given = {} } }) => {
    const tool = tools.get(name);
    if (tool === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name.slice(0, 100)}.`);
    }
    return caller.call(tool, given);
  });
  return server;
}
