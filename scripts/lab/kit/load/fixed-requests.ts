import type { HttpRequest } from '../http/client.js';
import { requestBytes } from './connection.js';
import type { Load } from './load.js';

export interface FixedRequest {
  readonly request: HttpRequest;
  /** The complete body, if it is always the same. */
  readonly expected?: Buffer;
  /** Check of a body that varies. */
  readonly shape?: 'token' | 'page';
}

/** One in this many responses is read and compared. The status and the length of all of them are checked. */
const checkEvery = 32;

/** Number of tokens that are returned for verification. */
const keptTokens = 8;

/**
 * Sends the same requests in turn. Each connection starts with a different one, so that all are equally frequent.
 *
 * @param writerOf writes a request each time that it is sent. Default: it is written once
 */
export function fixedRequests(
  { requests }: { requests: readonly FixedRequest[] },
  writerOf: (request: HttpRequest) => () => Buffer = writeOnce,
): Load {
  const writers = requests.map(({ request }) => writerOf(request));
  const tokens: string[] = [];
  let checked = 0;
  return {
    exchange(index, connections) {
      let cursor = Math.floor((index * requests.length) / connections) - 1;
      let untilCheck = index % checkEvery;
      return {
        next() {
          cursor = (cursor + 1) % requests.length;
          return writers[cursor]();
        },
        wantsBody() {
          untilCheck = untilCheck === 0 ? checkEvery - 1 : untilCheck - 1;
          return untilCheck === 0;
        },
        received(status, length, body) {
          const { expected, shape } = requests[cursor];
          if (status !== 200) throw new Error(`${status} instead of 200: ${body?.toString().slice(0, 300)}`);
          if (expected !== undefined && length !== expected.length) {
            throw new Error(`A body of ${length} bytes instead of ${expected.length}`);
          }
          if (body === undefined) return;
          checked += 1;
          if (expected !== undefined && !expected.equals(body)) throw new Error('A body with other bytes');
          const content = JSON.parse(body.toString());
          if (shape === 'token') keepLast(tokens, readToken(content));
          if (shape === 'page') checkPage(content);
        },
      };
    },
    result: () => ({ checked, tokens }),
  };
}

function writeOnce(request: HttpRequest): () => Buffer {
  const bytes = requestBytes(request);
  return () => bytes;
}

function readToken(content: { access_token?: unknown; token_type?: unknown }): string {
  if (typeof content.access_token !== 'string' || content.token_type !== 'Bearer') {
    throw new Error('A response without an access token');
  }
  return content.access_token;
}

function keepLast(tokens: string[], token: string): void {
  if (tokens.length === keptTokens) tokens.shift();
  tokens.push(token);
}

function checkPage({ data, meta }: { data: unknown[]; meta: { record_count: number } }): void {
  if (data.length === 0 || !(meta.record_count > 0)) throw new Error('A page without records');
}
