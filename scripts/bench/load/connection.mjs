import net from 'node:net';

const headEnd = Buffer.from('\r\n\r\n');

/**
 * @typedef {object} Exchange What a connection asks of whoever drives it.
 * @property {() => Buffer | null} next The next request, or `null` to stop.
 * @property {() => boolean} wantsBody Whether the body of the answer that is on its way is looked at.
 * @property {(status: number, length: number, body: Buffer | undefined) => void} answered
 * @property {(error: Error) => void} failed
 * @property {() => void} [stopped] There was no next request.
 */

/**
 * One kept-alive HTTP/1.1 connection that sends a request as soon as the answer before is complete. It reads as
 * little of an answer as it takes to find its end, so that the load costs less than what it measures.
 */
export class Connection {
  #socket;
  #exchange;
  /** Head of an answer that came in parts. */
  #head = null;
  #remaining = 0;
  #status = 0;
  #length = 0;
  /** Parts of a body that is wanted. */
  #parts = null;
  #idle = true;

  /**
   * @param {{ host: string, port: number }} address
   * @param {Exchange} exchange
   */
  constructor({ host, port }, exchange) {
    this.#exchange = exchange;
    this.#socket = net.connect({ host, port, noDelay: true });
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#socket.on('error', (error) => exchange.failed(error));
    this.#socket.on('close', () => {
      if (!this.#idle)
        exchange.failed(new Error('The server closed the connection before its answer was complete'));
    });
  }

  /** Sends the first request, or the first one after a stop. */
  start() {
    const request = this.#exchange.next();
    this.#idle = request === null;
    if (request === null) this.#exchange.stopped?.();
    else this.#socket.write(request);
  }

  close() {
    this.#idle = true;
    this.#socket.destroy();
  }

  #read(chunk) {
    let body = chunk;
    if (this.#remaining === 0) {
      const bytes = this.#head === null ? chunk : Buffer.concat([this.#head, chunk]);
      const end = bytes.indexOf(headEnd);
      if (end === -1) {
        this.#head = bytes;
        return;
      }
      this.#head = null;
      if (!this.#readHead(bytes.latin1Slice(0, end))) return;
      body = bytes.subarray(end + headEnd.length);
    }
    this.#parts?.push(body);
    this.#remaining -= body.length;
    if (this.#remaining < 0) return this.#fail('More bytes came than Content-Length said');
    if (this.#remaining === 0) this.#complete();
  }

  #readHead(head) {
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) {
      this.#fail(`The answer has no Content-Length: ${head.slice(0, 300)}`);
      return false;
    }
    this.#length = Number(length);
    this.#remaining = this.#length;
    // What is wrong is worth showing, whether or not this answer was to be looked at.
    this.#parts = this.#status >= 400 || this.#exchange.wantsBody() ? [] : null;
    return true;
  }

  #complete() {
    const body = this.#parts === null ? undefined : Buffer.concat(this.#parts);
    this.#parts = null;
    try {
      this.#exchange.answered(this.#status, this.#length, body);
    } catch (error) {
      this.close();
      this.#exchange.failed(error);
      return;
    }
    this.start();
  }

  #fail(message) {
    this.close();
    this.#exchange.failed(new Error(message));
  }
}

/**
 * The bytes of a request.
 *
 * @param {{ method?: string, path: string, headers?: Record<string, string>, body?: string }} request
 */
export function requestBytes({ method = 'GET', path, headers = {}, body }) {
  const lines = Object.entries({ host: 'api.bench', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body ?? ''}`);
}

/**
 * Sends requests one after the other on a connection of its own.
 *
 * @param {{ host?: string, port: number }} address
 * @param {Buffer[]} requests
 * @returns {Promise<{ status: number, body: Buffer }[]>}
 */
export function exchangeAll({ host = '127.0.0.1', port }, requests) {
  return new Promise((resolve, reject) => {
    const answers = [];
    let sent = 0;
    const connection = new Connection(
      { host, port },
      {
        next: () => requests[sent++] ?? null,
        wantsBody: () => true,
        answered: (status, _length, body) => answers.push({ status, body }),
        failed: reject,
        stopped() {
          connection.close();
          resolve(answers);
        },
      },
    );
    connection.start();
  });
}

/** Sends one request on a connection of its own. */
export async function exchangeOnce(address, request) {
  const [answer] = await exchangeAll(address, [request]);
  return answer;
}
