import type { LightMyRequestResponse } from 'fastify';
import type { Test } from 'tap';
import { createTenant, type TestApplication } from '../records/tenant.js';
import type { TestApp } from '../server/app.js';

export const address = '/v1/oauth/token';

/** The complete form of a valid request. */
export function formOf({ clientId, clientSecret }: TestApplication): Record<string, string> {
  return { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
}

export function basic(id: string, secret: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
}

export const grantOnly = { grant_type: 'client_credentials' };

const statuses: Readonly<Record<string, number>> = {
  invalid_request: 400,
  invalid_scope: 400,
  unsupported_grant_type: 400,
  unauthorized_client: 400,
  invalid_client: 401,
};

/** Expects an error response of RFC 6749 section 5.2 and of the error catalogue. */
export function refused(
  t: Test,
  response: LightMyRequestResponse,
  code: string,
  {
    parameter,
    challenge = false,
    label = '',
  }: { parameter?: string; challenge?: boolean; label?: string } = {},
): void {
  const body = response.json();
  t.equal(response.statusCode, statuses[code], `${label} ${response.body}`);
  t.equal(body.error, code, label);
  t.equal(body.code, code, label);
  t.equal(response.headers['content-type']?.toString().split(';')[0], 'application/json');
  t.equal(response.headers['cache-control'], 'no-store');
  t.equal(response.headers['x-request-id'], body.request_id);
  t.match(body.error_description, /^[ !#-[\]-~]+$/, 'in the characters of RFC 6749');
  t.notOk('access_token' in body);
  if (challenge) t.match(response.headers['www-authenticate'], /^Basic realm="[^"]+"/, label);
  else t.notOk('www-authenticate' in response.headers, label);
  if (parameter !== undefined) {
    t.ok(
      body.errors?.some((error: { parameter?: string }) => error.parameter === parameter),
      `${label} names ${parameter}`,
    );
  }
}

/** An application of a new account. */
export async function newApplication(api: TestApp): Promise<TestApplication> {
  return (await createTenant(api.database)).application;
}
