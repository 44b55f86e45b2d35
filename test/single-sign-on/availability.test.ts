import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createProviderFetch } from '../../src/features/single-sign-on/provider-fetch.js';
import { Browser } from '../support/browser/browser.js';
import { openTestDatabase } from '../support/database/database.js';
import { buildTestApp } from '../support/server/app.js';
import { captureLog } from '../support/server/captured-log.js';
import { clientSecret } from '../support/single-sign-on/fake-provider.js';
import { createSignOnScene, person, signedInUser, start } from '../support/single-sign-on/scene.js';
import t from '../support/tap.js';
import { until } from '../support/until.js';

const database = await openTestDatabase(t);
const log = captureLog();
const environment = { RATE_LIMIT_FAILURES: '0' };
const api = await buildTestApp(t, { database, logger: log.logger, environment });
const { prisma } = database;
const discovery = '/.well-known/openid-configuration';

t.test('an unavailable identity provider is an error page, and works again later', async (t) => {
  const scene = await createSignOnScene(t, api);
  const where = { accountId: scene.accountId };
  await prisma.identityProvider.updateMany({ where, data: { issuer: 'http://127.0.0.1:9' } });
  const response = await new Browser(api.app).open(`${scene.path}?return_to=/people/settings`);
  t.equal(response.statusCode, 503);
  t.match(response.body, 'The identity provider is not available');
  t.match(response.body, `${scene.path}?return_to=%2Fpeople%2Fsettings`);
  t.equal(await prisma.signInRequest.count({ where }), 0, 'nothing is stored');
  await prisma.identityProvider.updateMany({ where, data: { issuer: scene.idp.issuer } });
  t.ok(await start(api, scene), 'the failure is not cached');
});

t.test('invalid metadata is an error page', async (t) => {
  const { metadata } = (await createSignOnScene(t, api)).idp;
  const cases: Record<string, Record<string, unknown>> = {
    'another issuer': { ...metadata, issuer: 'https://other.example' },
    'a script': { ...metadata, authorization_endpoint: 'javascript:alert(1)' },
    'no authorization endpoint': { ...metadata, authorization_endpoint: undefined },
    'no token endpoint': { ...metadata, token_endpoint: undefined },
    'no keys': { ...metadata, jwks_uri: undefined },
    'no secret': { ...metadata, token_endpoint_auth_methods_supported: ['private_key_jwt'] },
    'no object': [] as never,
  };
  for (const [label, changed] of Object.entries(cases)) {
    const scene = await createSignOnScene(t, api);
    scene.idp.metadata = Array.isArray(changed)
      ? changed
      : { ...changed, ...(label === 'another issuer' ? {} : { issuer: scene.idp.issuer }) };
    const response = await new Browser(api.app).open(scene.path);
    t.equal(response.statusCode, 503, label);
  }
});

t.test('a redirect is not followed', async (t) => {
  const scene = await createSignOnScene(t, api);
  scene.idp.respond(discovery, (_, response) => response.writeHead(302, { location: '/metadata' }).end());
  t.equal((await new Browser(api.app).open(scene.path)).statusCode, 503);
  t.equal(scene.idp.requests.get('/metadata'), undefined);
});

t.test('a response that is too large is not read', async (t) => {
  const scene = await createSignOnScene(t, api);
  let sent = 0;
  scene.idp.respond(discovery, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const chunk = Buffer.alloc(64 * 1024, ' ');
    const write = () => {
      while (!response.destroyed && sent < 200 * 2 ** 20) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', write);
      }
    };
    write();
  });
  t.equal((await new Browser(api.app).open(scene.path)).statusCode, 503);
  t.ok(sent < 20 * 2 ** 20, `${sent} bytes`);
});

t.test('a slow identity provider delays its account for five seconds, and no other account', async (t) => {
  const limits: { milliseconds: number; expire: () => void }[] = [];
  t.intercept(AbortSignal, 'timeout', {
    value: (milliseconds: number) => {
      const controller = new AbortController();
      const expire = () => controller.abort(new DOMException('The time limit expired', 'TimeoutError'));
      limits.push({ milliseconds, expire });
      return controller.signal;
    },
  });
  const slow = await createSignOnScene(t, api);
  const other = await createSignOnScene(t, api);
  slow.idp.respond(discovery, () => {});
  const waiting = Promise.all(Array.from({ length: 40 }, () => new Browser(api.app).open(slow.path)));
  const { browser, ...rest } = await start(api, other);
  await rest.return(person(`grace@${other.domain}`));
  t.equal(await signedInUser(browser), `grace@${other.domain}`);
  // The other account does not wait: no time limit has expired.
  await until(() => slow.idp.requests.get(discovery) === 1);
  for (const { milliseconds, expire } of limits) if (milliseconds === 5_000) expire();
  const responses = await waiting;
  t.same(new Set(responses.map(({ statusCode }) => statusCode)), new Set([503]));
  t.equal(slow.idp.requests.get(discovery), 1, 'they share a request');
});

t.test('a failing token endpoint is an error page, and the user can retry', async (t) => {
  const scene = await createSignOnScene(t, api);
  const json = { 'content-type': 'application/json' };
  const cases: [number, (response: http.ServerResponse) => void][] = [
    [503, (response) => response.destroy()],
    [502, (response) => response.writeHead(500).end('<html>')],
    [502, (response) => response.writeHead(200, json).end('{"a":')],
    [502, (response) => response.writeHead(401, json).end('{"error":"invalid_client"}')],
    [503, (response) => response.writeHead(200, json).end('x'.repeat(300_000))],
  ];
  for (const [status, respond] of cases) {
    scene.idp.respond('/token', (_, response) => respond(response));
    const address = `${scene.path}?return_to=${encodeURIComponent('/people?page=2')}`;
    const started = await start(api, scene, { address });
    const response = await started.return(person(`grace@${scene.domain}`));
    t.equal(response.statusCode, status);
    t.match(response.body, `${scene.path}?return_to=%2Fpeople%3Fpage%3D2`, 'returns to the page afterwards');
  }
  t.notMatch(log.lines.join(''), clientSecret, 'the log has no secret');
});

t.test('a secret that cannot be decrypted is an error page and a logged warning', async (t) => {
  const scene = await createSignOnScene(t, api);
  const sealedSecret =
    'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA';
  const where = { accountId: scene.accountId };
  await prisma.identityProvider.updateMany({ where, data: { sealedSecret } });
  t.equal((await new Browser(api.app).open(scene.path)).statusCode, 503);
  t.match(log.lines.join(''), 'was encrypted with another APP_SECRET');
});

t.test('in production, requests to private addresses are not sent', async (t) => {
  let reached = 0;
  const server = http.createServer((_, response) => {
    reached += 1;
    response.end();
  });
  server.listen(0);
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const options = { method: 'GET', headers: {}, body: undefined, redirect: 'manual' } as const;
  const send = createProviderFetch({ allowPrivate: false });
  const hosts = ['127.0.0.1', '[::1]', 'localhost', '[::ffff:127.0.0.1]', '0.0.0.0', '2130706433', '0x7f.1'];
  for (const host of [...hosts, '10.0.0.1', '169.254.169.254', '[fd00::1]', '[64:ff9b::7f00:1]'])
    await t.rejects(
      send(`http://${host}:${port}/`, options),
      { message: 'The address of the host is not public' },
      host,
    );
  t.equal(reached, 0);
  await createProviderFetch({ allowPrivate: true })(`http://127.0.0.1:${port}/`, options);
  t.equal(reached, 1);
});
