/** Requests that the servers respond to differently, with the outcomes of this server and of oidc-provider. */
export interface Difference {
  readonly reason: string;
  readonly requests: Readonly<Record<string, string>>;
}

export const differences: readonly Difference[] = [
  {
    reason: 'The specification of this service has the status 401 for invalid_grant.',
    requests: {
      'code, redirect_uri unknown': '401 invalid_grant | 400 invalid_grant',
      'code, another verifier': '401 invalid_grant | 400 invalid_grant',
      'code, another client': '401 invalid_grant | 400 invalid_grant',
      'refresh, refresh_token unknown': '401 invalid_grant | 400 invalid_grant',
      'refresh, another client': '401 invalid_grant | 400 invalid_grant',
    },
  },
  {
    reason:
      'An application authenticates a code and a refresh token without its secret, until it requires the secret for every token request.',
    requests: {
      'code, client_secret missing': '200 | 401 invalid_client',
      'code, client_secret empty': '200 | 401 invalid_client',
      'refresh, client_secret missing': '200 | 401 invalid_client',
      'refresh, client_secret empty': '200 | 401 invalid_client',
    },
  },
  {
    reason: 'The exchange of a code requires redirect_uri, also for an application with one redirect URI.',
    requests: {
      'code, redirect_uri missing': '400 invalid_request | 200',
      'code, redirect_uri empty': '400 invalid_request | 200',
    },
  },
  {
    reason: 'A missing client_secret is a missing parameter. Only a wrong one is invalid_client.',
    requests: {
      'client credentials, client_secret missing': '400 invalid_request | 401 invalid_client',
      'client credentials, client_secret empty': '400 invalid_request | 401 invalid_client',
      'introspect, client_secret missing': '400 invalid_request | 401 invalid_client',
      'introspect, client_secret empty': '400 invalid_request | 401 invalid_client',
      'revoke, client_secret missing': '400 invalid_request | 401 invalid_client',
      'par, client_secret missing': '400 invalid_request | 401 invalid_client',
      'par, client_secret empty': '400 invalid_request | 401 invalid_client',
      'revoke, client_secret empty': '400 invalid_request | 401 invalid_client',
    },
  },
  {
    reason:
      'A verifier that is missing, and a token that does not have the form of those that the server issues, are malformed parameters.',
    requests: {
      'code, code unknown': '400 invalid_request | 400 invalid_grant',
      'code, code_verifier missing': '400 invalid_request | 400 invalid_grant',
      'code, code_verifier empty': '400 invalid_request | 400 invalid_grant',
      'code, an access token as code': '400 invalid_request | 400 invalid_grant',
      'refresh, an access token': '400 invalid_request | 400 invalid_grant',
    },
  },
  {
    reason:
      'Malformed authorization requests never redirect, so that the endpoint cannot be used as an open redirector.',
    requests: {
      'authorize, response_type missing': '400 invalid_request | redirect invalid_request',
      'authorize, response_type empty': '400 invalid_request | redirect invalid_request',
      'authorize, response_type repeated': '400 invalid_request | redirect invalid_request',
      'authorize, response_type unknown': '400 invalid_request | redirect unsupported_response_type',
      'authorize, redirect_uri repeated': '400 invalid_request | redirect invalid_request',
      'authorize, scope missing': '400 invalid_request | redirect invalid_request',
      'authorize, scope empty': '400 invalid_request | redirect invalid_request',
      'authorize, scope repeated': '400 invalid_request | redirect invalid_request',
      'authorize, state repeated': '400 invalid_request | redirect invalid_request',
      'authorize, code_challenge missing': '400 invalid_request | redirect invalid_request',
      'authorize, code_challenge empty': '400 invalid_request | redirect invalid_request',
      'authorize, code_challenge repeated': '400 invalid_request | redirect invalid_request',
      'authorize, code_challenge unknown': '400 invalid_request | redirect invalid_request',
      'authorize, code_challenge_method missing': '400 invalid_request | redirect invalid_request',
      'authorize, code_challenge_method empty': '400 invalid_request | redirect invalid_request',
      'authorize, code_challenge_method repeated': '400 invalid_request | redirect invalid_request',
      'authorize, code_challenge_method unknown': '400 invalid_request | redirect invalid_request',
      'authorize, nonce repeated': '400 invalid_request | redirect invalid_request',
      'authorize, response_type token': '400 invalid_request | redirect unsupported_response_type',
      'authorize, response_type code id_token': '400 invalid_request | redirect invalid_request',
      'authorize, code_challenge_method plain': '400 invalid_request | redirect invalid_request',
      'authorize, prompt none login': '400 invalid_request | redirect invalid_request',
      'authorize, prompt create': '400 invalid_request | redirect invalid_request',
      'authorize, max_age -1': '400 invalid_request | redirect invalid_request',
      'authorize, max_age 1.5': '400 invalid_request | redirect invalid_request',
      'authorize, max_age x': '400 invalid_request | redirect invalid_request',
      'authorize, prompt repeated': '400 invalid_request | redirect invalid_request',
      'authorize, max_age repeated': '400 invalid_request | redirect invalid_request',
      'authorize, login_hint repeated': '400 invalid_request | redirect invalid_request',
      'pushed, request_uri missing': '400 invalid_request | redirect invalid_request',
      'pushed, request_uri empty': '400 invalid_request | redirect invalid_request',
      'authorize, code_challenge short': '400 invalid_request | redirect invalid_request',
    },
  },
  {
    reason:
      'RFC 6749 has no code for a redirect URI that is not registered. This server uses invalid_request.',
    requests: {
      'authorize, redirect_uri unknown': '400 invalid_request | 400 invalid_redirect_uri',
      'authorize, redirect_uri https://client.example/callback/':
        '400 invalid_request | 400 invalid_redirect_uri',
      'authorize, redirect_uri https://client.example/callback?a=1':
        '400 invalid_request | 400 invalid_redirect_uri',
      'authorize, prompt none and an unknown redirect_uri': '400 invalid_request | 400 invalid_redirect_uri',
      'authorize, redirect_uri https://client.example/callback#a':
        '400 invalid_request | 400 invalid_redirect_uri',
    },
  },
  {
    reason: 'The specification of this service requires state and redirect_uri.',
    requests: {
      'authorize, redirect_uri missing': '400 invalid_request | sign in',
      'authorize, redirect_uri empty': '400 invalid_request | sign in',
      'authorize, state missing': '400 invalid_request | sign in',
      'par, redirect_uri missing': '400 invalid_request | 201',
      'par, redirect_uri empty': '400 invalid_request | 201',
      'par, state missing': '400 invalid_request | 201',
      'par, state empty': '400 invalid_request | 201',
      'authorize, state empty': '400 invalid_request | sign in',
    },
  },
  {
    reason: 'An empty nonce is malformed: a client that sends one has lost its nonce.',
    requests: { 'authorize, nonce empty': '400 invalid_request | sign in' },
  },
  {
    reason: 'The specification of this service has the status 401 for an unknown client_id.',
    requests: { 'authorize, client_id unknown': '401 invalid_client | 400 invalid_client' },
  },
  {
    reason: 'Scopes that are not configured are an error, and are not dropped.',
    requests: { 'client credentials, scope unknown': '400 invalid_scope | 200' },
  },
  {
    reason: 'Several spaces between scopes are accepted.',
    requests: { 'refresh, scope "openid  profile"': '200 | 400 invalid_scope' },
  },
  {
    reason: 'A public client is not authorized for client credentials.',
    requests: { 'client credentials, a public client': '400 unauthorized_client | 400 invalid_request' },
  },
  {
    reason: 'A public client cannot introspect tokens.',
    requests: { 'introspect, a public client': '401 invalid_client | 200' },
  },
  {
    reason: 'The token is of another client.',
    requests: {
      'revoke, Basic': '400 unauthorized_client | 400 invalid_request',
      'revoke, Basic and the same client_id': '400 unauthorized_client | 400 invalid_request',
      'revoke, a public client': '400 unauthorized_client | 200',
    },
  },
  {
    reason: 'HTTP Basic that is malformed is failed client authentication.',
    requests: {
      'client credentials, Basic without a colon': '401 invalid_client | 400 invalid_request',
      'client credentials, Basic that is empty': '401 invalid_client | 400 invalid_request',
      'introspect, Basic without a colon': '401 invalid_client | 400 invalid_request',
      'introspect, Basic that is empty': '401 invalid_client | 400 invalid_request',
      'revoke, Basic without a colon': '401 invalid_client | 400 invalid_request',
      'par, Basic without a colon': '401 invalid_client | 400 invalid_request',
      'par, Basic that is empty': '401 invalid_client | 400 invalid_request',
      'revoke, Basic that is empty': '401 invalid_client | 400 invalid_request',
    },
  },
  {
    reason:
      'The assertion is invalid. oidc-provider rejects every assertion of this client, which is registered with a secret.',
    requests: {
      'client credentials, an assertion that is no JWT': '401 invalid_client | 400 invalid_request',
      'introspect, an assertion that is no JWT': '401 invalid_client | 400 invalid_request',
      'par, an assertion that is no JWT': '401 invalid_client | 400 invalid_request',
      'revoke, an assertion that is no JWT': '401 invalid_client | 400 invalid_request',
    },
  },
  {
    reason:
      'Tokens are accepted in the header Authorization only (RFC 6750 section 2 makes the form optional).',
    requests: {
      'userinfo, a token in the query': '401 unauthorized | 400 invalid_request',
      'userinfo, a token in the form': '401 unauthorized | 200',
    },
  },
  {
    reason: 'A request without a bearer token is 401, and its challenge has no error (RFC 6750 section 3.1).',
    requests: {
      'userinfo, an empty token': '401 unauthorized | 400 invalid_request',
      'userinfo, the scheme Basic': '401 unauthorized | 400 invalid_request',
      'userinfo, no token': '401 unauthorized | 401 invalid_token',
    },
  },
  {
    reason: 'The scheme DPoP is supported, and the token is not bound to a key.',
    requests: { 'userinfo, the scheme DPoP': '401 invalid_token | 400 invalid_request' },
  },
  {
    reason: 'The token is valid and lacks the scope openid.',
    requests: { 'userinfo, a token without a user': '403 insufficient_scope | 401 invalid_token' },
  },
  {
    reason: 'Errors of scopes redirect after sign-in only.',
    requests: { 'authorize, scope unknown': 'sign in | redirect invalid_request' },
  },
  {
    reason: 'Parameters that are not supported are ignored.',
    requests: {
      'authorize, request x': 'sign in | redirect request_not_supported',
      'par, request x': '201 | 400 request_not_supported',
      'authorize, registration {}': 'sign in | redirect registration_not_supported',
    },
  },
  {
    reason:
      'The address of the consent form, which is invalid without a decision. oidc-provider accepts POST only when it is configured to.',
    requests: { 'authorize, method POST': '400 invalid_request | 404' },
  },
  {
    reason:
      'A request_uri that cannot be used is 400 invalid_request with one text for all causes, and never redirects.',
    requests: {
      'authorize, request_uri https://client.example/request':
        '400 invalid_request | redirect request_uri_not_supported',
      'par, request_uri https://client.example/request':
        '400 invalid_request | 400 request_uri_not_supported',
      'par, request_uri urn:ietf:params:oauth:request_uri:x':
        '400 invalid_request | 400 request_uri_not_supported',
      'pushed, client_id unknown': '400 invalid_request | 400 invalid_client',
      'pushed, request_uri repeated': '400 invalid_request | redirect invalid_request',
      'pushed, request_uri unknown': '400 invalid_request | redirect request_uri_not_supported',
      'pushed, another client': '400 invalid_request | redirect invalid_request_object',
    },
  },
  {
    reason: 'oidc-provider supports prompt=select_account only when it is configured to.',
    requests: {
      'authorize, prompt select_account': 'sign in | redirect invalid_request',
      'par, prompt select_account': '201 | 400 invalid_request',
    },
  },
  {
    reason: 'A max_age that a signed integer of 32 bits cannot have is malformed.',
    requests: {
      'authorize, max_age 2147483648': '400 invalid_request | sign in',
      'par, max_age 2147483648': '400 invalid_request | 201',
    },
  },
  {
    reason: 'The parameter id_token_hint is ignored.',
    requests: {
      'authorize, id_token_hint x': 'sign in | redirect invalid_request',
      'par, id_token_hint x': '201 | 400 invalid_request',
    },
  },
  {
    reason: 'This server rejects other response types with invalid_request, also when the request is pushed.',
    requests: {
      'par, response_type unknown': '400 invalid_request | 400 unsupported_response_type',
      'par, response_type token': '400 invalid_request | 400 unsupported_response_type',
    },
  },
  {
    reason: 'A scope that is not configured is an error of the pushed request, with the code of RFC 6749.',
    requests: {
      'par, scope unknown': '400 invalid_scope | 400 invalid_request',
      'par, scope openid unknown': '400 invalid_scope | 201',
    },
  },
  {
    reason: 'The client_id of HTTP Basic is enough. oidc-provider needs it in the form too.',
    requests: {
      'par, Basic': '201 | 400 invalid_request',
    },
  },
  {
    reason: 'Parameters beside request_uri are ignored (RFC 9126 section 4 and RFC 9101 section 5).',
    requests: {
      'pushed, response_type token in the query': 'sign in | redirect invalid_request_object',
    },
  },
];
