import { lookup } from 'node:dns/promises';
import type { FastifyInstance } from 'fastify';
import { ConfigError } from '../config/config-error.js';
import { describeError } from '../database/database-errors.js';

/**
 * Takes connections at one address. For a name with several addresses Fastify would open a server for each, and only the
 * first of them would have the limits on connections and the end that a process needs.
 *
 * @param where host: an address, or a name, of which the first address is taken, of IPv4 where it has one
 * @throws {ConfigError} when nobody can listen there
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
