import { hashSecret } from '../../src/platform/crypto/keyring.js';
import { randomId } from '../../src/platform/database/ids.js';
import {
  address,
  basic,
  formOf,
  grantOnly,
  newApplication,
  refused,
} from '../support/oauth/token-requests.js';
import { createApplication, createTenant } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

// Otherwise the failure limit of the address would reject the requests.
const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });

t.test('issues a token to a client that sends its secret by HTTP Basic', async (t) => {
  const application = await newApplication(api);
  const { clientId, clientSecret } = application;
  const encoded = (text: string) => [...text].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
  const headers = [
    basic(clientId, clientSecret),
    basic(encoded(clientId), encoded(clientSecret)),
    { authorization: basic(clientId, clientSecret).authorization?.replace('Basic', 'basic') ?? '' },
    { authorization: basic(clientId, clientSecret).authorization?.replace('Basic ', 'BASIC   ') ?? '' },
  ];
  for (const header of headers) {
    const response = await api.postForm(address, grantOnly, header);
    t.equal(response.statusCode, 200, JSON.stringify(header));
  }
  const both = await api.postForm(
    address,
    { ...grantOnly, client_id: clientId },
    basic(clientId, clientSecret),
  );
  t.equal(both.statusCode, 200, 'the same client_id may be in the form');
  const empty = await api.postForm(
    address,
    { ...grantOnly, client_id: '', client_secret: '' },
    basic(clientId, clientSecret),
  );
  t.equal(empty.statusCode, 200, 'empty members of the form count as missing');
});

t.test('an unknown client and a wrong secret get the same response', async (t) => {
  const application = await newApplication(api);
  const secret = application.clientSecret;
  const attempts: Record<string, string>[] = [
    { ...formOf(application), client_secret: randomId(52) },
    { ...formOf(application), client_secret: secret.slice(0, -1) },
    { ...formOf(application), client_secret: `${secret}x` },
    { ...formOf(application), client_secret: secret.toUpperCase() },
    { ...formOf(application), client_secret: ` ${secret}` },
    { ...formOf(application), client_secret: hashSecret(secret).toString('hex') },
    { ...formOf(application), client_id: randomId() },
    { ...formOf(application), client_id: application.clientId.toUpperCase() },
    { ...formOf(application), client_id: `${application.clientId} ` },
    { ...formOf(application), client_id: application.id },
    { ...formOf(application), client_id: "' OR true --" },
    { ...formOf(application), client_id: 'a\u0000b' },
    { ...formOf(application), client_id: '😀' },
    { ...formOf(application), client_id: '%' },
    { ...formOf(application), client_id: randomId(), client_secret: randomId(52) },
  ];
  const seen = new Set<string>();
  for (const form of attempts) {
    const response = await api.postForm(address, form);
    if (form.client_id?.includes('\u0000') && response.statusCode === 400) continue;
    refused(t, response, 'invalid_client', { label: JSON.stringify(form) });
    const { request_id: _, ...rest } = response.json();
    seen.add(JSON.stringify(rest));
  }
  t.equal(seen.size, 1, 'there is one response');

  const viaBasic = new Set<string>();
  for (const [id, password] of [
    [application.clientId, randomId(52)],
    [randomId(), secret],
    ['', secret],
    ['😀', secret],
    [encodeURIComponent('a\u0000b'), secret],
  ] as const) {
    const response = await api.postForm(address, grantOnly, basic(id, password));
    refused(t, response, 'invalid_client', { challenge: true, label: id });
    const { request_id: _, ...rest } = response.json();
    viaBasic.add(JSON.stringify(rest));
  }
  t.equal(viaBasic.size, 1);
});

t.test('rejects the secret of another application', async (t) => {
  const [first, second] = [await newApplication(api), await newApplication(api)];
  refused(
    t,
    await api.postForm(address, { ...formOf(first), client_secret: second.clientSecret }),
    'invalid_client',
  );
});

t.test('accepts both secrets of an application during a rotation, and rejects a deleted one', async (t) => {
  const { accountId } = await createTenant(api.database);
  const application = await createApplication(api.database, accountId);
  const newSecret = randomId(52);
  await api.database.prisma.applicationSecret.create({
    data: { id: randomId(), accountId, applicationId: application.id, secretHash: hashSecret(newSecret) },
  });
  for (const client_secret of [application.clientSecret, newSecret]) {
    t.equal((await api.postForm(address, { ...formOf(application), client_secret })).statusCode, 200);
  }
  await api.database.prisma.applicationSecret.deleteMany({
    where: { applicationId: application.id, secretHash: hashSecret(application.clientSecret) },
  });
  refused(t, await api.postForm(address, formOf(application)), 'invalid_client');
  t.equal(
    (await api.postForm(address, { ...formOf(application), client_secret: newSecret })).statusCode,
    200,
  );
  await api.database.prisma.application.deleteMany({ where: { id: application.id } });
  refused(
    t,
    await api.postForm(address, { ...formOf(application), client_secret: newSecret }),
    'invalid_client',
  );
});

t.test('rejects a secret that is sent in two ways, or two clients', async (t) => {
  const application = await newApplication(api);
  const other = await newApplication(api);
  const { clientId, clientSecret } = application;
  const header = basic(clientId, clientSecret);
  refused(t, await api.postForm(address, formOf(application), header), 'invalid_request', {
    parameter: 'client_secret',
  });
  refused(
    t,
    await api.postForm(address, { ...grantOnly, client_secret: 'other' }, header),
    'invalid_request',
    {
      parameter: 'client_secret',
    },
  );
  refused(
    t,
    await api.postForm(address, { ...grantOnly, client_id: other.clientId }, header),
    'invalid_request',
    {
      parameter: 'client_id',
    },
  );
});

t.test('rejects malformed HTTP Basic with a challenge', async (t) => {
  const { clientId, clientSecret } = await newApplication(api);
  const encode = (text: string | Buffer) => Buffer.from(text).toString('base64');
  const values = [
    ...[
      '!!!',
      '====',
      encode(clientId),
      encode(`${clientId}%:${clientSecret}`),
      encode(`${clientId}:%zz`),
      encode(':'),
    ],
    ...[encode(Buffer.from([0xff, 0xfe, 0x3a, 0xff])), encode(`:${clientSecret}`), encode(`${clientId}:%ff`)],
    ...[`${clientId}:${clientSecret}`, encode(`${clientId}\u0000:${clientSecret}`)],
  ];
  for (const value of values) {
    const response = await api.postForm(address, grantOnly, { authorization: `Basic ${value}` });
    refused(t, response, 'invalid_client', { challenge: true, label: value });
  }
});

t.test('rejects an empty Basic header with a challenge', async (t) => {
  for (const authorization of ['Basic', 'basic', 'Basic ']) {
    refused(t, await api.postForm(address, grantOnly, { authorization }), 'invalid_client', {
      challenge: true,
    });
  }
});

t.test('decodes a form-encoded secret in HTTP Basic', async (t) => {
  const { accountId } = await createTenant(api.database);
  const application = await createApplication(api.database, accountId);
  const secret = 'a+b c%20d:é&=😀';
  await api.database.prisma.applicationSecret.create({
    data: { id: randomId(), accountId, applicationId: application.id, secretHash: hashSecret(secret) },
  });
  const formEncoded = new URLSearchParams({ secret }).toString().slice('secret='.length);
  for (const encoded of [formEncoded, encodeURIComponent(secret)]) {
    const response = await api.postForm(address, grantOnly, basic(application.clientId, encoded));
    t.equal(response.statusCode, 200, encoded);
  }
  refused(t, await api.postForm(address, grantOnly, basic(application.clientId, 'a+b')), 'invalid_client', {
    challenge: true,
  });
});

t.test('rejects a bearer token as client authentication', async (t) => {
  const application = await newApplication(api);
  const header = { authorization: `Bearer ${await api.token(application)}` };
  refused(t, await api.postForm(address, grantOnly, header), 'invalid_request', { parameter: 'client_id' });
});

t.test('rejects client credentials to a public client', async (t) => {
  const { accountId } = await createTenant(api.database);
  const { clientId } = await createApplication(api.database, accountId, { clientType: 'public' });
  refused(t, await api.postForm(address, { ...grantOnly, client_id: clientId }), 'unauthorized_client');
  // A secret that is sent is always checked, and a public client has none.
  const withSecret = await api.postForm(address, {
    ...grantOnly,
    client_id: clientId,
    client_secret: 'anything',
  });
  refused(t, withSecret, 'invalid_client');
});
