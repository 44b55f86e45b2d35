import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LightMyRequestResponse } from 'fastify';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { UserAdministration } from '../../src/features/users/user-administration.js';
import { claimNotices } from '../../src/oauth/logout/logout-notices.js';
import { LogoutWorker, type LogoutWorkerOptions } from '../../src/oauth/logout/logout-worker.js';
import { endSessions } from '../../src/platform/accounts/end-sessions.js';
import { Prisma } from '../../src/platform/database/client.js';
import { Housekeeping } from '../../src/process/housekeeping.js';
import type { Browser } from '../support/browser/browser.js';
import {
  applicationsPath,
  createThroughPage,
  expectRedirect,
  formOn,
  isPage,
} from '../support/browser/pages.js';
import { accountPath, newPassword } from '../support/browser/user-pages.js';
import { createPublisher, installedScene } from '../support/oauth/installations.js';
import {
  authorizationRequest,
  createScene,
  createUser,
  type Scene,
  signedInBrowser,
  type TestUser,
} from '../support/oauth/users.js';
import { createApplication, type TestApplication } from '../support/records/tenant.js';
import { setUpApp } from '../support/second-factor/steps.js';
import { buildTestApp } from '../support/server/app.js';
import { createTestSecurityEmails } from '../support/server/test-security-emails.js';
import t, { type Test } from '../support/tap.js';
import { listenOnLoopback } from '../support/webhooks/loopback.js';

const api = await buildTestApp(t);
const { database, clock } = api;
const { prisma } = database;
const { baseUrl } = api.config;
const scopes = ['openid', 'user:read'];
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

interface Received {
  readonly path: string;
  readonly contentType: string | undefined;
  readonly form: URLSearchParams;
}

/** A server of an application, on this machine. `answer` can be replaced. */
async function startReceiver(t: Test) {
  const receiver = {
    url: '',
    received: [] as Received[],
    answer: (response: ServerResponse): unknown => response.writeHead(200).end(),
    tokens: () => receiver.received.map(({ form }) => form.get('logout_token') ?? ''),
    sids: () => receiver.tokens().map((token) => decodeJwt(token).sid),
  };
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      receiver.received.push({ path, contentType: headers['content-type'], form });
      receiver.answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  receiver.url = `http://localhost:${(server.address() as AddressInfo).port}/logout`;
  return receiver;
}

/** A worker of a process. `run` makes all attempts that are due. */
function createWorker(t: Test, options: Partial<LogoutWorkerOptions> = {}) {
  const warnings: string[] = [];
  const worker = new LogoutWorker({
    ...{ database, clock, signingKeys: api.signingKeys, config: { baseUrl, production: false } },
    logger: { info: () => {}, warn: (_, message) => warnings.push(message) },
    ...options,
  });
  t.teardown(() => worker.stop());
  // Workers serve all accounts: what is left of a test must not reach the next one.
  t.teardown(() => prisma.logoutNotice.deleteMany());
  const run = async () => {
    await worker.poll();
    await worker.idle();
  };
  return { worker, run, warnings };
}

const setUri = ({ id }: Pick<TestApplication, 'id'>, backchannelLogoutUri: string | null) =>
  prisma.application.updateMany({ where: { id }, data: { backchannelLogoutUri } });

/** An account with an application that is notified, and a user. */
async function told(uri: string): Promise<Scene> {
  const scene = await createScene(database, { scopes });
  await setUri(scene.application, uri);
  return scene;
}

/** Signs the user of a browser in at an application, and returns the `sid` of the ID token. */
async function signIn(browser: Browser, scene: Pick<Scene, 'application' | 'redirectUri'>): Promise<unknown> {
  const { url, verifier } = authorizationRequest(scene, { scope: 'openid' });
  const response = await browser.submitForm(await browser.open(url), url, { decision: 'allow' });
  const tokens = await api.postForm('/v1/oauth/token', {
    grant_type: 'authorization_code',
    client_id: scene.application.clientId,
    redirect_uri: scene.redirectUri,
    code: new URL(String(response.headers.location)).searchParams.get('code') ?? '',
    code_verifier: verifier,
  });
  return decodeJwt(tokens.json().id_token).sid;
}

const signOut = async (browser: Browser) =>
  browser.submitForm(await browser.open('/people'), '/sign_out', {});

const notices = ({ accountId }: Pick<Scene, 'accountId'>) =>
  prisma.logoutNotice.count({ where: { accountId } });

const userAction = async (browser: Browser, { id }: TestUser, action: string) =>
  browser.submitForm(await browser.open('/people'), `/people/settings/users/${id}/${action}`, {});

t.test('each way to end a session sends one logout token, which the published keys verify', async (t) => {
  const ways: Record<string, (browser: Browser, scene: Scene) => Promise<unknown>> = {
    'the user signs out': (browser) => signOut(browser),
    'an owner ends the sessions': async (_, { accountId, user }) =>
      userAction(await signedInBrowser(api, await createUser(database, accountId)), user, 'sessions'),
    'an owner disables the user': async (_, { accountId, user }) =>
      userAction(await signedInBrowser(api, await createUser(database, accountId)), user, 'disable'),
    'the user changes the password elsewhere': async (_, { user }) => {
      const other = await signedInBrowser(api, user);
      const path = `${accountPath}/password`;
      const passwords = { current_password: user.password, new_password: newPassword };
      return other.submitForm(await other.open(path), path, passwords);
    },
    'an owner requires a second factor': async (_, { accountId }) => {
      const owner = await signedInBrowser(api, await createUser(database, accountId));
      const path = '/people/settings/security';
      return owner.submitForm(await owner.open(path), path, { second_factor: 'all' });
    },
    'an owner removes the link with the identity provider': async (_, { accountId, user }) => {
      const { id: userId } = user;
      const issuer = 'https://login.example';
      await prisma.identityProvider.create({
        data: { accountId, issuer, clientId: 'people', sealedSecret: 'sealed' },
      });
      await prisma.userIdentity.create({ data: { accountId, userId, issuer, subject: 'ada' } });
      await prisma.session.updateMany({ where: { accountId, userId }, data: { singleSignOn: true } });
      const users = new UserAdministration(database, createTestSecurityEmails(database, clock));
      await users.unlinkIdentity({ accountId, at: clock() }, userId);
    },
  };
  const keys = createLocalJWKSet((await api.app.inject('/.well-known/jwks.json')).json());
  for (const [way, end] of Object.entries(ways)) {
    const receiver = await startReceiver(t);
    const { run } = createWorker(t);
    const scene = await told(receiver.url);
    const browser = await signedInBrowser(api, scene.user);
    const sid = await signIn(browser, scene);
    // The application does not use these any longer.
    await prisma.grant.updateMany({ where: { userId: scene.user.id }, data: { revokedAt: clock() } });
    await run();
    t.same(receiver.received, [], `${way}: nothing before`);
    await end(browser, scene);
    await run();
    clock.advanceSeconds(86_400);
    await run();
    clock.advanceSeconds(-86_400);
    t.equal(receiver.received.length, 1, way);
    const [{ path, contentType, form } = { path: '', contentType: '', form: new URLSearchParams() }] =
      receiver.received;
    t.match({ path, contentType }, { path: '/logout', contentType: 'application/x-www-form-urlencoded' });
    t.same([...form.keys()], ['logout_token']);
    const { payload, protectedHeader } = await jwtVerify(form.get('logout_token') ?? '', keys, {
      issuer: baseUrl,
      audience: scene.application.clientId,
      algorithms: ['ES256'],
      typ: 'logout+jwt',
      currentDate: clock(),
    });
    const now = Math.floor(clock().getTime() / 1000);
    const { jti, ...claims } = payload;
    t.match(jti, /^[a-z0-9]{25}$/);
    t.same(claims, {
      iss: baseUrl,
      sub: scene.user.id,
      aud: scene.application.clientId,
      iat: now,
      exp: now + 120,
      events: { [logoutEvent]: {} },
      sid,
    });
    t.notOk('nonce' in payload);
    t.ok(protectedHeader.kid);
    t.equal(await notices(scene), 0);
  }
});

t.test('a logout token is neither an access token nor an ID token', async (t) => {
  const receiver = await startReceiver(t);
  const { run } = createWorker(t);
  const scene = await told(receiver.url);
  const browser = await signedInBrowser(api, scene.user);
  await signIn(browser, scene);
  await signOut(browser);
  await run();
  const [token = ''] = receiver.tokens();
  t.equal(decodeProtectedHeader(token).typ, 'logout+jwt');
  for (const url of ['/v1/users/me', '/v1/oauth/userinfo'])
    t.equal((await api.get(url, token)).statusCode, 401);
});

t.test('an application is notified of its own sessions only', async (t) => {
  const receiver = await startReceiver(t);
  const { run } = createWorker(t);
  const scene = await told(receiver.url);
  const { accountId, redirectUri, user } = scene;
  const create = () =>
    createApplication(database, accountId, { clientType: 'public', redirectUris: [redirectUri], scopes });
  const others = [await create(), await create()] as const;
  await setUri(others[0], `${receiver.url}/other`);
  const [first, second] = [await signedInBrowser(api, user), await signedInBrowser(api, user)];
  const sid = await signIn(first, scene);
  await signIn(second, { application: others[0], redirectUri });
  // Without a URI.
  await signIn(first, { application: others[1], redirectUri });
  const colleague = await signedInBrowser(api, await createUser(database, accountId));
  await signIn(colleague, scene);
  await signOut(first);
  t.equal(await notices(scene), 1);
  await run();
  t.same(
    receiver.received.map(({ path }) => path),
    ['/logout'],
  );
  t.same(receiver.sids(), [sid]);
});

t.test('sessions without applications, of earlier versions, and expired ones send nothing', async (t) => {
  const receiver = await startReceiver(t);
  const scene = await told(receiver.url);
  await signOut(await signedInBrowser(api, scene.user));
  const earlier = await signedInBrowser(api, scene.user);
  await prisma.session.updateMany({ where: { userId: scene.user.id }, data: { sid: null } });
  t.equal(await signIn(earlier, scene), undefined);
  await signOut(earlier);
  await signIn(await signedInBrowser(api, scene.user), scene);
  await prisma.session.updateMany({
    where: { userId: scene.user.id },
    data: { expiresAt: new Date(clock().getTime() - 1) },
  });
  await new Housekeeping(database, { eventRetentionDays: 30, historyRetentionDays: 30 }).prune(clock());
  t.equal(await prisma.session.count({ where: { userId: scene.user.id } }), 0);
  t.equal(await notices(scene), 0);
});

t.test('a second factor that gives the session a new id does not end it', async (t) => {
  const receiver = await startReceiver(t);
  const { run } = createWorker(t);
  const scene = await told(receiver.url);
  const { browser } = await setUpApp(api, scene.user);
  const sid = await signIn(browser, scene);
  t.equal(await notices(scene), 0);
  t.equal(await prisma.session.count({ where: { userId: scene.user.id, sid: String(sid) } }), 1);
  await signOut(browser);
  await run();
  t.same(receiver.sids(), [sid]);
});

t.test('a change that is rolled back sends nothing', async (t) => {
  const receiver = await startReceiver(t);
  const scene = await told(receiver.url);
  await signIn(await signedInBrowser(api, scene.user), scene);
  const ofUser = Prisma.sql`user_id = ${scene.user.id}`;
  await t.rejects(
    prisma.$transaction(async (tx) => {
      t.equal(await endSessions(tx, ofUser, clock()), 1);
      throw new Error('undone');
    }),
    { message: 'undone' },
  );
  t.equal(await notices(scene), 0);
  t.equal(await prisma.session.count({ where: { userId: scene.user.id } }), 1);
});

t.test('of two processes one sends a logout token', async (t) => {
  const receiver = await startReceiver(t);
  const workers = [createWorker(t), createWorker(t)];
  const scene = await told(receiver.url);
  for (let count = 0; count < 4; count += 1) await signIn(await signedInBrowser(api, scene.user), scene);
  await prisma.$transaction((tx) => endSessions(tx, Prisma.sql`user_id = ${scene.user.id}`, clock()));
  t.equal(await notices(scene), 4);
  await Promise.all(workers.map(({ run }) => run()));
  t.equal(receiver.received.length, 4);
  t.equal(new Set(receiver.sids()).size, 4);
});

t.test(
  'an attempt is repeated after a minute, ten minutes and an hour, with a new token, and then no more',
  async (t) => {
    const receiver = await startReceiver(t);
    const { run, warnings } = createWorker(t);
    const scene = await told(receiver.url);
    const browser = await signedInBrowser(api, scene.user);
    await signIn(browser, scene);
    receiver.answer = (response) => response.writeHead(503).end();
    await signOut(browser);
    await run();
    for (const [index, seconds] of [60, 600, 3600].entries()) {
      clock.advanceSeconds(seconds - 1);
      await run();
      t.equal(receiver.received.length, index + 1, `not before ${seconds} seconds`);
      t.same(warnings, []);
      clock.advanceSeconds(1);
      await run();
      t.equal(receiver.received.length, index + 2, `after ${seconds} seconds`);
    }
    t.same(warnings, ['a back-channel logout failed and will not be retried']);
    t.equal(await notices(scene), 0);
    clock.advanceSeconds(86_400);
    await run();
    t.equal(receiver.received.length, 4);
    const claims = receiver.tokens().map((token) => decodeJwt(token));
    t.equal(new Set(claims.map(({ jti }) => jti)).size, 4);
    t.same(
      claims.map(({ iat = 0 }) => iat - (claims[0]?.iat ?? 0)),
      [0, 60, 660, 4260],
    );
  },
);

t.test(
  'an attempt whose process has stopped is repeated, and the first that is accepted is the last',
  async (t) => {
    const receiver = await startReceiver(t);
    const { run } = createWorker(t);
    const scene = await told(receiver.url);
    const browser = await signedInBrowser(api, scene.user);
    await signIn(browser, scene);
    await signOut(browser);
    const claimed = await claimNotices(database, {
      now: clock(),
      maximum: 10,
      maximumOfAccount: 10,
      running: new Map(),
    });
    t.match(claimed, [{ accountId: scene.accountId, attempts: 1 }]);
    await run();
    t.equal(receiver.received.length, 0, 'it is claimed');
    clock.advanceSeconds(60);
    receiver.answer = (response) => response.destroy();
    await run();
    clock.advanceSeconds(540);
    receiver.answer = (response) => response.writeHead(204).end();
    clock.advanceSeconds(60);
    await run();
    clock.advanceSeconds(86_400);
    await run();
    t.equal(receiver.received.length, 2);
    t.equal(await notices(scene), 0);
  },
);

t.test('the URI at the time of the attempt counts, and nothing is sent without one', async (t) => {
  const receiver = await startReceiver(t);
  const { run } = createWorker(t);
  const scene = await told(receiver.url);
  for (const uri of [`${receiver.url}/new`, null]) {
    const browser = await signedInBrowser(api, scene.user);
    await setUri(scene.application, receiver.url);
    await signIn(browser, scene);
    await signOut(browser);
    await setUri(scene.application, uri);
    await run();
    t.equal(await notices(scene), 0);
  }
  t.same(
    receiver.received.map(({ path }) => path),
    ['/logout/new'],
  );
});

t.test('the body of a response is not read', async (t) => {
  const receiver = await startReceiver(t);
  const { run, warnings } = createWorker(t);
  const scene = await told(receiver.url);
  const browser = await signedInBrowser(api, scene.user);
  await signIn(browser, scene);
  await signOut(browser);
  const closed = new Promise<void>((resolve) => {
    receiver.answer = (response) => response.on('close', resolve).writeHead(200).write('never ends');
  });
  await run();
  await closed;
  t.equal(await notices(scene), 0);
  t.same(warnings, []);
});

t.test('a redirect is not followed, and is no success', async (t) => {
  const receiver = await startReceiver(t);
  const { run } = createWorker(t);
  const scene = await told(receiver.url);
  const browser = await signedInBrowser(api, scene.user);
  await signIn(browser, scene);
  await signOut(browser);
  receiver.answer = (response) => response.writeHead(307, { location: `${receiver.url}/elsewhere` }).end();
  await run();
  t.equal(receiver.received.length, 1);
  t.equal(await notices(scene), 1);
});

t.test('nothing is sent to a private address, and to http://localhost only outside production', async (t) => {
  const listener = await listenOnLoopback(t);
  const { run } = createWorker(t, { config: { baseUrl, production: true } });
  const hosts = [
    'https://127.0.0.1',
    'https://[::1]',
    'https://localhost',
    'http://127.0.0.1',
    'http://localhost',
  ];
  for (const host of hosts) {
    const scene = await told(`${host}:${listener.port}/`);
    const browser = await signedInBrowser(api, scene.user);
    await signIn(browser, scene);
    await signOut(browser);
    await run();
    t.match(
      await prisma.logoutNotice.findFirst({ where: { accountId: scene.accountId } }),
      { attempts: 1 },
      host,
    );
  }
  t.equal(listener.connections, 0);
});

t.test(
  'a receiver that does not respond delays neither other accounts nor, up to the limit, its own',
  async (t) => {
    const [slow, fast] = [await startReceiver(t), await startReceiver(t)];
    const { worker } = createWorker(t, { maximumOfAccount: 2 });
    const held: ServerResponse[] = [];
    slow.answer = (response) => held.push(response);
    const [first, second] = [await told(slow.url), await told(fast.url)];
    const endAll = async (scene: Scene, count: number) => {
      for (let index = 0; index < count; index += 1)
        await signIn(await signedInBrowser(api, scene.user), scene);
      await prisma.$transaction((tx) => endSessions(tx, Prisma.sql`user_id = ${scene.user.id}`, clock()));
    };
    await endAll(first, 3);
    clock.advanceSeconds(1);
    await endAll(second, 3);
    const all = new Promise<void>((resolve) => {
      fast.answer = (response) => {
        response.writeHead(200).end();
        if (fast.received.length === 3) resolve();
      };
    });
    const slowOnes = new Promise<void>((resolve) => {
      slow.answer = (response) => {
        if (held.push(response) === 2) resolve();
      };
    });
    await worker.poll();
    await Promise.all([all, slowOnes]);
    t.equal(slow.received.length, 2, 'the third waits for the limit of the account');
    slow.answer = (response) => response.writeHead(200).end();
    for (const response of held) response.writeHead(200).end();
    await worker.idle();
    t.equal(slow.received.length, 3, 'and is sent when another one has ended');
  },
);

t.test('an application of another account is notified at the URI of its publisher', async (t) => {
  const receiver = await startReceiver(t);
  const { run } = createWorker(t);
  const publisher = await createPublisher(database, { scopes });
  await setUri(publisher.application, receiver.url);
  const installed = await installedScene(api, publisher);
  const browser = await signedInBrowser(api, installed.user);
  const sid = await signIn(browser, installed);
  await signOut(browser);
  await run();
  const [token = ''] = receiver.tokens();
  t.match(decodeJwt(token), { aud: publisher.application.clientId, sub: installed.user.id, sid });
  t.equal(await notices(installed), 0);
});

t.test('notices are deleted with their application', async (t) => {
  const scene = await told('https://client.example/logout');
  const browser = await signedInBrowser(api, scene.user);
  await signIn(browser, scene);
  await signOut(browser);
  t.equal(await notices(scene), 1);
  await prisma.application.delete({
    where: { accountId_id: { accountId: scene.accountId, id: scene.application.id } },
  });
  t.equal(await notices(scene), 0);
});

t.test('the URI is a setting, whose address must be public', async (t) => {
  const scene = await createScene(database, { scopes });
  const { id } = scene.application;
  const edit = `${applicationsPath}/${id}/edit`;
  const browser = await signedInBrowser(api, scene.user);
  const shown = await browser.open(edit);
  const submit = async (uri: string, more: string[][] = [], page?: LightMyRequestResponse) => {
    const fields = formOn(page ?? (await browser.open(edit)), { redirect_uris: [scene.redirectUri] });
    return browser.submit(edit, [...fields, ['backchannel_logout_uri', uri], ...more]);
  };
  const stored = async () =>
    (await prisma.application.findFirstOrThrow({ where: { id } })).backchannelLogoutUri;
  for (const uri of [
    'client.example',
    'http://client.example/',
    'https://user@client.example/',
    'https://client.example/#a',
    'https://client.example:22/',
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://localhost/',
    'http://localhost:8080/',
    `https://client.example/${'a'.repeat(2048)}`,
  ])
    isPage(t, await submit(uri, [], shown), 400, uri);
  t.equal(await stored(), null);

  const uri = 'https://client.example/logout';
  expectRedirect(t, await submit(uri), /application_updated/);
  t.equal(await stored(), uri);
  t.match((await browser.open(edit)).body, `value="${uri}"`);
  t.match((await browser.open(`${applicationsPath}/${id}/credentials`)).body, uri);
  expectRedirect(t, await submit(' '), /application_updated/);
  t.equal(await stored(), null);
  expectRedirect(
    t,
    await submit('http://localhost:8080/', [['in_development', 'yes']]),
    /application_updated/,
  );
  const where = { accountId: scene.accountId, type: 'application.updated' };
  const [first, second] = await prisma.auditEvent.findMany({
    where,
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  t.match(
    [first, second].map((event) => event?.details),
    [{ backchannel_logout_uri: /./ }, { backchannel_logout_uri: /./ }],
  );

  const created = await createThroughPage(browser, {}, [['backchannel_logout_uri', uri]]);
  isPage(t, created);
  const application = await prisma.application.findFirst({
    where: { accountId: scene.accountId, backchannelLogoutUri: uri },
  });
  t.ok(application);
});

t.test('the metadata says that it is supported', async (t) => {
  for (const name of ['openid-configuration', 'oauth-authorization-server'])
    t.match((await api.app.inject(`/.well-known/${name}`)).json(), {
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
});
