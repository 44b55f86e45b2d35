import {
  isMetadataDocumentUrl,
  MetadataDocumentError,
  readMetadataDocument,
} from '../../src/oauth/clients/metadata-document.js';
import t from '../support/tap.js';

const url = 'https://client.example/oauth/client.json';
const valid = { client_id: url, redirect_uris: ['https://client.example/callback'] };

/** The sentence of the error for a document. */
function errorOf(document: unknown): string | undefined {
  try {
    readMetadataDocument(url, document);
    return undefined;
  } catch (error) {
    if (error instanceof MetadataDocumentError) return error.message;
    throw error;
  }
}

t.test(
  'only URLs that the draft permits are client identifiers, in the form that parsers write',
  async (t) => {
    const longPath = `https://client.example/${'a'.repeat(2000 - 'https://client.example/'.length)}`;
    for (const accepted of [
      url,
      'https://client.example/a',
      'https://client.example:8443/client.json',
      'https://client.example:1/client.json',
      'https://client.example:65535/client.json',
      'https://client.example/client?version=2',
      'https://client.example/a/.well-known/..client/%C3%A9',
      'https://client.example//',
      'https://xn--bcher-kva.example/client.json',
      longPath,
    ])
      t.ok(isMetadataDocumentUrl(accepted), accepted);
    for (const rejected of [
      '',
      'app_8f2c',
      'client.example/client.json',
      'http://client.example/client.json',
      'ftp://client.example/client.json',
      'javascript:alert(1)//client.example/a',
      'https:client.example/a',
      'https:/client.example/a',
      'https:///client.example/a',
      'https:\\\\client.example\\a',
      ' https://client.example/a',
      'https://client.example/a ',
      'https://client.example/a\n',
      'https://client.example/a\0',
      'https://client.example/a\tb',
      // No path.
      'https://client.example',
      'https://client.example/',
      'https://client.example?a=/b',
      'https://client.example/?a=/b',
      // Fragment, user name, password.
      `${url}#`,
      `${url}#a`,
      'https://user@client.example/a',
      'https://user:secret@client.example/a',
      'https://@client.example/a',
      // Dot segments.
      'https://client.example/.',
      'https://client.example/./a',
      'https://client.example/a/..',
      'https://client.example/a/../b',
      'https://client.example/%2e/a',
      'https://client.example/a/%2E%2e/b',
      'https://client.example/a/.%2e/b',
      // Other spellings of an accepted URL.
      'HTTPS://client.example/a',
      'https://Client.example/a',
      'https://client.example:443/a',
      'https://client.example:08443/a',
      'https://client.example:/a',
      'https://client.example./a',
      'https://cl%69ent.example/a',
      'https://client.example/a?',
      // Ports that do not exist, or that mean another.
      'https://client.example:0/a',
      'https://client.example:65536/a',
      'https://client.example:99999999/a',
      // Hosts that are not domain names.
      'https://localhost/a',
      'https://intranet/a',
      'https://client..example/a',
      'https://.client.example/a',
      'https://93.184.215.14/a',
      'https://[2606:4700:4700::1111]/a',
      'https://xn--.example/a',
      // Characters that a URI does not have.
      'https://bücher.example/a',
      'https://client.example/bücher',
      'https://client.example/a b',
      'https://client.example/a\\b',
      'https://client.example/"<script>"',
      'https://client.example/{a}',
      'https://client.example/%',
      'https://client.example/%zz',
      'https://client.example/\ud800',
      `${longPath}a`,
      `https://client.example/${'/'.repeat(1_000_000)}`,
    ])
      t.notOk(isMetadataDocumentUrl(rejected), rejected.slice(0, 100));
  },
);

t.test('a document becomes a public client, and unknown members are ignored', async (t) => {
  t.same(
    readMetadataDocument(url, {
      ...valid,
      client_name: 'Planner',
      client_uri: 'https://client.example/about',
      redirect_uris: [
        'https://other.example/callback',
        'http://localhost:3000/',
        'http://localhost/callback',
      ],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      scope: 'reports:read user:read',
      token_endpoint_auth_method: 'none',
      token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'],
      jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }] },
      logo_uri: 'javascript:alert(1)',
      contacts: 5,
      software_statement: null,
    }),
    {
      clientId: url,
      name: 'Planner',
      clientUri: 'https://client.example/about',
      redirectUris: ['https://other.example/callback', 'http://localhost:3000/', 'http://localhost/callback'],
      scopes: ['reports:read', 'user:read'],
    },
  );
});

t.test('without optional members, the name is the host, and the client may request all scopes', async (t) => {
  t.same(readMetadataDocument(url, valid), {
    clientId: url,
    name: 'client.example',
    clientUri: null,
    redirectUris: valid.redirect_uris,
    scopes: null,
  });
  const longHost = `https://${'a'.repeat(60)}.${'b'.repeat(60)}.example/a`;
  t.throws(() => readMetadataDocument(longHost, { ...valid, client_id: longHost }), {
    message: 'client_name is required, because the host of the URL is too long to be the name.',
  });
});

t.test('client_id must be the URL, character by character', async (t) => {
  const expected = 'client_id must be the URL of the document, character by character.';
  for (const clientId of [
    'https://client.example/oauth/client.json/',
    'https://client.example:443/oauth/client.json',
    'https://Client.example/oauth/client.json',
    'https://client.example/oauth/client%2Ejson',
    'https://client.example/oauth/client.json?',
    'https://client.example/oauth/client.json ',
    'https://victim.example/oauth/client.json',
    '',
  ])
    t.equal(errorOf({ ...valid, client_id: clientId }), expected, clientId);
  t.equal(errorOf({ redirect_uris: valid.redirect_uris }), expected);
});

t.test('a document with a secret, or with a method that needs one, is rejected', async (t) => {
  for (const name of ['client_secret', 'client_secret_expires_at'])
    for (const value of ['x', '', 0, null])
      t.equal(
        errorOf({ ...valid, [name]: value }),
        `${name} must be omitted: a document that all can read has no secret.`,
      );
  for (const method of ['client_secret_basic', 'client_secret_post', 'client_secret_jwt']) {
    const secret = `must not be ${method}: a document that all can read has no secret. Use none, with PKCE.`;
    t.equal(
      errorOf({ ...valid, token_endpoint_auth_method: method }),
      `token_endpoint_auth_method ${secret}`,
    );
    t.equal(
      errorOf({ ...valid, token_endpoint_auth_methods_supported: ['none', method] }),
      `token_endpoint_auth_methods_supported ${secret}`,
    );
  }
  t.equal(
    errorOf({ ...valid, token_endpoint_auth_method: 'private_key_jwt' }),
    'With private_key_jwt, exactly one of jwks and jwks_uri is required.',
  );
  for (const method of ['tls_client_auth', 'None', ' none', ''])
    t.equal(
      errorOf({ ...valid, token_endpoint_auth_method: method }),
      'token_endpoint_auth_method must be none or private_key_jwt, or omitted.',
    );
  for (const methods of [[], ['private_key_jwt']])
    t.equal(
      errorOf({ ...valid, token_endpoint_auth_methods_supported: methods }),
      'token_endpoint_auth_methods_supported must contain none.',
    );
  for (const key of [
    { kty: 'EC', d: 'AA' },
    { kty: 'oct', k: 'AA' },
    { kty: 'AKP', priv: 'AA' },
  ])
    t.equal(
      errorOf({ ...valid, jwks: { keys: [{ kty: 'EC' }, key] } }),
      'jwks must contain public keys only.',
    );
});

t.test('a document needs the flow of this server for public clients', async (t) => {
  t.equal(errorOf({ ...valid, grant_types: ['authorization_code', 'refresh_token'] }), undefined);
  const device = 'urn:ietf:params:oauth:grant-type:device_code';
  t.equal(errorOf({ ...valid, grant_types: ['authorization_code', device] }), undefined, 'for other servers');
  for (const grantTypes of [[], ['refresh_token'], ['Authorization_code']])
    t.equal(errorOf({ ...valid, grant_types: grantTypes }), 'grant_types must contain authorization_code.');
  for (const responseTypes of [[], ['token'], ['code token']])
    t.equal(errorOf({ ...valid, response_types: responseTypes }), 'response_types must contain code.');
  t.equal(errorOf({ ...valid, response_types: ['token', 'code'] }), undefined);
});

t.test('redirect URIs are valid, and those that no request can use are omitted', async (t) => {
  const read = (uris: unknown) => readMetadataDocument(url, { ...valid, redirect_uris: uris }).redirectUris;
  t.same(
    read([
      'http://127.0.0.1/callback',
      'http://[::1]/callback',
      'http://localhost/callback',
      'http://localhost.evil.example/',
      'http://localhost-evil.example/',
      'http://client.example/callback',
      'com.example.app:/callback',
      'javascript:alert(1)',
      'urn:ietf:wg:oauth:2.0:oob',
      'http://localhost/callback',
    ]),
    ['http://localhost/callback'],
  );
  const none = 'redirect_uris must contain a URI that starts with https:// or http://localhost.';
  for (const uris of [[], ['http://127.0.0.1/'], ['javascript:alert(1)'], ['']])
    t.equal(errorOf({ ...valid, redirect_uris: uris }), none);
  t.equal(errorOf({ client_id: url }), 'redirect_uris is required.');
  const good = 'https://client.example/callback';
  for (const [uri, sentence] of [
    [`${good}#a`, 'The redirect URI must not have a fragment: remove “#” and everything after it.'],
    ['https://user@client.example/', 'The redirect URI must not contain a user name or password.'],
    ['http://localhost@evil.example/', 'The redirect URI must not contain a user name or password.'],
    ['https://*.client.example/', 'Wildcards (*) are not supported: register each URI in full.'],
    ['https:', 'This is not a complete address, such as https://app.example.com/callback.'],
    [
      'http://localhost\\@evil.example',
      'Remove spaces, and percent-encode all characters that a URI cannot contain.',
    ],
    [`${good}?${'a'.repeat(2000)}`, 'The redirect URI is longer than 2000 characters.'],
  ] as const)
    t.equal(
      errorOf({ ...valid, redirect_uris: [good, uri] }),
      `redirect_uris[1] is not accepted. ${sentence}`,
    );
  const many = Array.from({ length: 21 }, (_, index) => `${good}/${index}`);
  t.equal(read(many.slice(1)).length, 20);
  t.match(errorOf({ ...valid, redirect_uris: many }), /^redirect_uris must have at most 20 items\.$/);
});

t.test('a name has the rules of application names, and a page the origin of the client', async (t) => {
  const notName =
    'client_name must not contain control or invisible characters, nor begin or end with white space.';
  for (const [name, sentence] of [
    ['', 'client_name must not be blank.'],
    [' ', 'client_name must not be blank.'],
    ['a'.repeat(101), 'client_name must have at most 100 characters.'],
    ['Plan\u202ener', notName],
    ['Planner\n', notName],
    ['Plan\u200bner', notName],
    ['\ud800', 'client_name must be valid Unicode without NUL characters.'],
    ['Planner\udc00', 'client_name must be valid Unicode without NUL characters.'],
    ['Plan\0ner', 'client_name must be valid Unicode without NUL characters.'],
    ['\ue000', 'client_name must have visible characters only.'],
  ] as const)
    t.equal(errorOf({ ...valid, client_name: name }), sentence, JSON.stringify(name).slice(0, 20));
  const origin = 'client_uri must have the scheme, host and port of the client_id.';
  for (const [uri, sentence] of [
    ['https://bank.example/', origin],
    ['https://client.example.evil.example/', origin],
    ['https://client.example:8443/', origin],
    ['http://client.example/', origin],
    ['javascript:alert(1)', origin],
    ['https://bank.example@client.example/', 'client_uri must not contain a user name or a password.'],
    ['/about', 'client_uri must be a URL.'],
    ['https://client.example/\ud800', 'client_uri must be a URL.'],
    ['', 'client_uri must be a URL.'],
  ] as const)
    t.equal(errorOf({ ...valid, client_uri: uri }), sentence, uri);
});

t.test('only scopes of the contract are kept, each once', async (t) => {
  const read = (scope: string) => readMetadataDocument(url, { ...valid, scope }).scopes;
  t.same(read('offline_access  user:read reports:read user:read __proto__ toString'), [
    'user:read',
    'reports:read',
  ]);
  for (const scope of ['', ' ', 'offline_access', 'constructor', 'USER:READ'])
    t.match(
      errorOf({ ...valid, scope }),
      /^scope must be omitted, or contain a scope of this server: .*user:read/,
    );
});

t.test('a member of the wrong type is an error that names it', async (t) => {
  const values = { string: 'x', number: 5, boolean: true, null: null, object: {}, array: [] };
  for (const name of ['client_id', 'client_name', 'client_uri', 'scope', 'token_endpoint_auth_method'])
    for (const [type, value] of Object.entries(values))
      if (type !== 'string')
        t.equal(errorOf({ ...valid, [name]: value }), `${name} must be a string.`, `${name}: ${type}`);
  for (const name of [
    'redirect_uris',
    'grant_types',
    'response_types',
    'token_endpoint_auth_methods_supported',
  ]) {
    for (const [type, value] of Object.entries(values))
      if (type !== 'array')
        t.equal(errorOf({ ...valid, [name]: value }), `${name} must be an array.`, `${name}: ${type}`);
    for (const item of [5, null, {}, ['code']])
      t.equal(errorOf({ ...valid, [name]: ['x', item] }), `${name}[1] must be a string.`);
  }
  for (const jwks of ['x', 5, null, []]) t.equal(errorOf({ ...valid, jwks }), 'jwks must be an object.');
  for (const keys of [undefined, 'x', {}, null])
    t.equal(errorOf({ ...valid, jwks: { keys } }), 'jwks.keys must be an array.');
  for (const document of [null, [], [valid], 'x', 5, true])
    t.equal(errorOf(document), 'The document must be a JSON object.');
});

t.test('inherited members do not count', async (t) => {
  t.match(errorOf(JSON.parse(`{"__proto__":${JSON.stringify(valid)}}`)), /^client_id/);
  t.match(errorOf(Object.create(valid)), /^client_id/);
  const document = JSON.parse(JSON.stringify(valid).replace('{', '{"__proto__":{"client_name":"Other"},'));
  t.equal(readMetadataDocument(url, document).name, 'client.example');
});
