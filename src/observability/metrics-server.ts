import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { ConfigError } from '../config/config-error.js';
import { describeError } from '../database/database-errors.js';

/** What is to be read. */
export interface Exposition {
  readonly contentType: string;
  exposition(): Promise<string>;
}

/**
 * Answers `GET /metrics` on a port of its own, and 404 to anything else.
 *
 * @throws {ConfigError} when it cannot listen there
 */
export async function serveMetrics(
  metrics: Exposition,
  { host, port }: { host: string; port: number },
): Promise<Server> {
  const server = createServer(async (request, response) => {
    const path = request.url?.split('?', 1)[0];
    if (request.method !== 'GET' || path !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    try {
      const body = await metrics.exposition();
      response.writeHead(200, { 'content-type': metrics.contentType }).end(body);
    } catch {
      response.writeHead(500).end();
    }
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new ConfigError(`METRICS_PORT: ${describeError(cause)}`, { cause });
  }
  return server;
}
