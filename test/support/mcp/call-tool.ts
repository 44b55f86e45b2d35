import type { LightMyRequestResponse } from 'fastify';
import type { TestApplication } from '../records/tenant.js';
import type { TestApp } from '../server/app.js';

/** An access token of the client credentials grant for the endpoint. */
export function mcpToken(api: TestApp, application: TestApplication, scope?: string): Promise<string> {
  return api.token(application, scope, `${api.config.baseUrl}/mcp`);
}

/** Sends a message to the endpoint with `inject`, in the revision of the protocol that needs no earlier message. */
export function sendMessage(
  api: Pick<TestApp, 'app'>,
  token: string | undefined,
  message: unknown,
  headers: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  return api.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    payload: typeof message === 'string' ? message : JSON.stringify(message),
  });
}

/** Sends a tool call with `inject`. */
export function callTool(
  api: Pick<TestApp, 'app'>,
  token: string,
  name: string,
  given?: unknown,
): Promise<LightMyRequestResponse> {
  const params = { name, ...(given !== undefined && { arguments: given }) };
  return sendMessage(api, token, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
}
