import { Client, type Dispatcher, errors } from 'undici';

export interface HttpRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds after which the request fails; 30 seconds by default. */
  readonly timeoutMs?: number;
}

export interface HttpResponse {
  readonly status: number;
  /** Names are in lower case; values of a repeated header are joined by line feeds. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export type Send = (request: HttpRequest) => Promise<HttpResponse>;

/** The connection ended, or the request timed out, before the response was complete. Its outcome is unknown. */
export class ConnectionFailure extends Error {
  override name = 'ConnectionFailure';
}

/**
 * Sends requests to one server on connections that are kept alive. Each connection carries one request at a time. A
 * connection is opened when none is idle.
 */
export class HttpClient {
  readonly #origin: string;
  readonly #connections: Client[] = [];
  readonly #idle: Client[] = [];

  constructor(port: number) {
    this.#origin = `http://127.0.0.1:${port}`;
  }

  /** @throws {ConnectionFailure} */
  readonly send = async (request: HttpRequest): Promise<HttpResponse> => {
    const connection = this.#idle.pop() ?? this.#connect();
    try {
      return await exchange(connection, request);
    } finally {
      this.#idle.push(connection);
    }
  };

  close(): void {
    for (const connection of this.#connections.splice(0)) connection.destroy();
    this.#idle.length = 0;
  }

  #connect(): Client {
    const connection = new Client(this.#origin, { pipelining: 1 });
    this.#connections.push(connection);
    return connection;
  }
}

function exchange(connection: Client, request: HttpRequest): Promise<HttpResponse> {
  const { method = 'GET', path, headers, body, timeoutMs = 30_000 } = request;
  return new Promise((resolve, reject) => {
    let status = 0;
    let received: HttpResponse['headers'] = {};
    const chunks: Buffer[] = [];
    connection.dispatch(
      {
        method: method as Dispatcher.HttpMethod,
        path,
        headers: { host: 'api.bench', ...headers },
        body,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      },
      {
        onRequestStart() {},
        onResponseStart(_controller, code, fields) {
          status = code;
          received = joined(fields);
        },
        onResponseData: (_controller, chunk) => chunks.push(chunk),
        onResponseEnd: () => resolve({ status, headers: received, body: Buffer.concat(chunks) }),
        onResponseError: (_controller, error) => reject(asFailure(error)),
      },
    );
  });
}

function joined(fields: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value = '']) => [
      name,
      Array.isArray(value) ? value.join('\n') : value,
    ]),
  );
}

/** Bytes that are not HTTP, and requests that cannot be written, are not failures of a connection. */
function asFailure(error: Error): Error {
  if (error instanceof errors.HTTPParserError || error instanceof errors.InvalidArgumentError) return error;
  return new ConnectionFailure(error.message, { cause: error });
}

/** The value of a JSON body. */
export function jsonOf({ body }: HttpResponse) {
  return JSON.parse(body.toString('utf8'));
}
