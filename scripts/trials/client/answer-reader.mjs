const headEnd = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');

/**
 * @typedef {object} HttpAnswer
 * @property {number} status
 * @property {Record<string, string>} headers Names are in lower case; `set-cookie` values are joined by line feeds.
 * @property {Buffer} body
 */

/** Reads the bytes of a connection as the answers to requests that were sent one after the other. */
export class AnswerReader {
  #bytes = Buffer.alloc(0);
  #head = null;
  #chunks = [];

  /**
   * @param {Buffer} bytes that came
   * @param {string} method of the request that is being answered
   * @returns {HttpAnswer | undefined} the answer, once it is complete
   * @throws {Error} where the bytes are no HTTP answer
   */
  read(bytes, method) {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    while (this.#head === null) {
      const end = this.#bytes.indexOf(headEnd);
      if (end === -1) return undefined;
      const head = parseHead(this.#bytes.latin1Slice(0, end));
      // 100 Continue is followed by the answer.
      if (head.status >= 200) this.#head = head;
      this.#bytes = this.#bytes.subarray(end + headEnd.length);
    }
    const body = this.#readBody(method);
    if (body === undefined) return undefined;
    const answer = { ...this.#head, body };
    this.#head = null;
    this.#chunks = [];
    return answer;
  }

  #readBody(method) {
    const { status, headers } = this.#head;
    if (method === 'HEAD' || status === 204 || status === 304) return Buffer.alloc(0);
    if (/chunked/i.test(headers['transfer-encoding'] ?? '')) return this.#readChunks();
    const length = Number(headers['content-length'] ?? 0);
    if (this.#bytes.length < length) return undefined;
    const body = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return body;
  }

  #readChunks() {
    for (;;) {
      const end = this.#bytes.indexOf(lineEnd);
      if (end === -1) return undefined;
      const size = Number.parseInt(this.#bytes.latin1Slice(0, end), 16);
      if (Number.isNaN(size)) throw new Error('An answer with a chunk that has no size');
      const next = end + 2 + size + 2;
      if (this.#bytes.length < next) return undefined;
      this.#chunks.push(this.#bytes.subarray(end + 2, end + 2 + size));
      this.#bytes = this.#bytes.subarray(next);
      if (size === 0) return Buffer.concat(this.#chunks);
    }
  }
}

function parseHead(text) {
  const [statusLine, ...lines] = text.split('\r\n');
  if (!statusLine.startsWith('HTTP/1.1 ')) throw new Error(`No HTTP answer: ${statusLine.slice(0, 80)}`);
  const headers = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = name in headers ? `${headers[name]}\n${value}` : value;
  }
  return { status: Number(statusLine.slice(9, 12)), headers };
}
