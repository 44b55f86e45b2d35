/**
 * A request that is sent to both servers. The names in braces are values of the server: its clients (`{id}`, `{secret}`, `{basic}`,
 * `{basicSecret}`, `{public}`), and tokens that are issued for the request (`{code}`, `{access}`, `{refresh}`, `{own}`).
 */
export interface SentRequest {
  readonly endpoint: Endpoint;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fields?: readonly Field[];
  /** Text of the body instead of a form. */
  readonly body?: string;
}

export type Endpoint = 'authorize' | 'token' | 'introspect' | 'revoke' | 'userinfo';
type Field = readonly [name: string, value: string];

const form = 'application/x-www-form-urlencoded';
const requests = new Map<string, SentRequest>();

function add(name: string, request: SentRequest): void {
  if (requests.has(name)) throw new Error(`There are two requests ${name}`);
  requests.set(name, request);
}

/** A request with each field missing, empty, repeated and with another value. */
function vary(name: string, request: SentRequest & { readonly fields: readonly Field[] }): void {
  add(name, request);
  for (const [changed] of request.fields) {
    const others = request.fields.filter(([field]) => field !== changed);
    const same = request.fields.filter(([field]) => field === changed);
    add(`${name}, ${changed} missing`, { ...request, fields: others });
    add(`${name}, ${changed} empty`, { ...request, fields: [...others, [changed, '']] });
    add(`${name}, ${changed} repeated`, { ...request, fields: [...request.fields, ...same] });
    add(`${name}, ${changed} unknown`, { ...request, fields: [...others, [changed, 'unknown']] });
  }
}

/** A request with other methods, content types and ways to authenticate. */
function varyTransport(name: string, { endpoint, fields = [] }: SentRequest): void {
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'])
    add(`${name}, method ${method}`, { endpoint, method, fields });
  const json = JSON.stringify(Object.fromEntries(fields));
  const text = new URLSearchParams(fields.map(([field, value]) => [field, value])).toString();
  for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x'])
    add(`${name}, content type ${type}`, {
      endpoint,
      headers: { 'content-type': type },
      body: type === 'application/json' ? json : text,
    });
  for (const type of [`${form}; charset=utf-8`, form.toUpperCase()])
    add(`${name}, content type ${type}`, { endpoint, headers: { 'content-type': type }, fields });
  const others = fields.filter(([field]) => field !== 'client_id' && field !== 'client_secret');
  const authorizations = {
    Basic: 'Basic {basic}:{basicSecret}',
    'Basic with a wrong secret': 'Basic {basic}:wrong',
    'Basic with an unknown client': 'Basic unknown:wrong',
    'Basic without a colon': 'Basic {basic}',
    'Basic that is empty': 'Basic ',
    'an unknown scheme': 'Unknown x',
    'a bearer token': 'Bearer {own}',
  };
  for (const [label, authorization] of Object.entries(authorizations))
    add(`${name}, ${label}`, { endpoint, headers: { authorization }, fields: others });
  const authorization = authorizations.Basic;
  add(`${name}, Basic and the secret`, { endpoint, headers: { authorization }, fields });
  add(`${name}, Basic and another client_id`, {
    endpoint,
    headers: { authorization },
    fields: [...others, ['client_id', '{id}']],
  });
  add(`${name}, Basic and the same client_id`, {
    endpoint,
    headers: { authorization },
    fields: [...others, ['client_id', '{basic}']],
  });
  add(`${name}, a public client`, { endpoint, fields: [...others, ['client_id', '{public}']] });
  add(`${name}, an assertion that is no JWT`, {
    endpoint,
    fields: [
      ...others,
      ['client_id', '{id}'],
      ['client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'],
      ['client_assertion', 'x'],
    ],
  });
}

const credentials: readonly Field[] = [
  ['client_id', '{id}'],
  ['client_secret', '{secret}'],
];

const ownToken: readonly Field[] = [['grant_type', 'client_credentials'], ...credentials];
vary('client credentials', { endpoint: 'token', fields: [...ownToken, ['scope', 'reports:read']] });
varyTransport('client credentials', { endpoint: 'token', fields: ownToken });
for (const grant of [
  'password',
  'implicit',
  'urn:ietf:params:oauth:grant-type:device_code',
  'CLIENT_CREDENTIALS',
])
  add(`grant type ${grant}`, { endpoint: 'token', fields: [['grant_type', grant], ...credentials] });

vary('code', {
  endpoint: 'token',
  fields: [
    ['grant_type', 'authorization_code'],
    ...credentials,
    ['code', '{code}'],
    ['redirect_uri', 'https://client.example/callback'],
    ['code_verifier', '{verifier}'],
  ],
});
const exchange: readonly Field[] = [
  ['grant_type', 'authorization_code'],
  ['code', '{code}'],
  ['redirect_uri', 'https://client.example/callback'],
];
add('code, another verifier', {
  endpoint: 'token',
  fields: [...exchange, ...credentials, ['code_verifier', 'a'.repeat(43)]],
});
add('code, another client', {
  endpoint: 'token',
  fields: [...exchange, ['client_id', '{public}'], ['code_verifier', '{verifier}']],
});
add('code, an access token as code', {
  endpoint: 'token',
  fields: [
    ['grant_type', 'authorization_code'],
    ['code', '{access}'],
    ['redirect_uri', 'https://client.example/callback'],
    ['code_verifier', 'a'.repeat(43)],
    ...credentials,
  ],
});

vary('refresh', {
  endpoint: 'token',
  fields: [['grant_type', 'refresh_token'], ...credentials, ['refresh_token', '{refresh}']],
});
const refresh: readonly Field[] = [
  ['grant_type', 'refresh_token'],
  ['refresh_token', '{refresh}'],
];
for (const scope of ['openid', 'openid profile', 'profile', ' ', 'openid  profile'])
  add(`refresh, scope "${scope}"`, {
    endpoint: 'token',
    fields: [...refresh, ...credentials, ['scope', scope]],
  });
add('refresh, another client', { endpoint: 'token', fields: [...refresh, ['client_id', '{public}']] });
add('refresh, an access token', {
  endpoint: 'token',
  fields: [['grant_type', 'refresh_token'], ['refresh_token', '{access}'], ...credentials],
});

for (const endpoint of ['introspect', 'revoke'] as const) {
  const fields: readonly Field[] = [['token', '{access}'], ...credentials];
  vary(endpoint, { endpoint, fields: [...fields, ['token_type_hint', 'access_token']] });
  varyTransport(endpoint, { endpoint, fields });
  add(`${endpoint}, a refresh token`, { endpoint, fields: [['token', '{refresh}'], ...credentials] });
  add(`${endpoint}, a code`, { endpoint, fields: [['token', '{code}'], ...credentials] });
}

const bearer = { authorization: 'Bearer {access}' };
for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
  add(`userinfo, method ${method}`, { endpoint: 'userinfo', method, headers: bearer });
for (const [label, authorization] of Object.entries({
  'a malformed token': 'Bearer x',
  'an empty token': 'Bearer ',
  'a refresh token': 'Bearer {refresh}',
  'a token without a user': 'Bearer {own}',
  'the scheme DPoP': 'DPoP {access}',
  'the scheme Basic': 'Basic {basic}:{basicSecret}',
  'the scheme in lower case': 'bearer {access}',
}))
  add(`userinfo, ${label}`, { endpoint: 'userinfo', method: 'GET', headers: { authorization } });
add('userinfo, no token', { endpoint: 'userinfo', method: 'GET' });
add('userinfo, a token in the query', {
  endpoint: 'userinfo',
  method: 'GET',
  fields: [['access_token', '{access}']],
});
add('userinfo, a token in the form', { endpoint: 'userinfo', fields: [['access_token', '{access}']] });

const authorization: readonly Field[] = [
  ['response_type', 'code'],
  ['client_id', '{id}'],
  ['redirect_uri', 'https://client.example/callback'],
  ['scope', 'openid'],
  ['state', 'a state'],
  ['code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
  ['code_challenge_method', 'S256'],
];
vary('authorize', { endpoint: 'authorize', method: 'GET', fields: [...authorization, ['nonce', 'n']] });
for (const method of ['HEAD', 'POST', 'PUT', 'DELETE'])
  add(`authorize, method ${method}`, { endpoint: 'authorize', method, fields: authorization });
for (const [name, value] of [
  ['response_type', 'token'],
  ['response_type', 'code id_token'],
  ['redirect_uri', 'https://client.example/callback/'],
  ['redirect_uri', 'https://client.example/callback?a=1'],
  ['redirect_uri', 'https://client.example/callback#a'],
  ['code_challenge_method', 'plain'],
  ['code_challenge', 'short'],
  ['response_mode', 'query'],
  ['request', 'x'],
  ['request_uri', 'https://client.example/request'],
  ['registration', '{}'],
  ['claims', '{}'],
  ['display', 'page'],
  ['ui_locales', 'de'],
  ['extra', 'x'],
] as const)
  add(`authorize, ${name} ${value}`, {
    endpoint: 'authorize',
    method: 'GET',
    fields: [...authorization.filter(([field]) => field !== name), [name, value]],
  });

export { requests };
