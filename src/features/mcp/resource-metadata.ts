import type { FastifyInstance } from 'fastify';
import { allowPreflight } from '../../platform/http/cors.js';

/** Path of the endpoint. */
export const mcpPath = '/mcp';

const wellKnown = '/.well-known/oauth-protected-resource';

/** URL of the metadata of the endpoint, for challenges. @see RFC 9728 section 5.1 */
export function resourceMetadataUrl(baseUrl: string): string {
  return `${baseUrl}${wellKnown}${mcpPath}`;
}

/**
 * Metadata of the protected resources: the endpoint of the Model Context Protocol, and the whole API.
 *
 * @see RFC 9728 sections 2 and 3
 */
export async function resourceMetadataRoutes(
  app: FastifyInstance,
  { baseUrl, scopes }: { baseUrl: string; scopes: readonly string[] },
): Promise<void> {
  for (const path of [mcpPath, '']) {
    const metadata = {
      resource: `${baseUrl}${path}`,
      authorization_servers: [baseUrl],
      scopes_supported: scopes,
      bearer_methods_supported: ['header'],
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
