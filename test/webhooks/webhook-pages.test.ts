import { hiddenFields } from '../support/browser/browser.js';
import { applicationsPath, confirm, expectRedirect, isPage } from '../support/browser/pages.js';
import { hostileNames } from '../support/input/hostile-names.js';
import { createScene, createUser, signedInBrowser } from '../support/oauth/users.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { sendJson } from '../support/records/send-json.js';
import { createApplication, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import { holdTimers } from '../support/server/timers.js';
import t from '../support/tap.js';
import { until } from '../support/until.js';
import { answers, startReceiver } from '../support/webhooks/receiver.js';

const clock = createTestClock(new Date());
const api = await buildTestApp(t, { clock, environment: { RATE_LIMIT_FAILURES: '0' } });
const { database } = api;
const { prisma } = database;

/** An owner, an application with an endpoint, and two events that were not sent. */
async function arrange({
  url = 'https://partner.example/hook?key=veryprivate',
  description = 'Payroll sync',
} = {}) {
  const scene = await createScene(database);
  const { accountId } = scene;
  const application = await createApplication(database, accountId);
  const token = await api.token(application);
  const created = await sendJson(api, { url: '/v1/webhook_endpoints', token, body: { url, description } });
  if (created.statusCode !== 201) throw new Error(created.body);
  await insertEmployees(prisma, accountId, makeEmployees(2));
  const id: string = created.json().data.id;
  const list = `${applicationsPath}/${application.id}/webhooks`;
  const stored = () => prisma.webhookEndpoint.findFirstOrThrow({ where: { accountId, id } });
  const change = (data: Parameters<typeof prisma.webhookEndpoint.updateMany>[0]['data']) =>
    prisma.webhookEndpoint.updateMany({ where: { accountId, id }, data });
  const browser = await signedInBrowser(api, scene.user);
  return { scene, accountId, application, token, id, list, path: `${list}/${id}`, stored, change, browser };
}

/** Tests accept local addresses. Hostile ones are stored directly. */
type Scene = Awaited<ReturnType<typeof arrange>>;

const cursor = ({ accountId }: Scene, position: number) => `evt_${accountId}_0000000${position}`;

t.test(
  'shows the endpoints of an application with their states, and omits the queries of URLs',
  async (t) => {
    const receiver = await startReceiver(t);
    const scene = await arrange({ url: `${receiver.url}?key=veryprivate` });
    const { browser, application, list, path, change } = scene;
    const showPath = `${applicationsPath}/${application.id}`;
    const pages = async () => {
      const [show, all, one] = [
        await browser.open(showPath),
        await browser.open(list),
        await browser.open(path),
      ];
      for (const page of [show, all, one]) {
        isPage(t, page);
        t.notMatch(page.body, 'veryprivate');
      }
      return [show.body, all.body, one.body] as const;
    };
    const [show, all, one] = await pages();
    t.match(show, '<dd>1 endpoint</dd>');
    t.match(all, 'Delivering');
    t.match(all, 'Payroll sync');
    t.match(one, 'Nothing was sent yet.');
    t.match(one, cursor(scene, 0));
    await change({ failingSince: new Date(), failures: 2 });
    const retrying = await pages();
    t.match(retrying[0], '<dd>1 endpoint: 1 retrying</dd>');
    t.match(retrying[1], /Retrying<\/span> since <time/);
    await change({ pausedAt: new Date(), pauseReason: 'gone' });
    const paused = await pages();
    t.match(paused[0], 'Events are no longer sent to an endpoint of this application.');
    t.match(paused[0], '<dd>1 endpoint: 1 paused</dd>');
    t.match(paused[2], 'because its server responded that the address no longer exists (410 Gone)');
  },
);

const shownSecret = (page: { body: string }) => /<code id="webhook-secret">([^<]*)</.exec(page.body)?.[1];

/** Types of the events of the user, sorted. */
const auditedTypes = async ({ accountId, scene }: Scene) => {
  const where = { accountId, userId: scene.user.id, type: { startsWith: 'webhook_endpoint.' } };
  const events = await prisma.auditEvent.findMany({ where });
  return events.map(({ type }) => type.replace('webhook_endpoint.', '')).toSorted();
};

t.test('adds an endpoint, shows its secret once, and reloading adds no other', async (t) => {
  const receiver = await startReceiver(t);
  const scene = await arrange();
  const { browser, list, accountId, token } = scene;
  const form = await browser.open(`${list}/new`);
  isPage(t, form);
  t.match(form.body, 'gets a message at this address when employees or reports change');
  t.match(form.body, '<span>Employee deleted <code>employee.deleted</code></span>');
  t.equal(form.body.match(/name="event_types"/g)?.length, form.body.match(/<span>\w+ \w+ <code>/g)?.length);
  const fields = [
    ...Object.entries(hiddenFields(form.body)),
    ['url', `${receiver.url}?key=veryprivate`],
    ['description', 'Second'],
    ['event_types', 'employee.deleted'],
    ['event_types', 'employee.created'],
  ];
  const added = await browser.submit(list, fields);
  isPage(t, added);
  t.notMatch(added.body, 'veryprivate');
  const secret = String(shownSecret(added));
  t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const where = { accountId, description: 'Second' };
  const { id, url, eventTypes, sealedSecret } = await prisma.webhookEndpoint.findFirstOrThrow({ where });
  t.equal(url, `${receiver.url}?key=veryprivate`);
  t.same(eventTypes, ['employee.created', 'employee.deleted']);
  t.notMatch(sealedSecret, secret);
  t.equal(
    (await sendJson(api, { method: 'GET', url: `/v1/webhook_endpoints/${id}`, token })).statusCode,
    200,
  );
  t.same(await auditedTypes(scene), ['created']);

  const reloaded = await browser.submit(list, fields);
  expectRedirect(t, reloaded, `${list}?notice=webhook_exists`);
  t.equal(await prisma.webhookEndpoint.count({ where }), 1);
  for (const address of [String(reloaded.headers.location), `${list}/${id}`])
    t.notMatch((await browser.open(address)).body, secret);
});

t.test('rejects what the API rejects, and keeps the input', async (t) => {
  const { browser, list, accountId, application, scene } = await arrange();
  const { csrf_token = '' } = hiddenFields((await browser.open(`${list}/new`)).body);
  const add = (...fields: string[][]) =>
    browser.submit(list, [['csrf_token', csrf_token], ['form', 'one'], ...fields]);
  for (const [url, message] of [
    ['', 'The URL must be an https:// URL'],
    ['http://partner.example/', 'The URL must be an https:// URL'],
    ['https://127.0.0.1/hook', 'The URL must have a host with public addresses only.'],
    ['https://user:pass@partner.example/', 'The URL must not contain a user name or a password.'],
    ['https://partner.example:22/', 'The URL must have the port 443, or one from 8443.'],
    [`https://partner.example/${'x'.repeat(2048)}`, 'The URL must have at most 2048 characters.'],
  ] as const) {
    const page = await add(['url', url], ['description', 'Kept']);
    isPage(t, page, 400, url);
    t.match(page.body, new RegExp(`url-error" class="field-error">${message.replaceAll('.', '\\.')}`), url);
    t.match(page.body, 'value="Kept"');
  }
  const url = ['url', 'https://partner.example/hook'];
  const unknown = await add(url, ['event_types', 'employee.promoted']);
  isPage(t, unknown, 400);
  t.match(unknown.body, 'Choose from the events in the list.');
  isPage(t, await add(url, ['description', 'x'.repeat(501)]), 400);

  const endpoint = await prisma.webhookEndpoint.findFirstOrThrow({ where: { accountId } });
  await prisma.webhookEndpoint.createMany({
    data: Array.from({ length: 19 }, (_, index) => ({ ...endpoint, id: `${endpoint.id}${index}`.slice(1) })),
  });
  const full = await add(url);
  isPage(t, full, 409);
  t.match(full.body, 'The application has reached its limit of 20 endpoints.');
  t.notMatch((await browser.open(list)).body, 'Add endpoint');

  await prisma.application.updateMany({ where: { id: application.id }, data: { scopes: ['user:read'] } });
  t.match((await browser.open(`${list}/new`)).body, 'gets no events, because it may not read employees');
  isPage(t, await add(url), 409);
  await prisma.application.updateMany({
    where: { id: application.id },
    data: { scopes: ['employees:read'] },
  });
  t.notMatch((await browser.open(`${list}/new`)).body, 'gets no events');
  const { id } = await createApplication(database, accountId, { clientType: 'public' });
  for (const address of [`${list}/new`, list].map((path) => path.replace(application.id, id)))
    isPage(t, await browser.open(address), 404, address);
  t.equal(await prisma.webhookEndpoint.count({ where: { accountId: scene.accountId } }), 20);
});

t.test('edits an endpoint, and keeps what the form does not show or the user did not change', async (t) => {
  const scene = await arrange();
  const { browser, path, stored, change } = scene;
  const form = await browser.open(`${path}/edit`);
  isPage(t, form);
  t.notMatch(form.body, 'veryprivate');
  await change({ eventTypes: ['report.created'] });
  const fields = { ...hiddenFields(form.body), url: 'https://partner.example/hook', description: 'Renamed' };
  expectRedirect(t, await browser.submit(`${path}/edit`, fields), `${path}?notice=webhook_updated`);
  const kept = { url: 'https://partner.example/hook?key=veryprivate', eventTypes: ['report.created'] };
  t.match(await stored(), { ...kept, description: 'Renamed' });

  const conflict = await browser.submit(`${path}/edit`, { ...fields, description: 'Mine' });
  isPage(t, conflict, 409);
  t.match(conflict.body, 'another user changed this while you were editing it');
  const again = { url: 'https://192.0.2.1/', description: 'Mine' };
  isPage(t, await browser.submitForm(conflict, `${path}/edit`, again), 400, 'a private address');
  t.match(await stored(), { ...kept, description: 'Renamed' });
  const moved = { url: 'https://partner.example/other', description: '' };
  expectRedirect(t, await browser.submitForm(conflict, `${path}/edit`, moved), /notice=webhook_updated$/);
  t.match(await stored(), { url: 'https://partner.example/other', description: null });
  t.same(await auditedTypes(scene), ['updated', 'updated']);
});

t.test('pauses an endpoint until it is resumed, and the API says that a user paused it', async (t) => {
  const scene = await arrange();
  const { browser, path, id, token, stored } = scene;
  const page = await browser.open(path);
  expectRedirect(t, await browser.submitForm(page, `${path}/pause`, {}), `${path}?notice=webhook_paused`);
  t.match(await stored(), { pauseReason: 'manual', pausedAt: clock(), dueAt: null });
  const url = `/v1/webhook_endpoints/${id}`;
  const read = await sendJson(api, { method: 'GET', url, token });
  t.match(read.json().data.attributes, { status: 'paused', pause_reason: 'manual' });
  const shown = await browser.open(path);
  t.match(shown.body, 'because an owner or administrator paused it');
  t.notMatch(shown.body, `action="${path}/pause"`);
  await browser.submitForm(page, `${path}/pause`, {});
  const resumed = await browser.submitForm(shown, `${path}/resume`, { from: 'stopped' });
  expectRedirect(t, resumed, /notice=webhook_resumed$/);
  t.equal((await stored()).pausedAt, null);
  t.same(await auditedTypes(scene), ['paused', 'resumed'], 'an endpoint is paused once');
});

t.test('replaces a secret once for each form, and the previous one signs for a day', async (t) => {
  const scene = await arrange();
  const { browser, path, id, token, stored } = scene;
  const before = await stored();
  const form = hiddenFields((await browser.open(`${path}/rotate_secret`)).body);
  const rotated = await browser.submit(`${path}/rotate_secret`, form);
  isPage(t, rotated);
  t.match(shownSecret(rotated), /^whsec_/);
  const after = await stored();
  t.equal(after.sealedPreviousSecret, before.sealedSecret);
  t.match(rotated.body, `datetime="${after.previousSecretExpiresAt?.toISOString()}"`);
  const reloaded = await browser.submit(`${path}/rotate_secret`, form);
  expectRedirect(t, reloaded, `${path}?notice=webhook_secret_exists`);
  t.equal((await stored()).sealedSecret, after.sealedSecret);
  t.notMatch((await browser.open(path)).body, String(shownSecret(rotated)));

  expectRedirect(t, await confirm(browser, `${path}/delete`), /webhooks\?notice=webhook_deleted$/);
  const url = `/v1/webhook_endpoints/${id}`;
  t.equal((await sendJson(api, { method: 'GET', url, token })).statusCode, 404);
  isPage(t, await browser.open(path), 404);
  t.same(await auditedTypes(scene), ['deleted', 'secret_rotated']);
});

t.test('a delivery is sent again with the form that its link fills in', async (t) => {
  const scene = await arrange();
  const { browser, path, accountId, id, stored } = scene;
  const attempt = { deliveryId: 'msg_x', events: 1, attemptedAt: clock(), durationMs: 5, status: 503 };
  await prisma.webhookAttempt.create({
    data: { accountId, endpointId: id, slot: 1, number: 1n, ...attempt, firstPosition: 2n, lastPosition: 2n },
  });
  const [, link = ''] = /<a href="([^"]*)">Send again</.exec((await browser.open(path)).body) ?? [];
  t.equal(link, `${path}?after=${cursor(scene, 1)}#resume`);
  const filled = await browser.open(link);
  t.match(filled.body, `value="${cursor(scene, 1)}"`);
  t.match(filled.body, /<input type="radio" name="from" value="after" checked/);
  const fields = { from: 'after', after: cursor(scene, 1) };
  expectRedirect(t, await browser.submitForm(filled, `${path}/resume`, fields), /notice=webhook_resumed$/);
  t.equal((await stored()).position, 1n);
});

t.test('a test delivery is sent and listed as the first attempt', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = answers.status(418, {}, '<b>teapot</b>');
  const { browser, path } = await arrange({ url: receiver.url });
  const sent = await browser.submitForm(await browser.open(path), `${path}/test`, {});
  expectRedirect(t, sent, `${path}?notice=webhook_test_sent`);
  t.match(receiver.received[0]?.body.data, [{ type: 'webhook_endpoint.test' }]);
  const page = await browser.open(`${path}?notice=webhook_test_sent`);
  isPage(t, page);
  t.match(page.body, '&lt;b>teapot&lt;/b>');
  t.match(page.body, /class="badge ended">418/);
  t.match(page.body, 'Test sent.');
});

t.test('tests of an account from pages and from the API share one limit', async (t) => {
  const receiver = await startReceiver(t);
  const releases: (() => void)[] = [];
  receiver.answer = (response) => releases.push(() => response.end());
  const { browser, path, id, token } = await arrange({ url: receiver.url });
  const page = await browser.open(path);
  const timers = holdTimers(t);
  const fromPages = Array.from({ length: 5 }, () => browser.submitForm(page, `${path}/test`, {}));
  await until(() => releases.length >= 5);
  const others = [
    browser.submitForm(page, `${path}/test`, {}),
    sendJson(api, { url: `/v1/webhook_endpoints/${id}/test_deliveries`, token }),
  ];
  // Of each test: the time limit of its request, or of the queue.
  await until(() => timers.started(15_000) >= 7);
  const later = fetch(receiver.url, { method: 'POST', body: '{}' });
  await until(() => releases.length >= 6);
  t.equal(releases.length, 6, 'five tests and the later request: the other tests are queued');
  receiver.answer = answers.ok;
  for (const release of releases) release();
  await later;
  for (const { statusCode } of await Promise.all(fromPages)) t.equal(statusCode, 303);
  t.same(
    (await Promise.all(others)).map(({ statusCode }) => statusCode),
    [303, 201],
  );
});

t.test('resumes an endpoint where it stopped, after the last event, or after a given one', async (t) => {
  const scene = await arrange({ url: (await startReceiver(t)).url });
  const { browser, path, stored, change, accountId } = scene;
  for (const [fields, position] of [
    [{ from: 'stopped' }, 0n],
    [{ from: 'end' }, 2n],
    [{ from: 'after', after: cursor(scene, 1) }, 1n],
    [{}, 1n],
  ] as const) {
    await change({ pausedAt: new Date(), pauseReason: 'failing', failures: 3, failingSince: new Date() });
    const resumed = await browser.submitForm(await browser.open(path), `${path}/resume`, fields);
    expectRedirect(t, resumed, `${path}?notice=webhook_resumed`);
    t.match(await stored(), { position, pausedAt: null, failures: 0, failingSince: null });
  }
  const events = await prisma.auditEvent.findMany({ where: { accountId, type: 'webhook_endpoint.resumed' } });
  t.equal(events.length, 4);
  t.ok(events.every(({ userId }) => userId === scene.scene.user.id));
});

t.test('rejects an invalid or expired position, and keeps the input', async (t) => {
  const scene = await arrange({ url: (await startReceiver(t)).url });
  const { browser, path, stored, change, accountId } = scene;
  await change({ pausedAt: new Date(), pauseReason: 'failing' });
  const resume = async (fields: Record<string, string>) =>
    browser.submitForm(await browser.open(path), `${path}/resume`, fields);
  for (const after of ['', 'x', cursor(scene, 3), `evt_other_00000001`, '<script>alert(1)</script>']) {
    const page = await resume({ from: 'after', after });
    isPage(t, page, 400, after);
    t.match(page.body, 'Enter the ID of an event of your account.');
    t.match(page.body, 'aria-invalid');
    if (after !== '') t.match(page.body, `value="${after.replaceAll('<', '&lt;')}"`);
  }
  await prisma.$executeRaw`DELETE FROM events WHERE account_id = ${accountId}`;
  const expired = await resume({ from: 'stopped' });
  isPage(t, expired, 409);
  t.match(expired.body, 'The next events are no longer kept.');
  t.ok((await stored()).pausedAt);
  expectRedirect(t, await resume({ from: 'end' }), `${path}?notice=webhook_resumed`);
});

t.test('members, other accounts, other applications and forms without a token change nothing', async (t) => {
  const scene = await arrange({ url: (await startReceiver(t)).url });
  const { accountId, list, path, id, stored, browser, change } = scene;
  await change({ pausedAt: new Date(), pauseReason: 'failing' });
  const member = await signedInBrowser(api, await createUser(database, accountId, { role: 'member' }));
  const pages = [list, `${list}/new`, path, `${path}/edit`, `${path}/rotate_secret`, `${path}/delete`];
  for (const address of pages) isPage(t, await member.open(address), 403, address);
  const other = await arrange({ url: (await startReceiver(t)).url });
  const third = await createApplication(database, accountId);
  for (const address of pages) isPage(t, await other.browser.open(address), 404, address);
  for (const address of [
    `${applicationsPath}/${third.id}/webhooks/${id}`,
    `${list}/unknown`,
    `${list}/${encodeURIComponent("' OR 1=1")}`,
    `${list}/${other.id}`,
  ]) {
    isPage(t, await browser.open(address), 404, address);
  }
  const before = await stored();
  const theirs = hiddenFields((await other.browser.open(other.path)).body);
  const forms = ['test', 'resume', 'edit', 'pause', 'rotate_secret', 'delete'].map(
    (form) => `${path}/${form}`,
  );
  for (const form of [list, ...forms]) {
    const fields = { from: 'end', url: 'https://other.example/hook' };
    isPage(t, await browser.submit(form, fields), 403, `${form} without a token`);
    isPage(
      t,
      await member.submit(form, { ...hiddenFields((await member.open('/people')).body), ...fields }),
      403,
    );
    isPage(t, await other.browser.submit(form, { ...theirs, ...fields }), 404, `${form} of another account`);
  }
  t.same(await stored(), before);
  t.ok((await stored()).pausedAt);
  t.equal(await prisma.webhookAttempt.count({ where: { accountId } }), 0);
  expectRedirect(t, await browser.open(`${path}/resume`), path);
});

t.test('hostile addresses, descriptions and responses are escaped', async (t) => {
  const { browser, path, list, change, accountId, id } = await arrange({
    url: (await startReceiver(t)).url,
  });
  // Escaped text that looks like an attribute is rejected by the check for inline scripts.
  const names = hostileNames.filter((name) => !name.includes('onmouseover='));
  for (const [index, name] of names.entries()) {
    await change({ description: name, url: `https://partner.example/${encodeURIComponent(name)}` });
    const attempt = { deliveryId: 'msg_x', events: 1, attemptedAt: clock(), durationMs: 5, status: 500 };
    const key = { accountId, endpointId: id, slot: index % 50 };
    const data = { ...attempt, number: BigInt(index), response: name };
    await prisma.webhookAttempt.upsert({
      where: { accountId_endpointId_slot: key },
      create: { ...key, ...data },
      update: data,
    });
    isPage(t, await browser.open(path), 200, name);
    if (index % 20 === 0) isPage(t, await browser.open(list), 200, name);
  }
});
