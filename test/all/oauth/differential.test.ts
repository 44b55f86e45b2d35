import { createScene } from '../../support/oauth/users.js';
import { createApplication } from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';
import { createTestClock } from '../../support/server/clock.js';
import { freePort } from '../../support/server/free-port.js';
import t from '../../support/tap.js';
import { differences } from './differential/differences.js';
import { requests } from './differential/requests.js';
import { send } from './differential/send.js';
import { compareOwn, redirectUri, startOidcProvider } from './differential/servers.js';

// The same requests to this server and to oidc-provider, which is certified. Every difference of status or error has a reason.

const port = await freePort();
const api = await buildTestApp(t, {
  environment: { BASE_URL: `http://127.0.0.1:${port}`, RATE_LIMIT_FAILURES: '0' },
  clock: createTestClock(new Date()),
});
await api.app.listen({ host: '127.0.0.1', port });
const scene = await createScene(api.database, {
  clientType: 'confidential',
  redirectUri,
  scopes: ['openid', 'profile', 'reports:read'],
});
const options = { redirectUris: [redirectUri], scopes: ['openid', 'profile', 'reports:read'] };
const clients = {
  post: scene.application,
  basic: await createApplication(api.database, scene.accountId, options),
  public: await createApplication(api.database, scene.accountId, { ...options, clientType: 'public' }),
};
const values = {
  id: clients.post.clientId,
  secret: clients.post.clientSecret,
  basic: clients.basic.clientId,
  basicSecret: clients.basic.clientSecret,
  public: clients.public.clientId,
};
const own = compareOwn(api, scene);
const reference = await startOidcProvider(t, clients);

t.test('the responses differ from those of oidc-provider only where a reason is listed', async (t) => {
  const found: Record<string, string> = {};
  for (const [name, request] of requests) {
    const [ours, theirs] = [await send(own, values, request), await send(reference, values, request)];
    if (ours !== theirs) found[name] = `${ours} | ${theirs}`;
  }
  const listed = Object.fromEntries(differences.flatMap(({ requests }) => Object.entries(requests)));
  t.ok(requests.size >= 300, `${requests.size} requests`);
  t.same(found, listed);
});
