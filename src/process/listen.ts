import { lookup } from 'node:dns/promises';
import type { FastifyInstance } from 'fastify';
import { demoBackend, demoPassword } from '../features/demo-data/accounts.js';
import { ConfigError } from '../platform/config/environment.js';
import { describeError } from '../platform/database/database-errors.js';

/**
 * Listens on one address. For a name with several addresses Fastify opens several servers, and the connection limits and the
 * shutdown of this service apply to the first one only.
 *
 * @param host an address, or a name, which is resolved to one address; IPv4 is preferred
 * @throws {ConfigError} when the server cannot listen on the address
 */
export async function listen(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
): Promise<void> {
  await app.ready();
  try {
    const { address } = await lookup(host, { order: 'ipv4first' });
    await app.listen({ host: address, port });
  } catch (cause) {
    throw new ConfigError(`HOST, PORT: ${describeError(cause)}`, { cause });
  }
}

/**
 * The text on standard output when the server listens: its addresses, and with the demo data a first request and a user.
 *
 * @param demoApplication whether the database has the application of the demo data
 */
export function startupMessage(
  { baseUrl }: { baseUrl: string },
  { demoApplication }: { demoApplication: boolean },
): string {
  const lines = [
    `People API is listening on ${baseUrl}`,
    `  reference: ${baseUrl}/docs`,
    `  API console: ${baseUrl}/console`,
    `  sign-in page: ${baseUrl}/sign_in`,
  ];
  if (demoApplication) {
    lines.push(
      '  demo data is in place; get a token with',
      `    curl -sS ${baseUrl}/v1/oauth/token -d grant_type=client_credentials \\`,
      `      -d client_id=${demoBackend.clientId} -d client_secret=${demoBackend.clientSecret}`,
      `  or sign in as ${demoBackend.ownerEmail} with the password: ${demoPassword}`,
    );
  }
  return `${lines.join('\n')}\n`;
}
