import { Browser, hiddenFields } from '../support/browser/browser.js';
import { pageActions } from '../support/browser/page-actions.js';
import {
  applicationsPath,
  auditLogPath,
  connectedPath,
  createThroughPage,
  expectRedirect,
  formOn,
  isPage,
} from '../support/browser/pages.js';
import { accountPath, invitationsPath, invitePath, usersPath } from '../support/browser/user-pages.js';
import { createScene, createUser, grantTokens, type Scene, signedInBrowser } from '../support/oauth/users.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { app, database } = api;

/** Every page and form of the settings, filled in for an application and one of its secrets. */
const addresses = (id: string, secretId: string) => ({
  administratorPages: [
    applicationsPath,
    `${applicationsPath}/new`,
    ...['', '/credentials', '/usage', '/webhooks', '/requests'].map(
      (tab) => `${applicationsPath}/${id}${tab}`,
    ),
    `${applicationsPath}/${id}/edit`,
    `${applicationsPath}/${id}/secrets`,
    `${applicationsPath}/${id}/secrets/${secretId}/revoke`,
    `${applicationsPath}/${id}/revoke_access`,
    `${applicationsPath}/${id}/delete`,
    auditLogPath,
    usersPath,
    invitePath,
  ],
  administratorForms: [
    applicationsPath,
    `${applicationsPath}/${id}/edit`,
    `${applicationsPath}/${id}/secrets`,
    `${applicationsPath}/${id}/secrets/${secretId}/revoke`,
    `${applicationsPath}/${id}/revoke_access`,
    `${applicationsPath}/${id}/delete`,
    invitationsPath,
  ],
  pages: [
    '/people',
    '/people/settings',
    connectedPath,
    `${connectedPath}/${id}/disconnect`,
    accountPath,
    `${accountPath}/profile`,
    `${accountPath}/email`,
    `${accountPath}/password`,
  ],
  forms: [
    `${connectedPath}/${id}/disconnect`,
    `${accountPath}/profile`,
    `${accountPath}/email`,
    `${accountPath}/password`,
    `${accountPath}/sessions`,
  ],
});

async function confidentialScene(): Promise<Scene & { secretId: string }> {
  const scene = await createScene(database, { clientType: 'confidential' });
  const applicationId = scene.application.id;
  const { id } = await database.prisma.applicationSecret.findFirstOrThrow({ where: { applicationId } });
  return { ...scene, secretId: id };
}

/** All rows of an account that a form can change. */
async function stateOf({ accountId }: Scene): Promise<string> {
  const where = { accountId };
  return JSON.stringify([
    await database.prisma.application.findMany({ where, include: { secrets: true }, orderBy: { id: 'asc' } }),
    await database.prisma.grant.findMany({ where, orderBy: { id: 'asc' } }),
    await database.prisma.auditEvent.count({ where }),
    await database.prisma.user.findMany({ where, orderBy: { id: 'asc' } }),
    await database.prisma.oneTimeLink.count({ where }),
  ]);
}

const goodFields = [
  ['name', 'Changed'],
  ['client_type', 'confidential'],
  ['redirect_uris', 'https://changed.example/'],
  ['scopes', 'user:read'],
];

t.test('redirects a user who is not signed in through the sign-in page and back', async (t) => {
  const { application, secretId } = await confidentialScene();
  const { administratorPages, administratorForms, pages, forms } = addresses(application.id, secretId);
  for (const address of [...administratorPages, ...pages, '/people?q=a%20b&page=2']) {
    const response = await new Browser(app).open(address);
    expectRedirect(t, response, `/sign_in?return_to=${encodeURIComponent(address)}`, address);
    t.equal(response.headers['cache-control'], 'no-store');
  }
  for (const address of [...administratorForms, ...forms]) {
    const response = await new Browser(app).submit(address, goodFields);
    expectRedirect(t, response, `/sign_in?return_to=${encodeURIComponent(address)}`, address);
  }
});

t.test('members see neither the applications of the account nor its audit log', async (t) => {
  const scene = await confidentialScene();
  const member = await createUser(database, scene.accountId, { role: 'member' });
  const browser = await signedInBrowser(api, member);
  const { csrf_token = '' } = hiddenFields((await browser.open('/people')).body);
  const before = await stateOf(scene);
  const { administratorPages, administratorForms } = addresses(scene.application.id, scene.secretId);
  for (const address of administratorPages) {
    const page = await browser.open(address);
    isPage(t, page, 403, address);
    t.match(page.body, /Only owners and administrators/, address);
  }
  for (const address of administratorForms) {
    isPage(t, await browser.submit(address, [['csrf_token', csrf_token], ...goodFields]), 403, address);
  }
  t.equal(await stateOf(scene), before);
  const settings = await browser.open(connectedPath);
  t.notMatch(settings.body, applicationsPath, 'the path to the page is not linked');
  t.notMatch(settings.body, auditLogPath);

  await database.prisma.user.updateMany({ where: { id: member.id }, data: { role: 'admin' } });
  isPage(t, await browser.open(applicationsPath), 200, 'an administrator does');
  isPage(t, await browser.open(auditLogPath));
});

t.test('ids of another account are not found, on every page and in every form', async (t) => {
  const victim = await confidentialScene();
  await grantTokens(api, victim);
  const attacker = await confidentialScene();
  const browser = await signedInBrowser(api, attacker.user);
  const { csrf_token = '' } = hiddenFields((await browser.open('/people')).body);
  const before = await stateOf(victim);
  const withId = (address: string) => address.includes(victim.application.id);
  const all = addresses(victim.application.id, victim.secretId);
  const unknown = await browser.open(`${applicationsPath}/unknownunknown`);
  for (const address of [...all.administratorPages, ...all.pages].filter(withId)) {
    const page = await browser.open(address);
    isPage(t, page, 404, address);
    // The section of the path is current in the navigation.
    const anonymous = (html: string) =>
      html.replace(/request <code>[^<]*/, '').replace(' aria-current="true"', '');
    t.equal(anonymous(page.body), anonymous(unknown.body), `${address} gets the response of an unknown id`);
  }
  for (const address of [...all.administratorForms, ...all.forms].filter(withId)) {
    isPage(t, await browser.submit(address, [['csrf_token', csrf_token], ...goodFields]), 404, address);
  }
  // The application of one account with a secret of the other, and vice versa.
  for (const [id, secretId] of [
    [attacker.application.id, victim.secretId],
    [victim.application.id, attacker.secretId],
  ]) {
    const address = `${applicationsPath}/${id}/secrets/${secretId}/revoke`;
    isPage(t, await browser.open(address), 404);
    isPage(t, await browser.submit(address, { csrf_token }), 404);
  }
  t.equal(await stateOf(victim), before);
  for (const id of ['%00', '..%2f..', 'A', "x'--", 'x'.repeat(5000), '__proto__', '%F0%9F%92%A9']) {
    isPage(t, await browser.open(`${applicationsPath}/${id}`), 404, id);
    isPage(t, await browser.open(`${connectedPath}/${id}/disconnect`), 404, id);
  }
});

t.test('a form of another site changes nothing', async (t) => {
  const scene = await confidentialScene();
  const member = await createUser(database, scene.accountId, { role: 'member' });
  const browser = await signedInBrowser(api, scene.user);
  const other = await signedInBrowser(api, (await createScene(database)).user);
  const theirs = hiddenFields((await other.open('/people')).body).csrf_token ?? '';
  const before = await stateOf(scene);
  const forms = Object.entries(pageActions).filter(([path]) => path.startsWith('/people'));
  for (const [path, [recentPassword]] of forms) {
    // Forms with a file.
    if (recentPassword === 'page') continue;
    const id = path.startsWith(usersPath) ? member.id : scene.application.id;
    const address = path
      .replace(':application_id', scene.application.id)
      .replace(':secret_id', scene.secretId)
      .replace(':id', id)
      .replace(/:[a-z_]+/, 'x');
    isPage(t, await browser.submit(address, [['csrf_token', theirs], ...goodFields]), 403, address);
  }
  // The check is the same for every form.
  for (const token of [[], [['csrf_token', 'guessed']]]) {
    isPage(t, await browser.submit(applicationsPath, [...token, ...goodFields]), 403);
  }
  t.equal(await stateOf(scene), before);
});

t.test('a form sets only the fields of its page', async (t) => {
  const [scene, other] = [await confidentialScene(), await confidentialScene()];
  const browser = await signedInBrowser(api, scene.user);
  const extra = Object.entries({
    id: 'chosenid',
    account_id: other.accountId,
    accountId: other.accountId,
    client_id: 'chosenclientid',
    clientId: 'chosenclientid',
    client_secret: 'chosensecret',
    secret_hash: 'chosen',
    created_by_id: other.user.id,
    createdById: other.user.id,
    created_at: '2000-01-01T00:00:00Z',
    constructor: 'x',
    __proto__x: 'x',
  });
  const before = await stateOf(other);
  await createThroughPage(browser, { name: 'Mine' }, extra);
  const mine = await database.prisma.application.findFirstOrThrow({
    where: { name: 'Mine', accountId: scene.accountId },
  });
  t.not(mine.id, 'chosenid');
  t.not(mine.clientId, 'chosenclientid');
  t.equal(mine.createdById, scene.user.id);
  t.match(mine.createdAt.toISOString(), /^2026/);

  const address = `${applicationsPath}/${mine.id}/edit`;
  const form = formOn(await browser.open(address), { name: 'Still mine', client_type: 'public' });
  expectRedirect(t, await browser.submit(address, [...form, ...extra]), /notice=application_updated$/);
  const after = await database.prisma.application.findFirstOrThrow({ where: { id: mine.id } });
  t.match(after, { name: 'Still mine', clientId: mine.clientId, accountId: scene.accountId });
  t.equal(after.clientType, 'confidential', 'the client type stays');
  t.equal(await stateOf(other), before);
});

t.test('rejects a field that is repeated, too long or not text', async (t) => {
  const scene = await confidentialScene();
  const browser = await signedInBrowser(api, scene.user);
  const page = await browser.open(`${applicationsPath}/new`);
  const before = await stateOf(scene);
  isPage(t, await browser.submit(applicationsPath, [...formOn(page), ['name', 'Another']]), 400);
  isPage(t, await browser.submit(applicationsPath, [...formOn(page), ['client_type', 'public']]), 400);
  isPage(t, await browser.submit(applicationsPath, formOn(page, { name: 'a\u0000b' })), 400);
  isPage(
    t,
    await browser.submit(applicationsPath, formOn(page, { redirect_uris: ['https://a/\u0000'] })),
    400,
  );
  isPage(t, await browser.submit(applicationsPath, formOn(page, { name: 'x'.repeat(70_000) })), 413);
  isPage(t, await browser.submit(applicationsPath, formOn(page, { name: 'x'.repeat(50_000) })), 400);
  isPage(
    t,
    await browser.submit(applicationsPath, formOn(page, { scopes: ['reports:read user:read'] })),
    400,
  );
  const fields = hiddenFields(page.body);
  const json = await app.inject({
    method: 'POST',
    url: applicationsPath,
    headers: {
      accept: 'text/html',
      'content-type': 'application/json',
      cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    },
    payload: { ...fields, name: { set: 'x' }, client_type: ['public'], scopes: [{}], redirect_uris: 7 },
  });
  isPage(t, json, 400);
  t.equal(await stateOf(scene), before);
});

t.test('shows text of other users as text on every page', async (t) => {
  const attack = `"'><img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}`;
  const scene = await createScene(database, {
    clientType: 'confidential',
    name: attack,
    accountName: attack,
  });
  await database.prisma.user.updateMany({
    where: { id: scene.user.id },
    data: { givenName: attack, familyName: attack, email: `${attack.toLowerCase()}${scene.user.id}` },
  });
  await database.prisma.application.updateMany({
    where: { id: scene.application.id },
    data: { createdById: scene.user.id },
  });
  const employee = { firstName: attack, lastName: attack, email: attack, status: attack, department: attack };
  await insertEmployees(database.prisma, scene.accountId, makeEmployees(1, employee));
  const browser = await signedInBrowser(api, scene.user);
  const created = await createThroughPage(browser, {
    name: attack,
    redirect_uris: [attack, `https://a/${attack}`],
  });
  isPage(t, created, 400);
  const updated = await browser.open(`${applicationsPath}/${scene.application.id}/edit`);
  await browser.submit(
    `${applicationsPath}/${scene.application.id}/edit`,
    formOn(updated, { name: `${attack} 2`, scopes: ['user:read'] }),
  );
  await grantTokens(
    api,
    { ...scene, redirectUri: 'https://client.example/callback' },
    { scope: 'user:read' },
  );
  const { id: secretId } = await database.prisma.applicationSecret.findFirstOrThrow({
    where: { applicationId: scene.application.id },
  });
  const { administratorPages, pages } = addresses(scene.application.id, secretId);
  const shown = [created, updated];
  for (const address of [
    ...administratorPages,
    ...pages,
    `/people?q=${encodeURIComponent(attack)}`,
    `/people?notice=${encodeURIComponent(attack)}`,
  ]) {
    shown.push(await browser.open(address));
  }
  const escaped = shown.filter(({ body }) => body.includes('&lt;img src=x'));
  t.ok(escaped.length > 10, `${escaped.length} pages show it`);
  for (const { body } of shown) {
    t.notMatch(body, '<img');
    t.notMatch(body, /<script>/);
    t.notMatch(body, /<[a-z][^>]*\son[a-z]+=/i);
  }
  t.notMatch((await browser.open(`/people?notice=${encodeURIComponent(attack)}`)).body, 'class="notice"');
});

t.test('allows scripts on the page with the secret only, and only the script of that page', async (t) => {
  const { user } = await confidentialScene();
  const browser = await signedInBrowser(api, user);
  const withSecret = await createThroughPage(browser);
  t.match(String(withSecret.headers['content-security-policy']), /; script-src 'self';/);
  const scripts = [...withSecret.body.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
  t.equal(scripts.length, 1);
  const [, source = ''] = /src="([^"]*)"/.exec(scripts[0] ?? '') ?? [];
  const script = await app.inject(source);
  t.equal(script.statusCode, 200);
  t.equal(script.headers['content-type'], 'text/javascript; charset=utf-8');
  t.equal(script.headers['x-content-type-options'], 'nosniff');
  t.match(script.headers['cache-control'], /immutable/);
  for (const address of ['/people/home', applicationsPath, auditLogPath, connectedPath]) {
    const { headers, body } = await browser.open(address);
    t.notMatch(String(headers['content-security-policy']), /script-src/, address);
    t.notMatch(body, /<script/, address);
  }
});

t.test('clients that are not browsers get a problem document', async (t) => {
  const { user } = await createScene(database, { role: 'member' });
  const browser = await signedInBrowser(api, user);
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  for (const [url, status] of [
    [applicationsPath, 403],
    ['/people/nowhere', 404],
  ] as const) {
    const response = await app.inject({ url, headers: { cookie, accept: 'application/json' } });
    t.equal(response.statusCode, status);
    t.match(response.headers['content-type'], 'application/problem+json');
  }
  const head = await app.inject({ method: 'HEAD', url: '/people', headers: { cookie } });
  t.equal(head.statusCode, 200);
  t.equal(head.body, '');
});
