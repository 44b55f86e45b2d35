import { LRUCache } from 'lru-cache';
import * as openid from 'openid-client';
import type { Config } from '../../platform/config/config.js';
import { parseUrl } from '../../platform/contract/outside-text.js';
import { ConcurrencyLimit } from '../../platform/limits/concurrency-limit.js';
import { callbackPath } from '../../platform/pages/paths.js';
import { addUserInfo, hasAddress, isSameIssuer, type ProviderClaims } from './provider-claims.js';
import { ProviderError, shown, toProviderError } from './provider-errors.js';
import { createProviderFetch } from './provider-fetch.js';

/** The identity provider of an account, with its secret. */
export interface Provider {
  readonly accountId: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Differs after each change of the settings. */
  readonly version: string;
}

/** The values of the authorization request. */
export interface Expected {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Maximum time of a request to an identity provider. */
const requestSeconds = 5;

/**
 * Maximum number of concurrent requests of an account to its identity provider, which limits the sockets of a slow one.
 * Others are queued.
 */
const requestsPerAccount = 10;

/**
 * A year: no user signs in earlier because of it. With `max_age`, the ID token must have the claim `auth_time`.
 *
 * @see OpenID Connect Core 1.0 section 3.1.2.1
 */
const longestSignInSeconds = '31536000';

/** The scopes of the authorization request. */
export const requestedScopes = 'openid email profile';

const cachedSeconds = 600;

/** Accepted difference between the clocks of the identity provider and of this server, for `exp`, `nbf` and `auth_time`. */
const clockToleranceSeconds = 30;

type ProviderClientConfig = Pick<Config, 'baseUrl' | 'production' | 'allowPrivateIdentityProviders'>;

/** Sends requests to identity providers, and verifies their responses. Outside production, their URLs may start with `http://`. */
export class ProviderClient {
  readonly #fetch: openid.CustomFetch;
  readonly #config: ProviderClientConfig;
  readonly #slots = new ConcurrencyLimit(requestsPerAccount);
  /** Metadata and keys by account and version. Concurrent users of an account share a request. */
  readonly #configurations = new LRUCache<string, Promise<openid.Configuration>>({
    max: 1000,
    ttl: cachedSeconds * 1000,
  });

  constructor(config: ProviderClientConfig) {
    this.#fetch = createProviderFetch({ allowPrivate: config.allowPrivateIdentityProviders });
    this.#config = config;
  }

  /**
   * URL that the identity provider sends users back to. Each account has its own, so that the response of another identity
   * provider is detected also when it has no parameter `iss` (RFC 9700 section 4.4.2).
   */
  callback({ accountId }: Pick<Provider, 'accountId'>): string {
    return `${this.#config.baseUrl}${callbackPath(accountId)}`;
  }

  /**
   * Reads the metadata of an identity provider, and checks that users can sign in with it. The slash at the end of the issuer
   * may be missing or superfluous.
   *
   * @returns its issuer as the metadata has it
   * @throws {ProviderError}
   */
  async check(provider: Provider): Promise<string> {
    const discover = (issuer: string) =>
      this.#limited(provider, () => this.#discover({ ...provider, issuer }));
    const configuration = await discover(provider.issuer).catch((error) => {
      const found = error instanceof ProviderError ? error.findings.issuer_found : undefined;
      if (found === undefined || !isSameIssuer(found, provider.issuer)) throw error;
      return discover(found);
    });
    return configuration.serverMetadata().issuer;
  }

  /**
   * Reads the metadata of an identity provider, unless it is cached.
   *
   * @throws {ProviderError}
   */
  async prepare(provider: Provider): Promise<void> {
    await this.#configuration(provider);
  }

  /**
   * The URL at which the user signs in.
   *
   * @param again whether the user must sign in even if the identity provider has a session
   * @throws {ProviderError}
   */
  async authorizationUrl(
    provider: Provider,
    { state, nonce, codeVerifier }: Expected,
    { again = false }: { again?: boolean } = {},
  ): Promise<string> {
    const configuration = await this.#configuration(provider);
    return openid.buildAuthorizationUrl(configuration, {
      redirect_uri: this.callback(provider),
      scope: requestedScopes,
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ...(again ? { max_age: '0', prompt: 'login' } : { max_age: longestSignInSeconds }),
    }).href;
  }

  /**
   * Verifies the response that the user brought back, exchanges its code, and verifies the ID token: signature, issuer,
   * audience, expiry and nonce. The response must be of the same issuer (RFC 9207).
   *
   * @param query query of the URL that the user was sent back to
   * @param maxAge maximum time in seconds since the user signed in at the identity provider
   * @param needsAddress whether the address of the user is needed, which may be at the UserInfo endpoint only
   * @throws {ProviderError}
   */
  async claims(
    provider: Provider,
    {
      query,
      expected,
      maxAge,
      needsAddress,
    }: {
      query: string;
      expected: Expected;
      maxAge?: number;
      needsAddress: (claims: ProviderClaims) => Promise<boolean>;
    },
  ): Promise<ProviderClaims> {
    const configuration = await this.#configuration(provider);
    const { claims, accessToken } = await this.#limited(provider, async () => {
      const url = new URL(this.callback(provider));
      url.search = query;
      const tokens = await openid.authorizationCodeGrant(configuration, url, {
        expectedState: expected.state,
        expectedNonce: expected.nonce,
        pkceCodeVerifier: expected.codeVerifier,
        ...(maxAge !== undefined && { maxAge }),
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new ProviderError('invalid', 'no_id_token');
      return { claims, accessToken: tokens.access_token };
    });
    const { userinfo_endpoint } = configuration.serverMetadata();
    if (userinfo_endpoint === undefined || hasAddress(claims) || !(await needsAddress(claims))) return claims;
    // Many identity providers have only the subject in the ID token.
    const information = await this.#limited(provider, () =>
      openid.fetchUserInfo(configuration, accessToken, claims.sub),
    );
    return addUserInfo(claims, information);
  }

  #configuration(provider: Provider): Promise<openid.Configuration> {
    const key = `${provider.accountId} ${provider.version}`;
    const cached = this.#configurations.get(key);
    if (cached !== undefined) return cached;
    const found = this.#limited(provider, () => this.#discover(provider));
    this.#configurations.set(key, found);
    found.catch(() => this.#configurations.delete(key));
    return found;
  }

  async #discover({ issuer, clientId, clientSecret }: Provider): Promise<openid.Configuration> {
    const discovered = await openid.discovery(new URL(issuer), clientId, undefined, openid.None(), {
      // The library parses the URLs before it returns the metadata.
      [openid.customFetch]: async (...request) => {
        const response = await this.#fetch(...request);
        if (response.ok) this.#checkMetadata(await response.clone().json(), issuer);
        return response;
      },
      timeout: requestSeconds,
      ...(!this.#config.production && { execute: [openid.allowInsecureRequests] }),
    });
    const metadata = discovered.serverMetadata();
    const configuration = new openid.Configuration(
      metadata,
      clientId,
      { [openid.clockTolerance]: clockToleranceSeconds },
      clientAuthentication(metadata, clientSecret),
    );
    configuration[openid.customFetch] = this.#fetch;
    configuration.timeout = requestSeconds;
    if (!this.#config.production) openid.allowInsecureRequests(configuration);
    // Otherwise the library relies on TLS and does not verify the signature of the ID token.
    openid.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  /** @throws {ProviderError} */
  #checkMetadata(metadata: Readonly<Record<string, unknown>> | null, issuer: string): void {
    // The library accepts other issuers for some providers that serve many organizations.
    if (urlOf(metadata?.issuer)?.href !== parseUrl(issuer)?.href)
      throw new ProviderError('invalid', 'issuer', { findings: { issuer_found: shown(metadata?.issuer) } });
    const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint } = metadata ?? {};
    const algorithms = metadata?.id_token_signing_alg_values_supported;
    if (Array.isArray(algorithms) && algorithms.every((name) => /^(HS|none)/.test(name)))
      throw new ProviderError('invalid', 'signature', { findings: { offered: shown(algorithms) } });
    const required = [authorization_endpoint, token_endpoint, jwks_uri];
    const endpoints = userinfo_endpoint === undefined ? required : [...required, userinfo_endpoint];
    const schemes = this.#config.production ? ['https:'] : ['https:', 'http:'];
    if (!endpoints.every((endpoint) => schemes.includes(urlOf(endpoint)?.protocol ?? '')))
      throw new ProviderError('invalid', 'metadata');
  }

  #limited<Result>({ accountId }: Provider, work: () => Promise<Result>): Promise<Result> {
    const rejection = () => new ProviderError('unavailable', 'busy');
    return this.#slots.run(accountId, { waitMs: requestSeconds * 1000, rejection }, () =>
      work().catch((error) => {
        throw toProviderError(error);
      }),
    );
  }
}

/** The method of client authentication that the identity provider supports. */
function clientAuthentication(
  { token_endpoint_auth_methods_supported: methods }: openid.ServerMetadata,
  secret: string,
): openid.ClientAuth {
  // The default of RFC 8414 section 2.
  if (methods === undefined || methods.includes('client_secret_basic')) return basicAuthentication(secret);
  if (methods.includes('client_secret_post')) return openid.ClientSecretPost(secret);
  throw new ProviderError('invalid', 'client_authentication', { findings: { offered: shown(methods) } });
}

/**
 * Authentication with the header `Authorization`. The library also encodes `-`, `.` and `_`, which the form encoding does not
 * require, and some identity providers do not decode.
 *
 * @see RFC 6749 section 2.3.1 and appendix B
 */
function basicAuthentication(secret: string): openid.ClientAuth {
  return (_server, { client_id }, _body, headers) => {
    const credentials = [client_id, secret].map((text) =>
      new URLSearchParams({ '': text }).toString().slice(1),
    );
    headers.set('authorization', `Basic ${btoa(credentials.join(':'))}`);
  };
}

function urlOf(value: unknown): URL | undefined {
  return typeof value === 'string' ? parseUrl(value) : undefined;
}
