import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { ToolArguments } from './tool-request.js';
import { isAllowed, type OperationTool } from './tools.js';

/** The caller of a request, and the function that calls a tool for it. */
export interface ToolCaller {
  readonly scopes: ReadonlySet<string>;
  call(tool: OperationTool, given: ToolArguments): Promise<CallToolResult>;
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
export async function respond(
  request: Request,
  body: unknown,
  {
    tools,
    version,
    caller,
  }: { tools: ReadonlyMap<string, OperationTool>; version: string; caller: ToolCaller },
): Promise<Response> {
  const create = () => createServer(tools, version, caller);
  if (!(await isLegacyRequest(request, body))) {
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

function createServer(
  tools: ReadonlyMap<string, OperationTool>,
  version: string,
  caller: ToolCaller,
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
