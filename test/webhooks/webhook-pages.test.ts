import { applicationsPath, expectRedirect, isPage } from '../support/browser/pages.js';
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
    t.match(paused[2], 'because its server responded with 410 Gone');
  },
);

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
  for (const address of [list, path]) isPage(t, await member.open(address), 403, address);
  const other = await arrange({ url: (await startReceiver(t)).url });
  const third = await createApplication(database, accountId);
  for (const address of [list, path]) isPage(t, await other.browser.open(address), 404, address);
  for (const address of [
    `${applicationsPath}/${third.id}/webhooks/${id}`,
    `${list}/unknown`,
    `${list}/${encodeURIComponent("' OR 1=1")}`,
    `${list}/${other.id}`,
  ]) {
    isPage(t, await browser.open(address), 404, address);
  }
  for (const form of ['test', 'resume']) {
    isPage(t, await browser.submit(`${path}/${form}`, {}), 403, `${form} without a token`);
    const page = await other.browser.open(other.path);
    const { statusCode } = await other.browser.submitForm(page, `${path}/${form}`, { from: 'end' });
    t.equal(statusCode, 404, `${form} of another account`);
  }
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
