import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import type { Test } from 'tap';
import type { Response } from '../contract/conformance.js';
import { patienceMs } from '../patience.js';

/** Makes an application listen on its own port until it is closed. */
export async function listen(app: FastifyInstance): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}

/** Resolves when the headers of this many requests have arrived. */
export function requestsArrive({ server }: FastifyInstance, expected: number): Promise<void> {
  let arrived = 0;
  return new Promise((resolve) => {
    server.on('request', () => {
      arrived += 1;
      if (arrived === expected) resolve();
    });
  });
}

interface ExchangeOptions {
  readonly expect?: number;
  readonly half?: boolean;
  readonly head?: boolean;
}

/**
 * Sends raw bytes and reads until the server closes the connection, or has sent the expected number of responses. `half`
 * half-closes the connection after the bytes.
 */
export function exchange(
  port: number,
  bytes: string | Buffer,
  { expect = Number.POSITIVE_INFINITY, half = false, head = false }: ExchangeOptions = {},
): Promise<Response[]> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: '127.0.0.1', port });
    let received = Buffer.alloc(0);
    const finish = () => {
      socket.destroy();
      resolve(parseResponses(received, head));
    };
    socket.setTimeout(patienceMs, () => {
      socket.destroy();
      reject(
        new Error(`No response within ${patienceMs} ms to ${JSON.stringify(String(bytes).slice(0, 200))}`),
      );
    });
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (parseResponses(received, head).length >= expect) finish();
    });
    // A reset also closes the connection; the bytes before it count.
    socket.on('error', () => {});
    socket.on('close', finish);
    socket.write(bytes);
    if (half) socket.end();
  });
}

/** Reads the complete responses. */
export function parseResponses(bytes: Buffer, head = false): Response[] {
  const responses: Response[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return responses;
    const [statusLine = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(':');
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    const statusCode = Number(statusLine.split(' ')[1]);
    const length =
      head || statusCode === 204 || statusCode < 200 ? 0 : Number(headers['content-length'] ?? 0);
    const start = end + 4;
    if (rest.length < start + length) return responses;
    responses.push({ statusCode, headers, body: rest.subarray(start, start + length).toString('utf8') });
    rest = rest.subarray(start + length);
  }
}

/** A response whose bytes are read when the test requests it. */
export interface RawDownload {
  readonly socket: net.Socket;
  /** Reads until the connection ends. */
  readAll(): Promise<RawOutcome>;
}

export interface RawOutcome {
  readonly text: string;
  /** Whether the connection was reset, and not closed. */
  readonly reset: boolean;
}

/** Sends a request and reads nothing of the response yet. The connection is closed when the test ends. */
export function requestRaw(t: Test, port: number, head: readonly string[]): RawDownload {
  const socket = net.connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  t.teardown(() => socket.destroy());
  let reset = false;
  socket.on('error', () => {
    reset = true;
  });
  // Node.js reports a reset as a regular end if it had stopped reading before. Only after a regular end can the client still
  // send.
  socket.on('end', () => {
    socket.write('x', (error) => {
      reset ||= error instanceof Error;
      socket.destroy();
    });
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.pause();
  socket.write([...head, '', ''].join('\r\n'));
  return {
    socket,
    async readAll() {
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.resume();
      await closed;
      return { text: Buffer.concat(chunks).toString(), reset };
    },
  };
}

/** Reads a body. The connection is used once: on a busy machine, the server may close an idle one while the next request is sent. */
export async function readText(address: string): Promise<string> {
  const [response] = await once(http.get(address, { agent: false }), 'response');
  return text(response);
}
