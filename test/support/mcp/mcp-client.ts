import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client';
import type { Test } from 'tap';

/** The official client, connected. It is closed when the test ends. */
export async function connect(
  t: Test,
  baseUrl: string,
  authentication: string | NonNullable<StreamableHTTPClientTransportOptions['authProvider']>,
  options: ClientOptions = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, options);
  const authProvider =
    typeof authentication === 'string' ? { token: async () => authentication } : authentication;
  await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { authProvider }));
  t.teardown(() => client.close());
  return client;
}

/** The text of a result. */
export function textOf({ content }: Awaited<ReturnType<Client['callTool']>>): string {
  return content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n');
}
