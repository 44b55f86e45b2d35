import { getHttpOperationsFromSpec, type IHttpProxyConfig } from '@stoplight/prism-http';
import { createServer } from '@stoplight/prism-http-server';
import { pino } from 'pino';
import type { Test } from 'tap';

/** What Prism reports about one request or its response. */
export interface Violation {
  /** `request` or `response`, then the path to the value. */
  readonly location: readonly string[];
  readonly severity: string;
  /** Keyword of JSON Schema, or a status code. */
  readonly code?: string | number;
  readonly message: string;
}

export interface ProxiedRequest {
  /** Names the request in failures. */
  readonly label: string;
  readonly method: string;
  /** Path with its query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ProxiedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  readonly violations: readonly Violation[];
}

/** Prism as a validation proxy in front of a server. */
export interface PrismProxy {
  send(request: ProxiedRequest): Promise<ProxiedResponse>;
}

type Logger = Parameters<typeof createServer>[1]['components']['logger'];

/**
 * Starts the same proxy as `prism proxy`, and stops it when the test ends. The command line program is not used: it
 * percent-encodes the names of query parameters when it prints its routes, and then does not validate names with brackets.
 *
 * @param contract file or URL of the OpenAPI document
 */
export async function startPrism(t: Test, contract: string, upstream: string): Promise<PrismProxy> {
  const config: IHttpProxyConfig = {
    isProxy: true,
    upstream: new URL(upstream),
    upstreamProxy: undefined,
    checkSecurity: true,
    validateRequest: true,
    validateResponse: true,
    // Every request is forwarded, whatever Prism reports about it.
    errors: false,
    mock: { dynamic: false },
  };
  const logger = pino({ level: 'silent' }) as unknown as Logger;
  const operations = await getHttpOperationsFromSpec(contract);
  const server = createServer(operations, { components: { logger }, config, cors: false });
  const url = await server.listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  return { send: (request) => send(url, request) };
}

async function send(
  url: string,
  { method, path, headers, body = null }: { body?: string | null } & Omit<ProxiedRequest, 'body'>,
): Promise<ProxiedResponse> {
  // Prism closes idle connections after five seconds, on a busy machine while the next request is sent.
  const closing = { ...headers, connection: 'close' };
  const response = await fetch(`${url}${path}`, { method, headers: closing, body, redirect: 'manual' });
  return {
    status: response.status,
    headers: response.headers,
    body: await response.text(),
    violations: readViolations(response.headers.get('sl-violations') ?? '[]'),
  };
}

const truncated = 'Too many violations! ';

/** Reads a list of violations. Prism cuts off one that is too long for a header: its complete entries are read. */
function readViolations(text: string): readonly Violation[] {
  if (!text.startsWith(truncated)) return JSON.parse(text);
  const list = text.slice(truncated.length);
  return JSON.parse(`${list.slice(0, list.lastIndexOf('},{') + 1)}]`);
}
