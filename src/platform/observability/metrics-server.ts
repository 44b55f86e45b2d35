import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { ConfigError } from '../config/config-error.js';
import { describeError } from '../database/database-errors.js';

/** Source of the metrics. */
export interface Exposition {
  readonly contentType: string;
  exposition(): Promise<string>;
}

/**
 * Serves `GET /metrics` on a separate port, and 404 for all other requests.
 *
 * @throws {ConfigError} when the port cannot be opened
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
