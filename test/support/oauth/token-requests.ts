import type { LightMyRequestResponse } from 'fastify';
import type { Test } from 'tap';
import { createTenant, type TestApplication } from '../records/tenant.js';
import type { TestApp } from '../server/app.js';
import { expectOAuthError } from './users.js';

export const address = '/v1/oauth/token';

/** The complete form of a valid request. */
export function formOf({ clientId, clientSecret }: TestApplication): Record<string, string> {
  return { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
}

export function basic(id: string, secret: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
}

export const grantOnly = { grant_type: 'client_credentials' };

/** Expects an error response with a challenge for HTTP Basic, or without one. */
export function refused(
  t: Test,
  response: LightMyRequestResponse,
  code: string,
  {
    challenge = false,
    label = '',
    ...options
  }: { parameter?: string; challenge?: boolean; label?: string } = {},
): void {
  expectOAuthError(t, response, code, { ...options, label });
  if (challenge) t.match(response.headers['www-authenticate'], /^Basic realm="[^"]+"/, label);
  else t.notOk('www-authenticate' in response.headers, label);
}

/** An application of a new account. */
export async function newApplication(api: TestApp): Promise<TestApplication> {
  return (await createTenant(api.database)).application;
}
