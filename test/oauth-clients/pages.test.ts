import { hiddenFields } from '../support/browser/browser.js';
import {
  applicationsPath,
  confirm,
  createThroughPage,
  credentialsOn,
  expectRedirect,
  formOn,
  isPage,
} from '../support/browser/pages.js';
import { query } from '../support/database/query.js';
import {
  createScene,
  expectTokenRejected,
  grantCode,
  grantTokens,
  refresh,
  signedInBrowser,
  testPassword,
  tokenAccepted,
} from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';
import { until } from '../support/until.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database, clock } = api;

async function ownerAtWork(options: Parameters<typeof createScene>[1] = {}) {
  const scene = await createScene(database, options);
  return { scene, browser: await signedInBrowser(api, scene.user) };
}

const credentialsGrant = (clientId: string, clientSecret: string) =>
  api.postForm('/v1/oauth/token', {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  });

const namedApplication = (accountId: string, name: string) =>
  database.prisma.application.findFirstOrThrow({ where: { accountId, name }, include: { secrets: true } });

const countOf = (accountId: string) => database.prisma.application.count({ where: { accountId } });

t.test('creates a confidential application and shows its secret once', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const page = await createThroughPage(browser, { name: 'Bridge' });
  isPage(t, page);
  t.match(String(page.headers['content-security-policy']), /; script-src 'self';/);
  t.notOk('location' in page.headers, 'the secret is in no address');
  const { clientId, clientSecret } = credentialsOn(page);
  t.match(clientId, /^[A-Za-z0-9]{20,}$/);
  t.match(clientSecret, /^[a-z0-9]{50}$/, '36^50 is more than 2^256');

  const stored = await namedApplication(scene.accountId, 'Bridge');
  t.equal(stored.createdById, scene.user.id);
  t.same(stored.scopes, ['reports:read', 'user:read']);
  t.same(stored.redirectUris, ['https://client.example/callback']);
  t.equal(stored.secrets.length, 1);
  const rows = await query<{ row: string }>(
    database,
    'SELECT to_jsonb(s)::text AS row FROM application_secrets s UNION ALL SELECT to_jsonb(a)::text FROM applications a UNION ALL SELECT to_jsonb(e)::text FROM audit_events e UNION ALL SELECT to_jsonb(f)::text FROM submitted_forms f',
  );
  t.notOk(
    rows.some(({ row }) => row.includes(clientSecret)),
    'the database does not contain it',
  );

  const response = await credentialsGrant(clientId, clientSecret);
  t.equal(response.statusCode, 200);
  t.equal(response.json().scope, 'reports:read user:read');
  for (const tab of ['', '/credentials']) {
    const show = await browser.open(`${applicationsPath}/${stored.id}${tab}`);
    isPage(t, show);
    t.notMatch(show.body, clientSecret, 'no page shows it again');
    t.notMatch(String(show.headers['content-security-policy']), /script-src/);
  }
});

t.test('a form that is submitted twice creates one application', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const page = await browser.open(`${applicationsPath}/new`);
  const form = formOn(page, { name: 'Once' });
  const responses = await Promise.all([1, 2, 3, 4].map(() => browser.submit(applicationsPath, form)));
  const shown = responses.filter(({ statusCode }) => statusCode === 200);
  t.equal(shown.length, 1, 'the secret is shown once');
  const { id } = await namedApplication(scene.accountId, 'Once');
  for (const response of responses.filter(({ statusCode }) => statusCode !== 200)) {
    expectRedirect(t, response, `${applicationsPath}/${id}?notice=application_exists`);
  }
  t.equal(
    await database.prisma.application.count({ where: { accountId: scene.accountId, name: 'Once' } }),
    1,
  );
  const reloaded = await browser.submit(applicationsPath, form);
  expectRedirect(t, reloaded, /notice=application_exists$/, 'reloading the page with the secret');
  t.match((await browser.open(String(reloaded.headers.location))).body, /secret is not shown again/);

  await confirm(browser, `${applicationsPath}/${id}/delete`);
  await browser.submit(applicationsPath, form);
  t.equal(
    await database.prisma.application.count({ where: { accountId: scene.accountId, name: 'Once' } }),
    0,
    'not even after it was deleted',
  );
});

t.test('creates a public application without a secret', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const response = await createThroughPage(browser, { name: 'Spa', client_type: 'public' });
  const { id, secrets, clientType } = await namedApplication(scene.accountId, 'Spa');
  expectRedirect(t, response, `${applicationsPath}/${id}?notice=application_created`);
  t.equal(clientType, 'public');
  t.equal(secrets.length, 0);
  const show = await browser.open(String(response.headers.location));
  isPage(t, show);
  t.match(show.body, /Application created/);
  t.notMatch(show.body, '>Webhooks<');
  isPage(t, await browser.open(`${applicationsPath}/${id}/webhooks`), 404);
  const credentials = await browser.open(`${applicationsPath}/${id}/credentials`);
  isPage(t, credentials);
  t.notMatch(credentials.body, /Client secrets/);
  const refused = await browser.submit(`${applicationsPath}/${id}/secrets`, hiddenFields(show.body));
  isPage(t, refused, 409);
  t.match(refused.body, /A public application has no secret/);
});

t.test('accepts secure redirect URIs, and shows the reason for each rejected one', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const before = await countOf(scene.accountId);
  const accepted = [
    'https://a.example',
    'https://a.example/',
    'https://a.example:8443/back?x=1&y=%C3%A9',
    'https://xn--bcher-kva.example/',
    `https://a.example/${'x'.repeat(1982)}`,
  ];
  const ok = await createThroughPage(browser, { name: 'Good addresses', redirect_uris: accepted });
  isPage(t, ok);
  t.same((await namedApplication(scene.accountId, 'Good addresses')).redirectUris, accepted);

  const rejected: [string, RegExp][] = [
    ['http://a.example/', /must start with https/],
    ['http://localhost.evil.example/', /must start with https/],
    ['HTTP://evil.example/', /must start with https/],
    ['javascript:alert(1)', /not a complete address/],
    ['data:text/html,x', /not a complete address/],
    ['com.example.app:/back', /not a complete address/],
    ['myapp://back', /must start with https/],
    ['//a.example/', /not a complete address/],
    ['/callback', /not a complete address/],
    ['https:a.example', /not a complete address/],
    ['https:///a.example', /not a complete address/],
    ['https://', /not a complete address/],
    ['https://a.example/#top', /fragment/],
    ['https://a.example/#', /fragment/],
    ['https://user@a.example/', /user name or password/],
    ['https://a.example:x@evil.example/', /user name or password/],
    ['https://*.a.example/', /Wildcards/],
    ['https://a.example/*', /Wildcards/],
    ['https://a.example/a b', /Remove spaces/],
    [`https://a.example/${'x'.repeat(1983)}`, /longer than 2000 characters/],
  ];
  const form = await browser.open(`${applicationsPath}/new`);
  for (const [uri, words] of rejected) {
    const redirect_uris = ['https://good.example/', uri];
    const page = await createThroughPage(browser, { name: 'Bad address', redirect_uris }, [], form);
    isPage(t, page, 400, uri);
    const [, beside = ''] = /<p id="redirect_uris-error" class="field-error">([^<]*)/.exec(page.body) ?? [];
    t.match(beside, words, uri);
    t.match(beside, /^Line 2: /, uri);
    t.match(page.body, /<a href="#redirect_uris">Line 2: /, uri);
    t.match(
      page.body,
      /id="redirect_uris"[^>]*aria-describedby="redirect_uris-hint redirect_uris-error"/,
      uri,
    );
  }
  for (const uri of ['https://a.example/\\@evil.example', 'https://a.exámple/', 'https://a.example/\u202e']) {
    isPage(t, await createThroughPage(browser, { redirect_uris: [uri] }, [], form), 400, uri);
  }
  const twice = await createThroughPage(browser, {
    redirect_uris: ['https://a.example/', 'https://a.example/'],
  });
  t.match(twice.body, /redirect_uris-error" class="field-error">Line 2: This is the same URI as in line 1/);
  t.equal(await countOf(scene.accountId), before + 1);
});

t.test('an invalid form is shown with its values and a summary of its errors', async (t) => {
  const { browser } = await ownerAtWork();
  const page = await createThroughPage(browser, {
    name: '',
    client_type: 'other',
    redirect_uris: ['ftp://x.example/'],
    scopes: [],
  });
  isPage(t, page, 400);
  t.match(page.body, /<title>Error: New application/);
  t.match(page.body, '<li aria-current="page">New application</li>', 'in the breadcrumbs');
  const [summary = ''] = /<div class="error-summary".*?<\/div>/s.exec(page.body) ?? [];
  t.match(summary, /role="alert"/);
  t.match(summary, /tabindex="-1"/);
  t.same(
    [...summary.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id),
    ['name', 'client_type_confidential', 'redirect_uris', 'scope_reports_read'],
  );
  for (const [, id] of summary.matchAll(/href="#([^"]*)"/g)) t.match(page.body, ` id="${id}"`);
  t.match(page.body, /id="name"[^>]*aria-describedby="name-hint name-error"[^>]*aria-invalid="true"/);
  t.match(page.body, '>ftp://x.example/</textarea>');

  for (const [changes, words] of [
    [{ name: 'x'.repeat(101) }, /The name must have at most 100 characters/],
    [{ name: 'a\u202eb' }, /control or invisible characters/],
    [{ name: 'a\tb' }, /control or invisible characters/],
    [{ name: '\ue000' }, /visible characters only/],
    [{ scopes: ['reports:read', 'admin'] }, /Choose from the scopes in the list/],
    [{ scopes: [] }, /Choose at least one scope\./],
    [{ scopes: ['__proto__'] }, /Choose from the scopes in the list/],
    [{ client_type: 'public', redirect_uris: [] }, /Enter a redirect URI/],
  ] as const) {
    const response = await createThroughPage(browser, changes);
    isPage(t, response, 400, JSON.stringify(changes));
    t.match(response.body, words);
  }
});

t.test('redirect URIs are entered one per line, and all are kept', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const uris = Array.from({ length: 20 }, (_, index) => `https://a.example/${index}`);
  const text = `\r\n ${uris.join(' \r\n\r\n')}\r\n`;
  isPage(t, await createThroughPage(browser, { name: 'Lines', redirect_uris: [text] }));
  const { id } = await namedApplication(scene.accountId, 'Lines');
  const edit = await browser.open(`${applicationsPath}/${id}/edit`);
  t.match(edit.body, `>${uris.join('\n')}</textarea>`);

  const many = Array.from({ length: 25 }, (_, index) => `https://b.example/${index}`);
  const rejected = await createThroughPage(browser, { redirect_uris: [many.join('\n')] });
  isPage(t, rejected, 400);
  t.match(rejected.body, 'Enter at most 20 redirect URIs. These are 25.');
  t.match(rejected.body, `>${many.join('\n')}</textarea>`);
});

t.test('the pages of an application link to each other, and each says which one it is', async (t) => {
  const { scene, browser } = await ownerAtWork({ clientType: 'confidential', name: 'Bridge' });
  const address = `${applicationsPath}/${scene.application.id}`;
  const addresses = ['', '/credentials', '/usage', '/webhooks', '/requests'].map((tab) => address + tab);
  const labels = ['Overview', 'Credentials', 'Usage', 'Webhooks', 'Requests'];
  for (const [index, opened] of addresses.entries()) {
    const page = await browser.open(opened);
    isPage(t, page, 200, opened);
    t.match(page.body, `<title>${index === 0 ? 'Bridge' : `${labels[index]} of Bridge`} · People</title>`);
    t.match(page.body, '<h1>Bridge</h1>');
    const [tabs = ''] = /<nav aria-label="Application".*?<\/nav>/s.exec(page.body) ?? [];
    t.same(
      [...tabs.matchAll(/href="([^"]*)"( aria-current="page")?>([^<]*)/g)].map(([, ...link]) => link),
      addresses.map((path, place) => [
        path,
        path === opened ? ' aria-current="page"' : undefined,
        labels[place],
      ]),
      opened,
    );
  }
});

t.test('rotates a secret without interruption', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const first = credentialsOn(await createThroughPage(browser, { name: 'Rotating' }));
  const { id } = await namedApplication(scene.accountId, 'Rotating');
  const address = `${applicationsPath}/${id}`;
  const credentials = await browser.open(`${address}/credentials`);
  isPage(t, credentials);
  const form = hiddenFields(credentials.body);
  clock.advanceSeconds(3600);
  const confirmed = { ...form, confirm_password: testPassword };
  const page = await browser.submit(`${address}/secrets`, confirmed);
  isPage(t, page);
  const second = credentialsOn(page);
  t.equal(second.clientId, first.clientId);
  t.not(second.clientSecret, first.clientSecret);
  expectRedirect(
    t,
    await browser.submit(`${address}/secrets`, form),
    /notice=secret_exists$/,
    'reloading creates no other',
  );
  expectRedirect(
    t,
    await browser.open(`${address}/secrets`),
    `${address}/credentials`,
    'the URL of the form redirects back',
  );

  for (const { clientId, clientSecret } of [first, second]) {
    t.equal((await credentialsGrant(clientId, clientSecret)).statusCode, 200, 'both are valid');
  }
  const third = await browser.submit(`${address}/secrets`, { ...form, form: 'another' });
  isPage(t, third, 409);
  t.match(third.body, /An application has at most two secrets/);

  const secrets = await database.prisma.applicationSecret.findMany({
    where: { applicationId: id },
    orderBy: { createdAt: 'asc' },
  });
  t.equal(secrets.length, 2);
  const retire = `${address}/secrets/${secrets[0]?.id}/revoke`;
  isPage(t, await browser.open(retire));
  expectRedirect(t, await confirm(browser, retire), `${address}/credentials?notice=secret_revoked`);
  t.equal(
    (await credentialsGrant(first.clientId, first.clientSecret)).statusCode,
    401,
    'the old one is rejected',
  );
  t.equal((await credentialsGrant(second.clientId, second.clientSecret)).statusCode, 200);
  isPage(t, await browser.open(retire), 404);

  const only = `${address}/secrets/${secrets[1]?.id}/revoke`;
  const refused = await confirm(browser, only);
  isPage(t, refused, 409);
  t.match(refused.body, /This is the only secret/);
  t.equal((await credentialsGrant(second.clientId, second.clientSecret)).statusCode, 200);

  const again = await browser.submit(`${address}/secrets`, { ...form, form: 'another' });
  isPage(t, again);
  const fourth = credentialsOn(again);
  t.equal(
    (await credentialsGrant(fourth.clientId, fourth.clientSecret)).statusCode,
    200,
    'a rejected form may be submitted again',
  );
});

t.test('concurrent rotations leave one or two secrets', async (t) => {
  const { scene, browser } = await ownerAtWork({ clientType: 'confidential' });
  const address = `${applicationsPath}/${scene.application.id}`;
  const { csrf_token = '' } = hiddenFields((await browser.open(`${address}/credentials`)).body);
  const responses = await Promise.all(
    [1, 2, 3, 4, 5].map((form) => browser.submit(`${address}/secrets`, { csrf_token, form: `nonce${form}` })),
  );
  t.same(responses.map(({ statusCode }) => statusCode).sort(), [200, 409, 409, 409, 409]);
  const secrets = await database.prisma.applicationSecret.findMany({
    where: { applicationId: scene.application.id },
  });
  const retired = await Promise.all(
    secrets.map(({ id }) => browser.submit(`${address}/secrets/${id}/revoke`, { csrf_token })),
  );
  t.same(retired.map(({ statusCode }) => statusCode).sort(), [303, 409]);
});

t.test('shows when a secret was last used, stored once a minute at most', async (t) => {
  const { scene, browser } = await ownerAtWork({ clientType: 'confidential' });
  const { id, clientId, clientSecret } = scene.application;
  // The token endpoint does not wait until it is stored.
  const untilLastUsed = (at: Date) =>
    until(async () => {
      const where = { applicationId: id };
      const { lastUsedAt } = await database.prisma.applicationSecret.findFirstOrThrow({ where });
      return lastUsedAt?.getTime() === at.getTime();
    });
  const address = `${applicationsPath}/${id}/credentials`;
  t.match((await browser.open(address)).body, /data-label="Last used"><div>Never</);
  // Less than a minute after a use, the next one would not be stored.
  t.equal((await credentialsGrant(clientId, 'wrong')).statusCode, 401);
  clock.advanceSeconds(1);
  await credentialsGrant(clientId, clientSecret);
  await untilLastUsed(clock());
  clock.advanceSeconds(59);
  await credentialsGrant(clientId, clientSecret);
  clock.advanceSeconds(1);
  await credentialsGrant(clientId, clientSecret);
  await untilLastUsed(clock());
  const { body } = await browser.open(address);
  t.match(body, `data-label="Last used"><div><time datetime="${clock().toISOString()}">`);
});

t.test('a scope that is removed is rejected at the next use of a token', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const { accessToken, refreshToken } = await grantTokens(api, scene);
  await tokenAccepted(t, api, accessToken);
  const address = `${applicationsPath}/${scene.application.id}`;
  const page = await browser.open(`${address}/edit`);
  const saved = await browser.submit(
    `${address}/edit`,
    formOn(page, { name: 'Renamed', redirect_uris: [scene.redirectUri], scopes: ['user:read'] }),
  );
  expectRedirect(t, saved, `${address}?notice=application_updated`);
  t.match((await browser.open(String(saved.headers.location))).body, /apply to existing tokens immediately/);
  const response = await api.get('/v1/employees', accessToken);
  t.equal(response.statusCode, 403);
  t.equal(response.json().code, 'insufficient_scope');
  const refreshed = await refresh(api, scene.application, refreshToken);
  t.equal((await api.get('/v1/employees', refreshed.json().access_token)).statusCode, 403);
});

t.test('a code for a redirect URI that was removed issues no tokens', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const { form } = await grantCode(api, scene);
  const address = `${applicationsPath}/${scene.application.id}/edit`;
  await browser.submit(
    address,
    formOn(await browser.open(address), { redirect_uris: ['https://new.example/'] }),
  );
  t.equal((await api.postForm('/v1/oauth/token', form)).json().code, 'invalid_grant');
});

/** The form of an application, which two administrators open, and its submission with changed values. */
async function openedForm() {
  const { scene, browser } = await ownerAtWork();
  const { id } = scene.application;
  const { name, redirectUris, scopes } = await database.prisma.application.findFirstOrThrow({
    where: { id },
  });
  const values = { name, redirect_uris: redirectUris, scopes };
  const address = `${applicationsPath}/${id}/edit`;
  const page = await browser.open(address);
  return {
    submit: (changes: Partial<typeof values>, form = page) =>
      browser.submit(address, formOn(form, { ...values, ...changes })),
    stored: () => database.prisma.application.findFirstOrThrow({ where: { id } }),
  };
}

t.test('a form asks only about what another administrator has changed differently', async (t) => {
  const { submit, stored } = await openedForm();
  expectRedirect(t, await submit({ name: 'Theirs', scopes: ['user:read'] }), /application_updated$/);
  const conflict = await submit({ name: 'Mine' });
  isPage(t, conflict, 409);
  t.match(conflict.body, /Name: another user changed this while/);
  const shown = [...conflict.body.matchAll(/data-label="(?:Saved|Yours)"><div><bdi>(.*?)<\/bdi>/g)];
  t.same(
    shown.map(([, text]) => text),
    ['Theirs', 'Mine'],
  );
  t.match(await stored(), { name: 'Theirs', scopes: ['user:read'] });
  const again = await submit({ name: 'Mine', scopes: ['user:read'] }, conflict);
  expectRedirect(t, again, /application_updated$/, 'a change that the user has seen may be replaced');
  t.match(await stored(), { name: 'Mine', scopes: ['user:read'] });
});

t.test('a form takes over what only another administrator has changed', async (t) => {
  const { submit, stored } = await openedForm();
  const redirect_uris = ['https://new.example/'];
  expectRedirect(t, await submit({ name: 'Both', scopes: ['user:read'] }), /application_updated$/);
  expectRedirect(t, await submit({ name: 'Both', redirect_uris }), /application_updated$/);
  t.match(await stored(), { name: 'Both', scopes: ['user:read'], redirectUris: redirect_uris });
});

t.test('a deletion lists the access that stops working, and revokes it after confirmation', async (t) => {
  const { scene, browser } = await ownerAtWork({ name: 'Doomed' });
  const { accessToken, refreshToken } = await grantTokens(api, scene);
  const address = `${applicationsPath}/${scene.application.id}/delete`;
  const page = await browser.open(address);
  isPage(t, page);
  t.match(page.body, /1 connected user is disconnected/);
  t.match(page.body, `The last token was issued on <time datetime="${clock().toISOString()}">`);
  await tokenAccepted(t, api, accessToken);

  expectRedirect(t, await confirm(browser, address), `${applicationsPath}?notice=application_deleted`);
  await expectTokenRejected(t, api, accessToken, 'invalid_token');
  t.equal((await refresh(api, scene.application, refreshToken)).json().code, 'invalid_client');
  t.equal(await database.prisma.grant.count({ where: { applicationId: scene.application.id } }), 0);
  isPage(t, await browser.open(address), 404);
  const list = await browser.open(`${applicationsPath}?notice=application_deleted`);
  t.match(list.body, /Application deleted/);
  t.notMatch(list.body, 'Doomed');
  await database.prisma.application.deleteMany({ where: { accountId: scene.accountId } });
  t.match((await browser.open(applicationsPath)).body, /No applications yet/);
});

t.test('the list has pages, and shows each application of the account only', async (t) => {
  const { scene, browser } = await ownerAtWork({ name: 'Zebra' });
  await database.prisma.application.createMany({
    data: Array.from({ length: 60 }, (_, index) => ({
      id: `${scene.accountId}${index}`.slice(-40),
      accountId: scene.accountId,
      clientId: `${scene.accountId}c${index}`,
      name: `app ${String(index).padStart(2, '0')}`,
      clientType: 'public',
    })),
  });
  const first = await browser.open(applicationsPath);
  isPage(t, first);
  t.match(first.body, />app 00</);
  t.notMatch(first.body, '>Zebra<');
  const second = await browser.open(`${applicationsPath}?page=2`);
  t.match(second.body, '>Zebra<');
  expectRedirect(t, await browser.open(`${applicationsPath}?page=99`), `${applicationsPath}?page=2`);
});
