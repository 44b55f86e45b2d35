import { requestBytes } from './connection.mjs';

/**
 * Renews tokens: each connection uses the refresh token that it was given by the answer before.
 *
 * @param {{ path: string, chains: { refreshToken: string, client: string }[] }} input `client` is the part of the
 *   form that says who the client is
 */
export function tokenChains({ path, chains }) {
  const ends = chains.map(({ refreshToken }) => refreshToken);
  const accessTokens = [];
  let checked = 0;
  return {
    exchange(index) {
      const { client } = chains[index];
      return {
        next: () =>
          requestBytes({
            method: 'POST',
            path,
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: `grant_type=refresh_token&${client}&refresh_token=${ends[index]}`,
          }),
        wantsBody: () => true,
        answered(status, _length, body) {
          const text = body.latin1Slice();
          if (status !== 200) throw new Error(`${status} where 200 was expected: ${text.slice(0, 300)}`);
          const next = /"refresh_token":"([^"]+)"/.exec(text)?.[1];
          if (next === undefined || next === ends[index])
            throw new Error('An answer without a new refresh token');
          ends[index] = next;
          checked += 1;
          accessTokens[index] = JSON.parse(text).access_token;
        },
      };
    },
    result: () => ({ checked, tokens: accessTokens.slice(0, 8) }),
  };
}
