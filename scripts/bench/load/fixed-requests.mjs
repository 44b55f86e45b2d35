/**
 * @typedef {object} FixedRequest
 * @property {Buffer} bytes
 * @property {Buffer} [expected] The whole body, where it is always the same.
 * @property {'token' | 'page'} [shape] What a body must look like, where it is not.
 */

/** One answer in so many is read to the end and compared; of all of them status and length are checked. */
const checkEvery = 32;

/** How many tokens are handed back, to be tried out. */
const keptTokens = 8;

/**
 * Sends the same requests over and over; each connection begins at another one, so that none is the favourite.
 *
 * @param {{ requests: FixedRequest[] }} input
 */
export function fixedRequests({ requests }) {
  const tokens = [];
  let checked = 0;
  return {
    exchange(index, connections) {
      let cursor = Math.floor((index * requests.length) / connections) - 1;
      let untilCheck = index % checkEvery;
      return {
        next() {
          cursor = (cursor + 1) % requests.length;
          return requests[cursor].bytes;
        },
        wantsBody() {
          untilCheck = untilCheck === 0 ? checkEvery - 1 : untilCheck - 1;
          return untilCheck === 0;
        },
        answered(status, length, body) {
          const { expected, shape } = requests[cursor];
          if (status !== 200)
            throw new Error(`${status} where 200 was expected: ${body?.toString().slice(0, 300)}`);
          if (expected !== undefined && length !== expected.length) {
            throw new Error(`A body of ${length} bytes where ${expected.length} were expected`);
          }
          if (body === undefined) return;
          checked += 1;
          if (expected !== undefined && !expected.equals(body))
            throw new Error('A body that is not the expected one');
          const content = JSON.parse(body.toString());
          if (shape === 'token') keep(tokens, readToken(content));
          if (shape === 'page') checkPage(content);
        },
      };
    },
    result: () => ({ checked, tokens }),
  };
}

function readToken({ access_token: token, token_type: type }) {
  if (typeof token !== 'string' || type !== 'Bearer') throw new Error('An answer without an access token');
  return token;
}

function keep(tokens, token) {
  if (tokens.length === keptTokens) tokens.shift();
  tokens.push(token);
}

function checkPage({ data, meta }) {
  if (data.length === 0 || !(meta.record_count > 0)) throw new Error('A page without records');
}
