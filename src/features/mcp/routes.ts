import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { inSchemeOf, insufficientScope } from '../../oauth/authentication.js';
import { proofAlgorithms } from '../../oauth/dpop/proof-key.js';
import type { Config } from '../../platform/config/config.js';
import type { Contract, ScopeName } from '../../platform/contract/contract.js';
import { isDeeper } from '../../platform/contract/outside-text.js';
import type { Authenticate } from '../../platform/http/binding/bind.js';
import { allowPreflight } from '../../platform/http/cors.js';
import { asCounted } from '../../platform/http/rate-limit.js';
import { requestIdHeader } from '../../platform/http/request-head.js';
import { Problem, type ProblemDocument, problemDocument } from '../../platform/problems/problem.js';
import type { WithBaseUrl } from '../documentation/index.js';
import { rejectedCall, respond, succeeded, type ToolCaller, toolRequest } from './server.js';
import { isAllowed, type OperationTool, readTools } from './tools.js';

/** Path of the endpoint. */
const mcpPath = '/mcp';

const wellKnown = '/.well-known/oauth-protected-resource';

/**
 * The scopes that clients request at first: the fewest with which tools are useful. Clients request those of the challenge or,
 * without one, all of the metadata, and an application need not have more.
 */
const firstScopes = ['reports:read'] as const satisfies readonly ScopeName[];

/**
 * Metadata of the protected resources: the endpoint of the Model Context Protocol, and the whole API.
 *
 * @see RFC 9728 sections 2 and 3
 */
async function resourceMetadataRoutes(
  app: FastifyInstance,
  { baseUrl, scopes }: { baseUrl: string; scopes: readonly string[] },
): Promise<void> {
  for (const [path, supported] of [
    [mcpPath, firstScopes],
    ['', scopes],
  ] as const) {
    const metadata = {
      resource: `${baseUrl}${path}`,
      authorization_servers: [baseUrl],
      scopes_supported: supported,
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: proofAlgorithms,
      resource_name: 'People API',
      resource_documentation: `${baseUrl}/docs`,
    };
    allowPreflight(app, `${wellKnown}${path}`, ['GET', 'HEAD']);
    app.get(`${wellKnown}${path}`, async (_, reply) =>
      reply
        .headers({ 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' })
        .send(metadata),
    );
  }
}

interface Dependencies {
  readonly contract: Contract;
  readonly withBaseUrl: WithBaseUrl;
  readonly authenticate: Authenticate;
  readonly config: Pick<Config, 'baseUrl' | 'errorsUrl'>;
}

/**
 * The endpoint of the Model Context Protocol, whose tools are operations of the contract, and its metadata.
 *
 * Requests need an access token. A tool call is a request to the route of the operation, with the same token, address
 * and request id, so that validation, limits, audit and usage are those of the operation.
 */
export async function mcpRoutes(app: FastifyInstance, dependencies: Dependencies): Promise<void> {
  const { contract, withBaseUrl, authenticate, config } = dependencies;
  const tools = readTools(contract, withBaseUrl);
  const scopes = Object.keys(contract.scopes);
  const version = String(contract.document.info.version);
  await app.register(resourceMetadataRoutes, { baseUrl: config.baseUrl, scopes });
  const resourceMetadata = `resource_metadata="${config.baseUrl}${wellKnown}${mcpPath}"`;

  app.post(mcpPath, {
    onRequest: async (request, reply) => {
      if (!isOwnOrigin(request, config.baseUrl)) {
        return sendError(reply, 403, 'The Origin header must be absent or the address of this server.');
      }
      request.caller = await authenticate(request, reply, [], []).catch((error) =>
        withParameters(error, `scope="${firstScopes.join(' ')}", ${resourceMetadata}`),
      );
    },
    handler: async (request, reply) => {
      const { body } = request;
      if (Array.isArray(body)) return sendError(reply, 400, 'The body must be one message, not a batch.');
      if (isDeeper(body, maximumDepth)) {
        return sendError(reply, 400, `The body must not be nested deeper than ${maximumDepth} levels.`);
      }
      const caller = callerOf(app, request, dependencies);
      const tool = tools.get(calledTool(body));
      if (tool !== undefined && !isAllowed(tool, caller.scopes)) {
        const missing = (tool.operation.scopes ?? []).filter((scope) => !caller.scopes.has(scope));
        // The client then requests these scopes and would otherwise lose those of its token.
        const problem = insufficientScope(missing, [...caller.scopes, ...missing]);
        withParameters(inSchemeOf(request, problem), resourceMetadata);
      }
      const offer = { tools, version, caller };
      const response = await respond(webRequest(request, config.baseUrl), body ?? null, offer);
      return reply.header('cache-control', 'no-store').send(response);
    },
  });
  // Without sessions there are no streams to open or close.
  const onRequest = async (_: FastifyRequest, reply: FastifyReply) =>
    sendError(reply.header('allow', 'POST'), 405, 'The method must be POST.');
  // 308 keeps the method and the body.
  app.all(`${mcpPath}/`, async (_, reply) => reply.redirect(`${config.baseUrl}${mcpPath}`, 308));
  app.route({ method: ['GET', 'DELETE'], url: mcpPath, onRequest, handler: async () => undefined });
}

/** Maximum depth of a message. Bodies of operations are far less deep, and serialization is recursive. */
const maximumDepth = 64;

/** A page of another site cannot use the browser of a user to reach the endpoint, as after DNS rebinding. */
function isOwnOrigin({ headers: { origin } }: FastifyRequest, baseUrl: string): boolean {
  return origin === undefined || origin === new URL(baseUrl).origin;
}

/** An error outside of a message. @see JSON-RPC 2.0 section 5.1 */
function sendError(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .send({ jsonrpc: '2.0', error: { code: -32000, message }, id: null });
}

/** Adds parameters to a challenge, such as the URL of the metadata. @see RFC 9728 section 5.1 */
function withParameters(error: unknown, parameters: string): never {
  if (!(error instanceof Problem)) throw error;
  const { 'www-authenticate': challenge, ...headers } = error.headers;
  if (challenge === undefined) throw error;
  throw new Problem(error.code, error.message, {
    headers: { ...headers, 'www-authenticate': `${challenge}, ${parameters}` },
    cause: error.cause,
  });
}

/** The name of the tool that a message calls; empty for other messages. */
function calledTool(body: unknown): string {
  const { method, params } = Object(body) as { method?: unknown; params?: { name?: unknown } | null };
  const name = method === 'tools/call' ? params?.name : undefined;
  return typeof name === 'string' ? name : '';
}

const protocolHeaders = /^(content-type|mcp-.*)$/;

/** The request for the library, with the headers of the protocol and without the token. */
function webRequest({ headers: { accept = '*/*', ...headers } }: FastifyRequest, baseUrl: string): Request {
  const kept = Object.entries(headers).filter(([name]) => protocolHeaders.test(name));
  return new Request(`${baseUrl}${mcpPath}`, {
    method: 'POST',
    headers: [...kept.map(([name, value]) => [name, String(value)] as [string, string]), ...acceptOf(accept)],
  });
}

/** The library requires both types, although every response is JSON: clients that accept JSON get it. */
function acceptOf(accept: string): [string, string][] {
  const json = new Negotiator({ headers: { accept } }).mediaType(['application/json']) !== undefined;
  return [['accept', json ? 'application/json, text/event-stream' : accept]];
}

function callerOf(app: FastifyInstance, request: FastifyRequest, dependencies: Dependencies): ToolCaller {
  const { contract, config } = dependencies;
  const send = (tool: OperationTool, given: Parameters<ToolCaller['call']>[1]) => {
    const { headers, ...target } = toolRequest(tool, given);
    return asCounted(() =>
      app.inject({
        ...target,
        remoteAddress: request.ip,
        headers: {
          ...headers,
          authorization: request.headers.authorization,
          [requestIdHeader]: request.id,
        },
      }),
    );
  };
  return {
    scopes: request.caller?.scopes ?? new Set(),
    async call(tool, given) {
      try {
        const response = await send(tool, given);
        if (response.statusCode < 300) return succeeded(response.body);
        return rejectedCall(response.json<ProblemDocument>(), tool, response.headers['retry-after']);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        const { problems } = contract;
        const context = { problems, errorsUrl: config.errorsUrl, instance: mcpPath, requestId: request.id };
        return rejectedCall(problemDocument(error, context), tool);
      }
    },
  };
}
