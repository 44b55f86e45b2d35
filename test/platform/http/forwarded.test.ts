import { openTestDatabase } from '../../support/database/database.js';
import { buildTestApp } from '../../support/server/app.js';
import t from '../../support/tap.js';

const database = await openTestDatabase(t);
const { systemEvent } = database.prisma;

const rejectedToken = { grant_type: 'client_credentials', client_id: 'unknown', client_secret: 'wrong' };

/** What proxies send, and the address that is stored. The request comes from 127.0.0.1, a trusted proxy. */
const shapes: readonly (readonly [string, string, string])[] = [
  ['nginx, HAProxy, Envoy', '203.0.113.7', '203.0.113.7'],
  ['two proxies', '203.0.113.7, 10.0.0.1', '203.0.113.7'],
  ['Azure Application Gateway', '203.0.113.7:50123', '203.0.113.7'],
  ['two proxies with ports', '203.0.113.7:50123,10.0.0.1:443', '203.0.113.7'],
  ['AWS with the port of the client', '[2001:db8::7]:50123', '2001:db8::7'],
  ['Cloudflare', '2001:DB8:0:0::7', '2001:db8::7'],
  ['in brackets', '[2001:db8::7]', '2001:db8::7'],
  ['mapped', '::ffff:203.0.113.7', '203.0.113.7'],
  ['sent by the client, and extended', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
  ['a name', 'unknown', '127.0.0.1'],
  ['a name before a proxy', 'unknown, 10.0.0.1', '10.0.0.1'],
  ['text before an address', '<script>, 203.0.113.7', '203.0.113.7'],
  ['a zone', 'fe80::1%eth0', '127.0.0.1'],
  ['another notation', '0xcb007107', '127.0.0.1'],
  ['a part of an address', '203.113', '127.0.0.1'],
  ['an invalid port', '203.0.113.7:port', '127.0.0.1'],
  ['unclosed brackets', '[2001:db8::7', '127.0.0.1'],
  ['empty entries', ' , 203.0.113.7, ,', '203.0.113.7'],
  ['empty', '', '127.0.0.1'],
];

t.test('uses a forwarded address from a trusted proxy only, and no forwarded host', async (t) => {
  for (const [trusted, expected] of [
    ['', '127.0.0.1'],
    ['10.0.0.0/8, 2001:db8::1', '127.0.0.1'],
    ['127.0.0.0/8', '203.0.113.7'],
  ] as const) {
    await systemEvent.deleteMany();
    const api = await buildTestApp(t, { database, environment: { TRUSTED_PROXIES: trusted } });
    const headers = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-host': 'evil.example' };
    await api.postForm('/v1/oauth/token', rejectedToken, { ...headers, 'x-forwarded-proto': 'https' });
    t.equal((await systemEvent.findFirst())?.address, expected);
    const { issuer } = (await api.get('/.well-known/oauth-authorization-server')).json();
    t.equal(issuer, 'http://api.test');
  }
});

t.test('stores only addresses, whatever proxies and clients write into the header', async (t) => {
  const api = await buildTestApp(t, {
    database,
    environment: { TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8', RATE_LIMIT_FAILURES: '0' },
  });
  for (const [label, header, expected] of shapes) {
    await systemEvent.deleteMany();
    await api.postForm('/v1/oauth/token', rejectedToken, { 'x-forwarded-for': header });
    t.equal((await systemEvent.findFirst())?.address, expected, `${label}: ${header}`);
  }
});

t.test('connections of a client with different ports share one limit', async (t) => {
  const environment = { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT_FAILURES: '3' };
  const api = await buildTestApp(t, { database, environment });
  const statusFrom = async (header: string, client = 'one') => {
    const form = { ...rejectedToken, client_id: client };
    return (await api.postForm('/v1/oauth/token', form, { 'x-forwarded-for': header })).statusCode;
  };
  for (const port of [1001, 1002, 1003]) t.equal(await statusFrom(`198.51.100.7:${port}`), 401);
  t.equal(await statusFrom('198.51.100.7:1004'), 429);
  t.equal(await statusFrom('198.51.100.7', 'another'), 429);
  t.equal(await statusFrom('198.51.100.8:1004', 'another'), 401);
});
