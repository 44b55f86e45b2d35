import { authorizationCode } from '../authorization-code.mjs';
import { demoCallback, demoPassword } from '../demo-server.mjs';

const token = '/v1/oauth/token';
const revoke = '/v1/oauth/revoke';
const introspect = '/v1/oauth/introspect';

/** Exchanges a code that was issued for the account's owner, with the request example. */
async function exchangeCode(world) {
  const { code, verifier } = await authorizationCode(world.server.base, {
    clientId: 'demospa',
    redirectUri: demoCallback,
    scope: 'user:read user:write',
    email: 'owner@acme.example',
    password: demoPassword,
  });
  const example = world.example('AuthorizationCodeTokenRequestExample');
  return world.send(token, { form: { ...example, code, code_verifier: verifier } });
}

const refresh = async (world) => {
  const { body } = await world.recorded('AuthorizationCodeTokenRequestExample');
  const example = world.example('RefreshTokenRequestExample');
  return world.send(token, { form: { ...example, refresh_token: body.refresh_token } });
};

const par = '/v1/oauth/par';

const pushRequest = (world) => world.send(par, { form: world.example('PushedAuthorizationRequestExample') });

const introspectToken = async (world) => {
  const example = world.example('TokenIntrospectionRequestExample');
  const { body } = await world.send(token, { form: world.example('ClientCredentialsTokenRequestExample') });
  return world.send(introspect, { form: { ...example, token: body.access_token } });
};

const get = (path) => (world) => world.send(path);

/** Tokens, and the metadata and keys of the authorization server. */
export const tokens = {
  ClientCredentialsTokenRequestExample: (world) =>
    world.send(token, { form: world.example('ClientCredentialsTokenRequestExample') }),
  AuthorizationCodeTokenRequestExample: exchangeCode,
  RefreshTokenRequestExample: refresh,
  ClientCredentialsTokenResponseExample: (world) => world.recorded('ClientCredentialsTokenRequestExample'),
  AuthorizationCodeTokenResponseExample: (world) => world.recorded('AuthorizationCodeTokenRequestExample'),
  ConfidentialClientTokenRevocationRequestExample: async (world) => {
    const example = world.example('ConfidentialClientTokenRevocationRequestExample');
    const { body } = await world.send(token, { form: world.example('ClientCredentialsTokenRequestExample') });
    return world.send(revoke, { form: { ...example, token: body.access_token } });
  },
  PublicClientTokenRevocationRequestExample: async (world) => {
    const example = world.example('PublicClientTokenRevocationRequestExample');
    // A separate grant, because other entries use the tokens of the first one.
    const { body } = await exchangeCode(world);
    return world.send(revoke, { form: { ...example, token: body.refresh_token } });
  },
  TokenRevocationResponseExample: (world) =>
    world.recorded('ConfidentialClientTokenRevocationRequestExample'),
  PushedAuthorizationRequestExample: pushRequest,
  PushedAuthorizationResponseExample: pushRequest,
  TokenIntrospectionRequestExample: introspectToken,
  TokenIntrospectionActiveResponseExample: introspectToken,
  TokenIntrospectionInactiveResponseExample: (world) =>
    world.send(introspect, { form: { ...world.credentials('demobackend'), token: 'unknown' } }),
  AuthorizationServerMetadataResponseExample: get('/.well-known/oauth-authorization-server'),
  JsonWebKeySetResponseExample: get('/.well-known/jwks.json'),
};

const wrongSecret = { client_id: 'demobackend', client_secret: 'wrong' };
const grantType = (grant_type, form) => (world) => world.send(token, { form: { grant_type, ...form } });

/** Errors of the token and revocation endpoints. */
export const tokenErrors = {
  TokenMissingParameterResponseExample: (world) => {
    const { code_verifier: _, ...form } = world.example('AuthorizationCodeTokenRequestExample');
    return world.send(token, { form });
  },
  TokenUnsupportedGrantTypeResponseExample: grantType('password', { client_id: 'demospa' }),
  TokenUnauthorizedClientResponseExample: grantType('client_credentials', { client_id: 'demospa' }),
  TokenInvalidScopeResponseExample: (world) =>
    grantType('client_credentials', {
      ...world.credentials('demoreadonly'),
      scope: 'reports:write',
    })(world),
  TokenInvalidTargetResponseExample: (world) =>
    grantType('client_credentials', {
      ...world.credentials('demobackend'),
      resource: 'https://other.example',
    })(world),
  TokenInvalidClientResponseExample: grantType('client_credentials', wrongSecret),
  TokenInvalidGrantResponseExample: (world) =>
    world.send(token, { form: world.example('AuthorizationCodeTokenRequestExample') }),
  TokenRefreshTokenReusedResponseExample: async (world) => {
    await world.recorded('RefreshTokenRequestExample');
    return refresh(world);
  },
  TokenRevocationMissingTokenResponseExample: (world) =>
    world.send(revoke, { form: world.credentials('demobackend') }),
  TokenRevocationUnauthorizedClientResponseExample: async (world) =>
    world.send(revoke, { form: { ...world.credentials('demoreadonly'), token: await world.token() } }),
  // With HTTP Basic, because other responses have no challenge.
  TokenRevocationInvalidClientResponseExample: async (world) =>
    world.send(revoke, {
      form: { token: await world.token() },
      headers: { authorization: `Basic ${btoa('demobackend:wrong')}` },
    }),
  TokenIntrospectionMissingTokenResponseExample: (world) =>
    world.send(introspect, { form: world.credentials('demobackend') }),
  TokenIntrospectionInvalidClientResponseExample: async (world) =>
    world.send(introspect, {
      form: { token: await world.token() },
      headers: { authorization: `Basic ${btoa('demobackend:wrong')}` },
    }),
  PushedRequestMissingChallengeResponseExample: (world) => {
    const { code_challenge: _, ...form } = world.example('PushedAuthorizationRequestExample');
    return world.send(par, { form });
  },
  PushedRequestInvalidClientResponseExample: (world) => {
    const { client_id: _, ...form } = world.example('PushedAuthorizationRequestExample');
    return world.send(par, { form, headers: { authorization: `Basic ${btoa('demobackend:wrong')}` } });
  },
  OAuthPayloadTooLargeResponseExample: grantType('client_credentials', { scope: 'x'.repeat(64 * 1024) }),
};
