import { type ClientCredentials, refresh } from '../http/requests.js';
import { requestBytes } from './connection.js';
import type { Load } from './load.js';

interface TokenChain {
  readonly refreshToken: string;
  readonly client: ClientCredentials;
}

/** Refreshes tokens: each connection sends the refresh token of its last response. */
export function tokenChains({ path, chains }: { path: string; chains: readonly TokenChain[] }): Load {
  const refreshTokens = chains.map(({ refreshToken }) => refreshToken);
  const accessTokens: string[] = [];
  let checked = 0;
  return {
    exchange: (index) => ({
      next: () => requestBytes(refresh(chains[index].client, refreshTokens[index], path)),
      wantsBody: () => true,
      received(status, _length, body) {
        const text = body?.toString('latin1') ?? '';
        if (status !== 200) throw new Error(`${status} instead of 200: ${text.slice(0, 300)}`);
        const { access_token: accessToken, refresh_token: next } = JSON.parse(text);
        if (typeof next !== 'string' || next === refreshTokens[index]) {
          throw new Error('A response without a new refresh token');
        }
        refreshTokens[index] = next;
        accessTokens[index] = accessToken;
        checked += 1;
      },
    }),
    result: () => ({ checked, tokens: accessTokens.slice(0, 8) }),
  };
}
