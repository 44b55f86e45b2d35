import net from 'node:net';
import { requestBytes } from '../../bench/load/connection.mjs';
import { AnswerReader } from './answer-reader.mjs';

/** The connection ended, or time was up, before the answer was complete. Nobody knows what the server did. */
export class ConnectionFailure extends Error {
  name = 'ConnectionFailure';
}

/** Milliseconds after which an answer is not waited for any longer, unless a request says otherwise. */
const patienceMs = 30_000;

/**
 * Sends requests to one server on kept-alive connections, each of which carries one request at a time.
 * A connection is opened where none is idle.
 */
export class Client {
  #address;
  #idle = [];
  #open = new Set();

  /** @param {number} port */
  constructor(port) {
    this.#address = { host: '127.0.0.1', port, noDelay: true };
  }

  get connections() {
    return this.#open.size;
  }

  get idle() {
    return this.#idle.length;
  }

  /**
   * @param {{ method?: string, path: string, headers?: Record<string, string>, body?: string, bytes?: Buffer,
   *   patienceMs?: number }} request bytes: what is sent instead of what follows from the other members
   * @returns {Promise<import('./answer-reader.mjs').HttpAnswer>}
   * @throws {ConnectionFailure}
   */
  send(request) {
    const bytes = request.bytes ?? requestBytes(request);
    return new Promise((resolve, reject) => {
      const line = this.#idle.pop() ?? this.#connect();
      line.pending = { method: request.method ?? 'GET', resolve, reject };
      line.timer = setTimeout(
        () => line.fail(new ConnectionFailure('No answer in time')),
        request.patienceMs ?? patienceMs,
      );
      line.socket.write(bytes);
    });
  }

  close() {
    for (const { socket } of this.#open) socket.destroy();
    this.#open.clear();
    this.#idle = [];
  }

  #connect() {
    const socket = net.connect(this.#address);
    const line = { socket, reader: new AnswerReader(), pending: null, timer: null };
    line.fail = (error) => {
      this.#open.delete(line);
      this.#idle = this.#idle.filter((other) => other !== line);
      socket.destroy();
      clearTimeout(line.timer);
      line.pending?.reject(error);
      line.pending = null;
    };
    socket.on('data', (chunk) => this.#read(line, chunk));
    socket.on('error', (error) => line.fail(new ConnectionFailure(error.message)));
    socket.on('close', () => line.fail(new ConnectionFailure('The connection was closed')));
    this.#open.add(line);
    return line;
  }

  #read(line, chunk) {
    if (line.pending === null) return line.fail(new Error('Bytes that answer no request'));
    let answer;
    try {
      answer = line.reader.read(chunk, line.pending.method);
    } catch (error) {
      return line.fail(error);
    }
    if (answer === undefined) return;
    const { resolve } = line.pending;
    line.pending = null;
    clearTimeout(line.timer);
    if (/close/i.test(answer.headers.connection ?? '')) line.fail(new ConnectionFailure('Closed'));
    else this.#idle.push(line);
    resolve(answer);
  }
}

/** The value that a JSON body stands for. */
export function jsonOf({ body }) {
  return JSON.parse(body.toString('utf8'));
}
