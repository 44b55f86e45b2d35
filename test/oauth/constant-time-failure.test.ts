import { mock } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { withConstantTimeFailure } from '../../src/oauth/constant-time-failure.js';
import { Problem } from '../../src/platform/problems/problem.js';
import {
  createScene,
  expectOAuthError,
  grantCode,
  grantTokens,
  refresh,
  revoke,
} from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';
import { until } from '../support/until.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database } = api;

/** Milliseconds from the start of a request to its failure. */
const failureMs = 20;

/**
 * Sends a request while the clock that delays failures is stopped. Expects that the response waits until the clock has
 * advanced.
 */
async function isDelayed(
  t: Test,
  send: () => Promise<LightMyRequestResponse>,
  what: string,
): Promise<LightMyRequestResponse> {
  let milliseconds = 1_000_000n;
  const clock = mock.method(process.hrtime, 'bigint', () => milliseconds * 1_000_000n);
  try {
    let hasEnded = false;
    const response = send().finally(() => {
      hasEnded = true;
    });
    /** Waits until the request has read the clock several times, for its start and for the end of its delay. */
    const untilRead = async () => {
      const before = clock.mock.callCount();
      await until(() => hasEnded || clock.mock.callCount() >= before + 3);
    };
    await untilRead();
    milliseconds += BigInt(failureMs - 1);
    await untilRead();
    t.notOk(hasEnded, what);
    milliseconds += 1n;
    return await response;
  } finally {
    clock.mock.restore();
  }
}

t.test(
  'the time of a rejection does not reveal what is wrong with a client, code or refresh token',
  async (t) => {
    const own = await createScene(database);
    const foreign = await createScene(database);
    const unknown = { ...own.application, clientId: 'nobody' };
    const { refreshToken } = await grantTokens(api, foreign);
    const { form } = await grantCode(api, foreign);
    const wrongSecret = { client_secret: 'x'.repeat(52) };
    const attempts = {
      'an unknown refresh token': () => refresh(api, own.application, 'x'.repeat(52)),
      'the refresh token of another application': () => refresh(api, own.application, refreshToken),
      'an unknown code': () => api.postForm('/v1/oauth/token', { ...form, code: 'x'.repeat(52) }),
      'the code of another application': () =>
        api.postForm('/v1/oauth/token', { ...form, client_id: own.application.clientId }),
      'an unknown client': () => refresh(api, unknown, refreshToken),
      'a wrong secret': () => refresh(api, foreign.application, refreshToken, wrongSecret),
      'an unknown client at the revocation endpoint': () => revoke(api, unknown, refreshToken),
      'a wrong secret at the revocation endpoint': () =>
        revoke(api, foreign.application, refreshToken, wrongSecret),
    };
    for (const [what, attempt] of Object.entries(attempts)) {
      const response = await isDelayed(t, attempt, what);
      expectOAuthError(t, response, /client|secret/.test(what) ? 'invalid_client' : 'invalid_grant');
    }
  },
);

t.test('the response beyond the failure limit does not reveal whether a client exists', async (t) => {
  const limited = await buildTestApp(t, { database, environment: { RATE_LIMIT_FAILURES: '1' } });
  const { application } = await createScene(database);
  for (const clientId of [application.clientId, 'nobody', 'nobody']) {
    const attempt = () =>
      refresh(limited, { ...application, clientId }, 'x', { client_secret: 'x'.repeat(52) });
    await attempt();
    const response = await isDelayed(t, attempt, clientId);
    t.equal(response.json().code, 'rate_limit_exceeded');
  }
});

t.test('other outcomes are passed on unchanged', async (t) => {
  t.equal(await withConstantTimeFailure(async () => 'tokens'), 'tokens');
  for (const error of [
    new Problem('invalid_grant', 'No.'),
    new Problem('invalid_scope', 'No.'),
    new Error(),
  ]) {
    await t.rejects(
      withConstantTimeFailure(async () => {
        throw error;
      }),
      error,
    );
  }
});
