import { lookup } from 'node:dns/promises';
import type { FastifyInstance } from 'fastify';
import { ConfigError } from '../platform/config/config-error.js';
import { describeError } from '../platform/database/database-errors.js';

/**
 * Listens on one address. For a name with several addresses Fastify opens several servers, and the connection limits and the
 * shutdown of this service apply to the first one only.
 *
 * @param options.host an address, or a name, which is resolved to one address; IPv4 is preferred
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
