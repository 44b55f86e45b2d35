// Own code instead of an HTTP client, because the load takes processor time from the measured server on the same machine. A
// request costs this code 15 µs of processor time, undici 19 to 22 µs and autocannon 16 to 20 µs (responses of 400 bytes on
// 32 connections; with responses of 16 kB the three are alike).
import net, { type Socket } from 'node:net';
import type { HttpRequest } from '../http/client.js';

const headEnd = Buffer.from('\r\n\r\n');

/** The requests of a connection, and the handler of its responses. */
export interface Exchange {
  /** The next request, or `undefined` to stop. */
  next(): Buffer | undefined;
  /** Whether the body of the response to the last request is read. */
  wantsBody(): boolean;
  received(status: number, length: number, body: Buffer | undefined): void;
  failed(error: Error): void;
  stopped(): void;
}

/**
 * An HTTP/1.1 connection that sends a request as soon as the response to the last one is complete. Of a response it
 * reads the status, and `Content-Length` to find its end.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #exchange: Exchange;
  /** The received part of an incomplete head. */
  #head: Buffer | undefined;
  #remaining = 0;
  #status = 0;
  #length = 0;
  /** Chunks of a body that is read. */
  #parts: Buffer[] | undefined;
  #isIdle = true;

  constructor(port: number, exchange: Exchange) {
    this.#exchange = exchange;
    this.#socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#socket.on('error', (error) => exchange.failed(error));
    this.#socket.on('close', () => {
      if (!this.#isIdle) exchange.failed(new Error('The server closed the connection within a response'));
    });
  }

  /** Sends the first request. */
  start(): void {
    const request = this.#exchange.next();
    this.#isIdle = request === undefined;
    if (request === undefined) this.#exchange.stopped();
    else this.#socket.write(request);
  }

  close(): void {
    this.#isIdle = true;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    let body = chunk;
    if (this.#remaining === 0) {
      const bytes = this.#head === undefined ? chunk : Buffer.concat([this.#head, chunk]);
      const end = bytes.indexOf(headEnd);
      if (end === -1) {
        this.#head = bytes;
        return;
      }
      this.#head = undefined;
      if (!this.#readHead(bytes.toString('latin1', 0, end))) return;
      body = bytes.subarray(end + headEnd.length);
    }
    this.#parts?.push(body);
    this.#remaining -= body.length;
    if (this.#remaining < 0) this.#fail('A response is longer than its Content-Length');
    else if (this.#remaining === 0) this.#complete();
  }

  #readHead(head: string): boolean {
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) {
      this.#fail(`A response without Content-Length: ${head.slice(0, 300)}`);
      return false;
    }
    this.#length = Number(length);
    this.#remaining = this.#length;
    // The body of an error is always read.
    this.#parts = this.#status >= 400 || this.#exchange.wantsBody() ? [] : undefined;
    return true;
  }

  #complete(): void {
    const body = this.#parts === undefined ? undefined : Buffer.concat(this.#parts);
    this.#parts = undefined;
    try {
      this.#exchange.received(this.#status, this.#length, body);
    } catch (error) {
      this.close();
      this.#exchange.failed(error as Error);
      return;
    }
    this.start();
  }

  #fail(message: string): void {
    this.close();
    this.#exchange.failed(new Error(message));
  }
}

/** The bytes of a request. */
export function requestBytes({ method = 'GET', path, headers = {}, body }: HttpRequest): Buffer {
  const lines = Object.entries({ host: 'api.bench', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body ?? ''}`);
}
