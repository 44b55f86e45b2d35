import type { Authentication } from '../platform/accounts/sessions.js';
import type { AuditOrigin } from '../platform/audit/audit-log.js';
import { secondsAfter } from '../platform/clock.js';
import type { components } from '../platform/contract/generated.js';
import { hashSecret, newOpaqueToken, type OpaqueToken } from '../platform/crypto/keyring.js';
import { Problem } from '../platform/problems/problem.js';
import type { Application } from './clients/client-registry.js';
import { type ClientCredentials, requireAuthentication, requireParameter } from './clients/credentials.js';
import type { IssuedSecret } from './clients/installations.js';
import { isForDevelopment, isRegisteredRedirectUri } from './clients/redirect-uris.js';
import type { UsedGrant } from './grants/grants.js';
import { otherResource, type Resource, readResource, resourcesOf } from './resources.js';
import { mayGrant, noScope, openIdScope, parseScope, selectScopes, unavailableScopes } from './scopes.js';
import type { OAuthServices } from './services.js';
import { tokenType } from './tokens/access-tokens.js';
import { isUsableWith } from './tokens/bound-key.js';
import type { RotationRequest } from './tokens/refresh-token-rotation.js';
import type { StoredToken } from './tokens/refresh-tokens.js';

export type TokenForm = components['schemas']['TokenRequest'];
export type TokenResponse = components['schemas']['TokenResponse'];

export interface GrantRequest {
  readonly form: TokenForm;
  readonly credentials: ClientCredentials;
  readonly application: Application;
  readonly origin: AuditOrigin;
  /** Thumbprint of the key of the DPoP proof, to which the tokens are bound; `null` without a proof. RFC 9449 section 5 */
  readonly jkt: string | null;
}

/** A grant type of the token endpoint. */
export interface GrantType {
  /** Value of `grant_type`. */
  readonly type: string;
  /** Required form parameters, in addition to those of client authentication. */
  readonly requires: readonly (keyof TokenForm)[];
  /** The hash of the code or token in the form, which names the account; `null`: it acts in the account of the application. */
  readonly secretOf: ((form: TokenForm) => IssuedSecret) | null;
  handle(request: GrantRequest, services: OAuthServices): Promise<TokenResponse>;
}

/** Token response for an application that acts on behalf of a user. */
function issueUserTokens(
  { accessTokens }: OAuthServices,
  { application: { clientId, installation }, jkt }: Pick<GrantRequest, 'application' | 'jkt'>,
  { userId, grantId, scopes, resource }: UsedGrant,
  requested: Resource | undefined,
  refreshToken: OpaqueToken,
): TokenResponse {
  return {
    access_token: accessTokens.issue({
      subject: userId,
      clientId,
      installation,
      scopes,
      grantId,
      resources: resourcesOf(requested ?? resource),
      jkt,
    }),
    token_type: tokenType(jkt),
    expires_in: accessTokens.ttlSeconds,
    scope: scopes.join(' '),
    refresh_token: refreshToken.value,
  };
}

/** Of a grant that was deleted after its token was issued. */
const unknownAuthentication: Authentication = { authenticatedAt: null, methods: [], sid: null };

/**
 * The token response with an ID token. That of a refresh has no `nonce`.
 *
 * @see OpenID Connect Core 1.0 sections 3.1.3.3 and 12.2
 */
function withIdToken(
  { idTokens }: OAuthServices,
  { clientId }: Application,
  response: TokenResponse,
  used: Authentication & { readonly userId: string; readonly nonce?: string | null },
): TokenResponse {
  const { userId: subject, nonce = null, authenticatedAt, methods, sid } = used;
  const accessToken = response.access_token;
  const idToken = idTokens.issue({ subject, clientId, nonce, authenticatedAt, methods, sid, accessToken });
  return { ...response, id_token: idToken };
}

/**
 * Issues an access token to a confidential client on its own behalf, without a refresh token.
 *
 * @throws {Problem} 400 `unauthorized_client` for a public client, 400 `invalid_request` without the secret,
 *   400 `invalid_scope`, 400 `invalid_target`
 * @see RFC 6749 section 4.4
 */
export const clientCredentials: GrantType = {
  type: 'client_credentials',
  requires: [],
  secretOf: null,

  async handle({ form, credentials, application, origin, jkt }, { accessTokens, auditLog, config }) {
    if (application.clientType === 'public') throw publicClient();
    requireAuthentication(credentials);
    const resources = [readResource(form.resource, config.baseUrl) ?? 'api'] as const;
    const scopes = selectScopes(form.scope, application.scopes);
    const { id: applicationId, accountId, clientId, tokenGeneration: generation } = application;
    await auditLog.record({ type: 'token.issued', accountId, applicationId, origin, details: { scopes } });
    return {
      access_token: accessTokens.issue({ subject: clientId, clientId, scopes, resources, generation, jkt }),
      token_type: tokenType(jkt),
      expires_in: accessTokens.ttlSeconds,
      scope: scopes.join(' '),
    };
  },
};

/** 400 `unauthorized_client` for client credentials of a public client. */
export function publicClient(): Problem {
  return new Problem(
    'unauthorized_client',
    'A public client cannot use client_credentials; use authorization_code with PKCE.',
  );
}

function isStillRegistered({ redirectUris }: Application, uri: string): boolean {
  const stage = isForDevelopment(uri) ? 'development' : 'live';
  return isRegisteredRedirectUri({ redirectUris, stage }, uri);
}

function unusableCode(jkt: string | null): Problem {
  const matched =
    jkt === null
      ? 'redirect_uri or code_verifier'
      : 'redirect_uri, code_verifier or the key of the DPoP proof';
  return new Problem(
    'invalid_grant',
    `The code is unknown, expired or already used, or ${matched} does not match.`,
  );
}

/**
 * Exchanges an authorization code for tokens.
 *
 * @throws {Problem} 400 `invalid_request`, 400 `invalid_target`, 401 `invalid_grant`
 * @see RFC 6749 section 4.1.3 and RFC 7636 section 4.6
 */
export const authorizationCode: GrantType = {
  type: 'authorization_code',
  requires: ['code', 'redirect_uri', 'code_verifier'],
  secretOf: ({ code }) => ({ kind: 'code', hash: hashSecret(requireParameter('code', code)) }),

  async handle({ form, application, origin, jkt }, services) {
    const { codes, clock, config } = services;
    const { refreshTokenTtlSeconds, replayLeewaySeconds } = config;
    const at = clock();
    const resource = readResource(form.resource, config.baseUrl);
    const exchange = {
      codeHash: hashSecret(requireParameter('code', form.code)),
      application,
      redirectUri: requireParameter('redirect_uri', form.redirect_uri),
      codeVerifier: requireParameter('code_verifier', form.code_verifier),
      resource,
      jkt,
      at,
      origin,
    };
    // When the publisher of an application removes a redirect URI, the codes of its own account are deleted, and those of other
    // accounts are rejected here.
    if (application.installation !== null && !isStillRegistered(application, exchange.redirectUri))
      throw unusableCode(jkt);
    const refreshToken = newOpaqueToken();
    const expiresAt = secondsAfter(at, refreshTokenTtlSeconds);
    const used = await codes.use(exchange, { hash: refreshToken.hash, expiresAt });
    if (used === undefined) {
      const isUsable = await codes.readRejected({ ...exchange, at: clock() }, { replayLeewaySeconds });
      if (isUsable) throw otherResource();
      throw unusableCode(jkt);
    }
    const response = issueUserTokens(services, { application, jkt }, used, resource, refreshToken);
    if (!used.scopes.includes(openIdScope)) return response;
    return withIdToken(services, application, response, used);
  },
};

/**
 * Exchanges a refresh token for new tokens. Every use rotates the refresh token.
 *
 * @throws {Problem} 400 `invalid_request`, 400 `invalid_scope` when more is requested than was granted, 400 `invalid_target`,
 *   401 `invalid_grant`
 * @see RFC 6749 section 6 and RFC 9700 section 4.14.2
 */
export const refreshToken: GrantType = {
  type: 'refresh_token',
  requires: ['refresh_token'],
  secretOf: ({ refresh_token }) => ({
    kind: 'refresh_token',
    hash: hashSecret(requireParameter('refresh_token', refresh_token)),
  }),

  async handle({ form, application, origin, jkt }, services) {
    const { refreshTokens, grants, config } = services;
    const resource = readResource(form.resource, config.baseUrl);
    const tokenHash = hashSecret(requireParameter('refresh_token', form.refresh_token));
    const requested = form.scope === undefined ? undefined : parseScope(form.scope);
    if (requested?.length === 0) throw new Problem('invalid_scope', noScope);
    const successor = newOpaqueToken();
    const use = { tokenHash, application, origin };
    const rotated = await refreshTokens.rotate({
      ...use,
      successorHash: successor.hash,
      requested,
      resource,
      jkt,
    });
    if (rotated === undefined) {
      throw rejection(
        await refreshTokens.readRejected(use),
        { requested, resource, jkt },
        application.scopes,
      );
    }
    const response = issueUserTokens(services, { application, jkt }, rotated, resource, successor);
    if (!rotated.scopes.includes(openIdScope)) return response;
    const authentication = await grants.authentication(application.accountId, rotated.grantId);
    return withIdToken(services, application, response, {
      ...unknownAuthentication,
      ...authentication,
      ...rotated,
    });
  },
};

/** Why a token was rejected. */
function rejection(
  token: StoredToken | undefined,
  { requested, resource, jkt }: Pick<RotationRequest, 'requested' | 'resource' | 'jkt'>,
  applicationScopes: readonly string[],
): Problem {
  if (token === undefined || token.usedAt !== null || !token.usable) {
    return new Problem('invalid_grant', 'The refresh token is unknown, expired, revoked or already used.');
  }
  if (!isUsableWith(token, jkt)) {
    return new Problem(
      'invalid_grant',
      'The refresh token is bound to a key: send a DPoP proof of this key.',
    );
  }
  if (resource !== undefined && !resourcesOf(token.resource).includes(resource)) return otherResource();
  const available = token.scopes.filter(
    (scope) => applicationScopes.includes(scope) && mayGrant(token.role, scope),
  );
  return new Problem('invalid_scope', unavailableScopes(requested ?? token.scopes, available));
}
