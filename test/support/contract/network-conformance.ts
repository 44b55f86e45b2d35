import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Conformance } from './conformance.js';

/** Longer bodies are tables, which other tests check. */
const maximumBytes = 4 * 1024 * 1024;

/**
 * Compares every response over the network with the contract.
 *
 * @returns a list to which the differences are added
 */
export function checkNetworkResponses(app: FastifyInstance, conformance: Conformance): readonly string[] {
  const faults: string[] = [];
  app.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const captured = capture(response);
    response.once('finish', () => {
      const { method = '', url = '', headers } = request;
      if (!url.startsWith('/') || captured.bytes() > maximumBytes) return;
      try {
        conformance.check(
          { method, url, headers },
          { statusCode: response.statusCode, headers: captured.headers, body: captured.body() },
        );
      } catch (error) {
        faults.push(String(error));
      }
    });
  });
  return faults;
}

/** Records the bytes of a response. */
function capture(response: ServerResponse) {
  const headers: OutgoingHttpHeaders = {};
  const chunks: Buffer[] = [];
  let length = 0;
  const keep = (chunk: unknown) => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    length += chunk.length;
    if (length <= maximumBytes) chunks.push(Buffer.from(chunk as string));
  };
  const { write, end, writeHead } = response;
  response.writeHead = ((status: number, ...rest: unknown[]) => {
    const given = rest.find((part) => typeof part === 'object' && part !== null) ?? {};
    const all = { ...response.getHeaders(), ...given };
    for (const [name, value] of Object.entries(all)) headers[name.toLowerCase()] = value as string;
    return (writeHead as (...args: unknown[]) => ServerResponse).call(response, status, ...rest);
  }) as typeof writeHead;
  response.write = ((chunk: unknown, ...rest: unknown[]) => {
    keep(chunk);
    return (write as (...args: unknown[]) => boolean).call(response, chunk, ...rest);
  }) as typeof write;
  response.end = ((chunk: unknown, ...rest: unknown[]) => {
    keep(chunk);
    return (end as (...args: unknown[]) => ServerResponse).call(response, chunk, ...rest);
  }) as typeof end;
  return { headers, bytes: () => length, body: () => Buffer.concat(chunks).toString('utf8') };
}
