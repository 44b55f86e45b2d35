import { createHash, randomBytes } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import type { Test } from 'tap';
import { mayGrant, parseScope } from '../../../src/oauth/scopes.js';
import type { AccountId } from '../../../src/platform/accounts/account-id.js';
import type { HashParameters } from '../../../src/platform/accounts/passwords.js';
import { Sessions } from '../../../src/platform/accounts/sessions.js';
import type { Role } from '../../../src/platform/accounts/user.js';
import { newOpaqueToken } from '../../../src/platform/crypto/keyring.js';
import type { Database } from '../../../src/platform/database/client.js';
import { randomId } from '../../../src/platform/database/ids.js';
import { Browser } from '../browser/browser.js';
import { createApplication, createTenant, type TestApplication } from '../records/tenant.js';
import type { TestApp } from '../server/app.js';

export interface TestUser {
  readonly id: string;
  readonly accountId: AccountId;
  readonly email: string;
  readonly password: string;
}

/** Password of every user that is created without one. */
export const testPassword = 'a long enough password';

/** Cost of the hashes of passwords in tests. */
export const cheapParameters: HashParameters = { memoryCost: 64, timeCost: 1, parallelism: 1 };

const cheapHash = hash(testPassword, cheapParameters);

/** A user who can sign in with {@link testPassword}, or with the password of the given hash. */
export async function createUser(
  database: Database,
  accountId: AccountId,
  { role = 'owner' as Role, passwordHash }: { role?: Role; passwordHash?: string } = {},
): Promise<TestUser> {
  const id = randomId();
  const email = `${id.slice(0, 10)}@users.example`;
  await database.prisma.user.create({
    data: {
      id,
      accountId,
      email,
      role,
      passwordHash: passwordHash ?? (await cheapHash),
      givenName: 'Ada',
      familyName: 'Lovelace',
    },
  });
  return { id, accountId, email, password: testPassword };
}

/** An account with one user and one application that is configured with every scope. */
export interface Scene {
  readonly accountId: AccountId;
  readonly user: TestUser;
  readonly application: TestApplication;
  readonly redirectUri: string;
}

export async function createScene(
  database: Database,
  {
    role = 'owner',
    clientType = 'public',
    scopes,
    readableAttributes,
    redirectUri = 'https://client.example/callback',
    name,
    accountName,
  }: {
    role?: Role;
    clientType?: 'confidential' | 'public';
    scopes?: readonly string[];
    readableAttributes?: readonly string[];
    redirectUri?: string;
    name?: string;
    accountName?: string;
  } = {},
): Promise<Scene> {
  const { accountId } = await createTenant(database, accountName === undefined ? {} : { name: accountName });
  const application = await createApplication(database, accountId, {
    clientType,
    redirectUris: [redirectUri],
    ...(scopes !== undefined && { scopes }),
    ...(readableAttributes !== undefined && { readableAttributes }),
    ...(name !== undefined && { name }),
  });
  return { accountId, application, redirectUri, user: await createUser(database, accountId, { role }) };
}

/** The parameters of a valid authorization request, and its code verifier. */
export function authorizationRequest(
  { application, redirectUri }: Pick<Scene, 'application' | 'redirectUri'>,
  changes: Record<string, string> = {},
): { url: string; parameters: Record<string, string>; verifier: string } {
  const verifier = randomBytes(32).toString('base64url');
  const parameters = {
    response_type: 'code',
    client_id: application.clientId,
    redirect_uri: redirectUri,
    scope: 'reports:read user:read',
    state: randomId(12),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  };
  return { url: authorizeUrl(parameters), parameters, verifier };
}

export function authorizeUrl(parameters: Record<string, string>): string {
  return `/v1/oauth/authorize?${new URLSearchParams(parameters)}`;
}

/** A browser in which this user is signed in: with a password, or at the identity provider with this issuer. */
export async function signedInBrowser(
  { app, database, clock }: TestApp,
  user: TestUser,
  options: { issuer?: string; secondFactor?: boolean } = {},
): Promise<Browser> {
  const browser = new Browser(app);
  const from = { address: '127.0.0.1', userAgent: undefined };
  browser.setCookie('session', (await new Sessions(database, clock).create(user, from, options)) ?? '');
  return browser;
}

/** The same application, with requests from this network address. */
export function fromAddress(app: FastifyInstance, remoteAddress: string): FastifyInstance {
  return {
    inject: (options: InjectOptions) => app.inject({ ...options, remoteAddress }),
  } as unknown as FastifyInstance;
}

/** A code that the user has granted, and the form that exchanges it for tokens. */
export interface GrantedCode {
  readonly code: string;
  readonly form: Record<string, string>;
}

/** Stores a code for the scopes that the user may grant, as the consent page does when the user selects Allow. */
export async function grantCode(
  { config, database: { prisma }, clock }: TestApp,
  { accountId, application, user, redirectUri }: Scene,
  changes: Record<string, string> = {},
): Promise<GrantedCode> {
  const { parameters, verifier } = authorizationRequest({ application, redirectUri }, changes);
  const { role } = await prisma.user.findFirstOrThrow({ where: { id: user.id }, select: { role: true } });
  const { value: code, hash: codeHash } = newOpaqueToken();
  await prisma.authorizationCode.create({
    data: {
      codeHash,
      accountId,
      applicationId: application.id,
      userId: user.id,
      redirectUri,
      codeChallenge: parameters.code_challenge ?? '',
      resource: parameters.resource?.endsWith('/mcp') ? 'mcp' : 'api',
      scopes: parseScope(parameters.scope ?? '').filter((scope) => mayGrant(role as Role, scope)),
      createdAt: clock(),
      expiresAt: new Date(clock().getTime() + config.authorizationCodeTtlSeconds * 1000),
    },
  });
  const form = {
    grant_type: 'authorization_code',
    client_id: application.clientId,
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
  };
  return { code, form };
}

export interface GrantedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly scope: string;
}

/** Tokens of a token response. */
export function tokensOf(response: LightMyRequestResponse): GrantedTokens {
  if (response.statusCode !== 200) throw new Error(`No tokens: ${response.statusCode} ${response.body}`);
  const { access_token: accessToken, refresh_token: refreshToken, scope } = response.json();
  return { accessToken, refreshToken, scope };
}

/** Tokens that the user has granted to the application. */
export async function grantTokens(
  api: TestApp,
  scene: Scene,
  changes: Record<string, string> = {},
): Promise<GrantedTokens> {
  const { form } = await grantCode(api, scene, changes);
  return tokensOf(await api.postForm('/v1/oauth/token', form));
}

export function refresh(
  api: TestApp,
  { clientId }: TestApplication,
  refreshToken: string,
  changes: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken };
  return api.postForm('/v1/oauth/token', { ...form, ...changes });
}

export function revoke(
  api: TestApp,
  { clientId }: TestApplication,
  token: string,
  changes: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  return api.postForm('/v1/oauth/revoke', { client_id: clientId, token, ...changes });
}

/** SHA-256 of a code, refresh token or session id, which identifies its row. */
export function hashOf(value: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(value).digest();
}

const statuses: Readonly<Record<string, number>> = {
  invalid_request: 400,
  invalid_scope: 400,
  invalid_target: 400,
  invalid_dpop_proof: 400,
  use_dpop_nonce: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  invalid_client: 401,
  invalid_grant: 401,
};

/** Expects that the token or revocation endpoint responds with this error code, as RFC 6749 section 5.2 describes. */
export function expectOAuthError(
  t: Test,
  response: LightMyRequestResponse,
  code: string,
  { parameter, label = '' }: { parameter?: string; label?: string } = {},
): void {
  const body = response.json();
  t.equal(response.statusCode, statuses[code], `${label} ${response.body}`);
  t.equal(body.error, code, label);
  t.equal(body.code, code, label);
  t.equal(String(response.headers['content-type']).split(';')[0], 'application/json', label);
  t.notOk('access_token' in body, label);
  if (parameter === undefined) return;
  const named = (body.errors ?? []).map((error: { parameter?: string }) => error.parameter);
  t.ok(named.includes(parameter), `${label} names ${parameter}`);
}

/** Expects that the API rejects an access token with 401 and this code. */
export async function expectTokenRejected(
  t: Test,
  api: TestApp,
  token: string,
  code: 'invalid_token' | 'token_expired',
): Promise<void> {
  const response = await api.get('/v1/employees', token);
  t.equal(response.statusCode, 401, response.body);
  t.equal(response.json().code, code);
}

/** Expects that the API accepts an access token. */
export async function tokenAccepted(t: Test, api: TestApp, token: string): Promise<void> {
  const response = await api.get('/v1/employees', token);
  t.equal(response.statusCode, 200, response.body);
}
