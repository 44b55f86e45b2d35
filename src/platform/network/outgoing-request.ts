import http from 'node:http';
import https from 'node:https';
import { isPrivateLiteral, loopbackLookup, PrivateAddressError, publicLookup } from './public-address.js';

/** A response has more bytes than are read. */
export class ResponseTooLargeError extends Error {
  override readonly name = 'ResponseTooLargeError';

  constructor() {
    super('The response is too large');
  }
}

/** Status and headers of a response, before its body is read. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
}

export interface OutgoingResponse extends ResponseHead {
  readonly body: Buffer;
}

interface OutgoingRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Whether the address of the host may be private. */
  readonly allowPrivate: boolean;
  /** Maximum size of the response, in bytes. 0: the body is not read. */
  readonly maximumBytes: number;
  /** Aborts the request and the reading of the response. */
  readonly signal?: AbortSignal | undefined;
  /** Throws an error for a response whose body is not to be read. */
  readonly checkHead?: (head: ResponseHead) => void;
}

/**
 * Sends one request to a server that others have chosen. It must not reach the network of this server (SSRF): the address is
 * checked when the connection is opened, which prevents DNS rebinding, and redirects are not followed. The `fetch` of
 * Node.js has no option for either the address or the size of the response.
 *
 * @throws {PrivateAddressError}
 * @throws {ResponseTooLargeError}
 * @throws {Error} of `checkHead`, of Node.js, or the reason of `signal`
 */
export async function sendOutgoingRequest(
  url: URL,
  { method, headers, body, allowPrivate, maximumBytes, signal, checkHead }: OutgoingRequest,
): Promise<OutgoingResponse> {
  signal?.throwIfAborted();
  if (!allowPrivate && isPrivateLiteral(url.hostname)) throw new PrivateAddressError();
  const options: http.RequestOptions = {
    method,
    // A compressed response could be larger than it appears.
    headers: { ...headers, 'accept-encoding': 'identity' },
    agent: false,
    ...(!allowPrivate && { lookup: publicLookup }),
    ...(allowPrivate && url.hostname.endsWith('.localhost') && { lookup: loopbackLookup }),
  };
  const { request } = url.protocol === 'https:' ? https : http;
  return await new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      const head = { status: response.statusCode ?? 0, headers: response.headers };
      readBody(response, maximumBytes, () => checkHead?.(head)).then((content) => {
        resolve({ ...head, body: content });
        if (maximumBytes === 0) sent.destroy();
      }, fail);
    });
    function fail(error: Error): void {
      // Closes the connection, also when a part of the response is not read.
      sent.destroy();
      reject(error);
    }
    const abort = () => fail(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    sent
      .on('error', fail)
      .on('close', () => signal?.removeEventListener('abort', abort))
      .end(body);
  });
}

async function readBody(
  response: http.IncomingMessage,
  maximumBytes: number,
  check: () => void,
): Promise<Buffer> {
  check();
  if (maximumBytes === 0) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maximumBytes) throw new ResponseTooLargeError();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
