import { randomUUID } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { type JWTPayload, SignJWT } from 'jose';
import type { Test } from 'tap';
import { createTenant, makeEmployees, type TestApplication } from '../records/tenant.js';
import type { TestApp } from '../server/app.js';

const challenges = {
  unauthorized: /^Bearer realm="[^"]+"$/,
  invalid_token: /^Bearer realm="[^"]+", error="invalid_token", error_description="[^"\\]+"$/,
  token_expired: /^Bearer realm="[^"]+", error="invalid_token", error_description="[^"\\]+"$/,
};

/** Expects 401 with this code and a challenge of RFC 6750, section 3. */
export function refused(
  t: Test,
  response: LightMyRequestResponse,
  code: keyof typeof challenges,
  label = '',
): void {
  t.equal(response.statusCode, 401, `${label} ${response.body}`);
  t.equal(response.json().code, code, label);
  t.equal(response.headers['content-type'], 'application/problem+json');
  t.match(response.headers['www-authenticate'], challenges[code], label);
  t.notOk('errors' in response.json());
}

export const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Calls an operation with genuine and forged bearer tokens. */
export function bearerCalls(api: TestApp) {
  const { database } = api;
  async function setUp() {
    const tenant = await createTenant(database, { employees: makeEmployees(2) });
    return { ...tenant, token: await api.token(tenant.application) };
  }

  const call = (authorization?: string) =>
    api.app.inject({
      url: '/v1/employees',
      headers: authorization === undefined ? {} : { authorization },
    });

  /** Claims of a valid token. */
  function goodClaims({ clientId }: TestApplication): JWTPayload {
    const now = Math.floor(api.clock().getTime() / 1000);
    return {
      iss: 'http://api.test',
      aud: 'http://api.test',
      sub: clientId,
      client_id: clientId,
      scope: 'reports:read',
      iat: now,
      exp: now + 3600,
      jti: randomUUID(),
    };
  }

  /** A token with a valid signature. */
  function signed(claims: JWTPayload, header: Record<string, unknown> = {}): Promise<string> {
    const { kid, privateKey } = api.signingKeys.current;
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header })
      .sign(privateKey);
  }

  return { setUp, call, goodClaims, signed };
}
