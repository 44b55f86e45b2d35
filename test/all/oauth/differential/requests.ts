/**
 * A request that is sent to both servers. The names in braces are values of the server: its clients (`{id}`, `{secret}`, `{basic}`,
 * `{basicSecret}`, `{public}`), and what is issued for the request (`{code}`, `{access}`, `{refresh}`, `{own}`, and the `{pushed}` request_uri of `{id}`).
 */
export interface SentRequest {
  readonly endpoint: Endpoint;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fields?: readonly Field[];
  /** Text of the body instead of a form. */
  readonly body?: string;
}

export type Endpoint = 'authorize' | 'par' | 'token' | 'introspect' | 'revoke' | 'userinfo';
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

for (const [name, value] of [
  ['prompt', 'login'],
  ['prompt', 'consent'],
  ['prompt', 'select_account'],
  ['prompt', 'login consent'],
  ['prompt', 'none'],
  ['prompt', 'none login'],
  ['prompt', 'create'],
  ['prompt', ''],
  ['max_age', '0'],
  ['max_age', '3600'],
  ['max_age', '-1'],
  ['max_age', '1.5'],
  ['max_age', 'x'],
  ['max_age', '2147483648'],
  ['max_age', ''],
  ['login_hint', 'ada@client.example'],
  ['login_hint', 'x'.repeat(300)],
  ['id_token_hint', 'x'],
] as const) {
  const label = value.length > 50 ? 'long' : value || 'empty';
  add(`authorize, ${name} ${label}`, {
    endpoint: 'authorize',
    method: 'GET',
    fields: [...authorization, [name, value]],
  });
  add(`par, ${name} ${label}`, {
    endpoint: 'par',
    fields: [...authorization, ['client_secret', '{secret}'], [name, value]],
  });
}
for (const name of ['prompt', 'max_age', 'login_hint'])
  for (const endpoint of ['authorize', 'par'] as const)
    add(`${endpoint}, ${name} repeated`, {
      endpoint,
      method: endpoint === 'par' ? 'POST' : 'GET',
      fields: [...authorization, ['client_secret', '{secret}'], [name, '1'], [name, '1']],
    });
add('authorize, prompt none and an unknown redirect_uri', {
  endpoint: 'authorize',
  method: 'GET',
  fields: [
    ...authorization.filter(([field]) => field !== 'redirect_uri'),
    ['redirect_uri', 'https://other.example/'],
    ['prompt', 'none'],
  ],
});

const push: readonly Field[] = [...authorization, ['client_secret', '{secret}']];
vary('par', { endpoint: 'par', fields: [...push, ['nonce', 'n']] });
varyTransport('par', { endpoint: 'par', fields: push });
for (const [name, value] of [
  ['response_type', 'token'],
  ['redirect_uri', 'https://client.example/callback/'],
  ['code_challenge_method', 'plain'],
  ['request', 'x'],
  ['request_uri', 'https://client.example/request'],
  ['request_uri', 'urn:ietf:params:oauth:request_uri:x'],
  ['scope', 'openid unknown'],
  ['extra', 'x'],
] as const)
  add(`par, ${name} ${value}`, {
    endpoint: 'par',
    fields: [...push.filter(([field]) => field !== name), [name, value]],
  });

const opened: readonly Field[] = [
  ['client_id', '{id}'],
  ['request_uri', '{pushed}'],
];
vary('pushed', { endpoint: 'authorize', method: 'GET', fields: opened });
add('pushed, another client', {
  endpoint: 'authorize',
  method: 'GET',
  fields: [
    ['client_id', '{public}'],
    ['request_uri', '{pushed}'],
  ],
});
for (const [name, value] of [
  ['scope', 'unknown'],
  ['redirect_uri', 'https://attacker.example/'],
  ['response_type', 'token'],
  ['prompt', 'none'],
  ['prompt', 'create'],
  ['max_age', 'x'],
  ['state', 'other'],
] as const)
  add(`pushed, ${name} ${value} in the query`, {
    endpoint: 'authorize',
    method: 'GET',
    fields: [...opened, [name, value]],
  });

export { requests };
