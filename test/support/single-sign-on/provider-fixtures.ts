import type { Claims, FakeProvider } from './fake-provider.js';

/** Metadata and claims of a widely used identity provider, in the form of its public documentation. */
export interface ProviderFixture {
  readonly metadata: { readonly issuer: string; readonly [name: string]: unknown };
  readonly idToken: (email: string) => Claims;
  readonly userInfo: (email: string) => Claims;
}

const tenant = '8b87af7d-8647-4dc7-8df4-5f69a2011bb5';
const names = { name: 'Grace Hopper', given_name: 'Grace', family_name: 'Hopper' };
const now = () => Math.floor(Date.now() / 1000);

/** Microsoft Entra ID, with the endpoints of one tenant. It has no `email_verified`, and `auth_time` only as an optional claim. */
export const entra: ProviderFixture = {
  metadata: {
    issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
    authorization_endpoint: `https://login.microsoftonline.com/${tenant}/oauth2/v2.0/authorize`,
    token_endpoint: `https://login.microsoftonline.com/${tenant}/oauth2/v2.0/token`,
    token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt', 'client_secret_basic'],
    jwks_uri: `https://login.microsoftonline.com/${tenant}/discovery/v2.0/keys`,
    userinfo_endpoint: 'https://graph.microsoft.com/oidc/userinfo',
    response_modes_supported: ['query', 'fragment', 'form_post'],
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: ['RS256'],
    response_types_supported: ['code', 'id_token', 'code id_token', 'id_token token'],
    scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
    request_uri_parameter_supported: false,
    tenant_region_scope: 'EU',
    cloud_instance_name: 'microsoftonline.com',
  },
  idToken: (email) => ({
    sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
    ...{ name: 'Grace Hopper', email, preferred_username: email },
    ...{ oid: '00000000-0000-0000-66f3-3332eca7ea81', tid: tenant, ver: '2.0' },
  }),
  userInfo: (email) => ({ ...names, email, picture: 'https://graph.microsoft.com/v1.0/me/photo/$value' }),
};

/** The addresses `common` and `organizations` of Microsoft Entra ID, which stand for all tenants. */
export const entraCommon: ProviderFixture = {
  ...entra,
  metadata: { ...entra.metadata, issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' },
};

/** A user of Microsoft Entra ID without a mailbox. */
export const entraWithoutMailbox: ProviderFixture = {
  ...entra,
  idToken: (email) => ({ ...entra.idToken(email), email: undefined }),
  userInfo: () => names,
};

/** The org authorization server of Okta: the ID token has few claims. */
export const okta: ProviderFixture = {
  metadata: {
    issuer: 'https://initech.okta.com',
    authorization_endpoint: 'https://initech.okta.com/oauth2/v1/authorize',
    token_endpoint: 'https://initech.okta.com/oauth2/v1/token',
    userinfo_endpoint: 'https://initech.okta.com/oauth2/v1/userinfo',
    jwks_uri: 'https://initech.okta.com/oauth2/v1/keys',
    response_types_supported: ['code', 'id_token', 'code id_token', 'code token', 'id_token token'],
    grant_types_supported: ['authorization_code', 'implicit', 'refresh_token', 'password'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: [
      ...['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'private_key_jwt', 'none'],
    ],
    code_challenge_methods_supported: ['S256'],
  },
  idToken: (email) => ({
    sub: '00uid4BxXw6I6TV4m0g3',
    ...{ ver: 1, auth_time: now(), amr: ['pwd'], idp: '00oigpTeBgCuUV5Bs0g3', preferred_username: email },
  }),
  userInfo: (email) => ({
    ...names,
    email,
    email_verified: true,
    preferred_username: email,
    zoneinfo: 'UTC',
  }),
};

/** Google. It has no `auth_time`. */
export const google: ProviderFixture = {
  metadata: {
    issuer: 'https://accounts.google.com',
    authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
    token_endpoint: 'https://oauth2.googleapis.com/token',
    userinfo_endpoint: 'https://openidconnect.googleapis.com/v1/userinfo',
    jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
    response_types_supported: ['code', 'token', 'id_token', 'code token', 'code id_token', 'none'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid', 'email', 'profile'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    code_challenge_methods_supported: ['plain', 'S256'],
  },
  idToken: (email) => ({
    sub: '10769150350006150715113082367',
    ...{ email, email_verified: true, hd: email.split('@')[1], ...names },
  }),
  userInfo: (email) => ({ ...names, email, email_verified: true }),
};

/** A user pool of Amazon Cognito. `email_verified` is a string at the UserInfo endpoint. */
export const cognito: ProviderFixture = {
  metadata: {
    issuer: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_EXAMPLE',
    authorization_endpoint: 'https://initech.auth.eu-west-1.amazoncognito.com/oauth2/authorize',
    token_endpoint: 'https://initech.auth.eu-west-1.amazoncognito.com/oauth2/token',
    userinfo_endpoint: 'https://initech.auth.eu-west-1.amazoncognito.com/oauth2/userInfo',
    jwks_uri: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_EXAMPLE/.well-known/jwks.json',
    id_token_signing_alg_values_supported: ['RS256'],
    response_types_supported: ['code', 'token'],
    scopes_supported: ['openid', 'email', 'phone', 'profile'],
    subject_types_supported: ['public'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  },
  idToken: () => ({
    sub: '7d8ca528-4931-4254-9273-ea5ee853f271',
    ...{ 'cognito:username': 'grace', token_use: 'id', auth_time: now() },
  }),
  userInfo: (email) => ({ username: 'grace', email, email_verified: 'true', ...names }),
};

/** A realm of Keycloak. */
export const keycloak: ProviderFixture = {
  metadata: {
    issuer: 'https://keycloak.initech.example/realms/initech',
    authorization_endpoint: 'https://keycloak.initech.example/realms/initech/protocol/openid-connect/auth',
    token_endpoint: 'https://keycloak.initech.example/realms/initech/protocol/openid-connect/token',
    userinfo_endpoint: 'https://keycloak.initech.example/realms/initech/protocol/openid-connect/userinfo',
    jwks_uri: 'https://keycloak.initech.example/realms/initech/protocol/openid-connect/certs',
    response_types_supported: ['code', 'none', 'id_token', 'token', 'id_token token', 'code id_token'],
    subject_types_supported: ['public', 'pairwise'],
    id_token_signing_alg_values_supported: ['PS384', 'RS384', 'EdDSA', 'ES384', 'HS256', 'HS512', 'RS256'],
    token_endpoint_auth_methods_supported: [
      ...[
        'private_key_jwt',
        'client_secret_basic',
        'client_secret_post',
        'tls_client_auth',
        'client_secret_jwt',
      ],
    ],
    authorization_response_iss_parameter_supported: true,
  },
  idToken: (email) => ({
    sub: 'f1a5a4c4-6f3c-4a6d-9f9e-0b9b3a1a7a52',
    ...{ auth_time: now(), typ: 'ID', azp: 'people', sid: 'c1a2', acr: '1' },
    ...{ email, email_verified: true, preferred_username: 'grace', ...names },
  }),
  userInfo: (email) => ({ email, email_verified: true, preferred_username: 'grace', ...names }),
};

/** An application of authentik, whose issuer ends with a slash. `email_verified` is false, unless a scope mapping changes it. */
export const authentik: ProviderFixture = {
  metadata: {
    issuer: 'https://authentik.initech.example/application/o/people/',
    authorization_endpoint: 'https://authentik.initech.example/application/o/authorize/',
    token_endpoint: 'https://authentik.initech.example/application/o/token/',
    userinfo_endpoint: 'https://authentik.initech.example/application/o/userinfo/',
    jwks_uri: 'https://authentik.initech.example/application/o/people/jwks/',
    response_types_supported: ['code', 'id_token', 'id_token token', 'code token', 'code id_token'],
    id_token_signing_alg_values_supported: ['RS256'],
    subject_types_supported: ['public'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
  },
  idToken: (email) => ({
    sub: '9d4e1e23f6b6d1b4b5f7e4b7a6f2b1c0',
    ...{ auth_time: now(), acr: 'goauthentik.io/providers/oauth2/default', email, email_verified: false },
    ...{ name: 'Grace Hopper', given_name: 'Grace Hopper', preferred_username: 'grace', nickname: 'grace' },
  }),
  userInfo: (email) => ({ email, email_verified: false, preferred_username: 'grace' }),
};

/** authentik with a scope mapping that says that addresses are verified. */
export const authentikVerified: ProviderFixture = {
  ...authentik,
  idToken: (email) => ({ ...authentik.idToken(email), email_verified: true }),
};

/** Gives an identity provider the metadata and the UserInfo response of another one, with its own host for all others. */
export function imitate(idp: FakeProvider, { metadata, userInfo }: ProviderFixture, email: string): void {
  idp.metadata = JSON.parse(atHost(idp, JSON.stringify(metadata)));
  idp.userInfo = userInfo(email);
}

/** A text whose URLs have the host of an identity provider. */
export function atHost({ issuer }: Pick<FakeProvider, 'issuer'>, text: string): string {
  return text.replaceAll(/https:\/\/[^/"]+/g, issuer);
}
