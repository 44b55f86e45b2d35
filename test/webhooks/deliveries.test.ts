import { sendJson } from '../support/records/send-json.js';
import { createApplication } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import { holdTimers } from '../support/server/timers.js';
import t from '../support/tap.js';
import { until } from '../support/until.js';
import { answers, eventIds, holdResponse, startReceiver, verify } from '../support/webhooks/receiver.js';
import { createWorker, deliveryScene, webhookScene } from '../support/webhooks/scene.js';

const api = await buildTestApp(t, { clock: createTestClock() });

t.test('an endpoint gets signed events from its creation on, in order, at most 100 at a time', async (t) => {
  const { token, receiver, create, addEmployees, run } = await deliveryScene(t, api);
  await addEmployees(3);
  const { secret } = await create({ url: receiver.url });
  await addEmployees(120);
  await run();
  t.same(
    receiver.received.map(({ body }) => body.data.length),
    [100, 20],
  );
  const feed = (await api.get('/v1/events?page[size]=500', token)).json();
  t.same(
    receiver.received.flatMap(({ body }) => body.data),
    feed.data.slice(3),
    'as in the feed',
  );
  for (const delivery of receiver.received) {
    t.doesNotThrow(() => verify(secret, delivery));
    t.throws(() => verify(secret, { ...delivery, text: `${delivery.text} ` }));
    t.equal(delivery.headers['content-type'], 'application/json');
  }
  const [first] = receiver.received;
  t.same(first?.body.meta, { has_more: true, next_cursor: first?.body.data.at(-1)?.id });
  t.match(first?.body.links.next, /\/v1\/events\?page%5Bafter%5D=/);
  t.equal(new Set(receiver.received.map(({ id }) => id)).size, 2);
  await run();
  t.equal(receiver.received.length, 2, 'no event twice');
});

t.test('an endpoint with event types gets events of these types only', async (t) => {
  const { accountId, receiver, create, addEmployees, run, state } = await deliveryScene(t, api);
  const { id } = await create({ url: receiver.url, event_types: ['employee.deleted'] });
  const [employee = ''] = await addEmployees(101);
  await run();
  t.same(receiver.received, []);
  t.match((await state(id)).last_event_id, /_0000002t$/, 'the others are skipped');
  await api.database.prisma.employee.deleteMany({ where: { accountId, id: employee } });
  await run();
  t.same(
    receiver.received.flatMap(({ body }) => body.data.map(({ type }) => type)),
    ['employee.deleted'],
  );
});

t.test(
  'a failed delivery is repeated with the same events under the same id before newer ones',
  async (t) => {
    const { accountId, clock, receiver, create, addEmployees, run, state } = await deliveryScene(t, api);
    const { id, secret } = await create({ url: receiver.url });
    receiver.answer = answers.status(500, {}, 'out of order');
    const [employee = ''] = await addEmployees(3);
    await run();
    await addEmployees(2);
    await run();
    t.equal(receiver.received.length, 1, 'not before the time');
    t.match(await state(id), { status: 'enabled', failing_since: clock().toISOString() });
    // Erased before the delivery is repeated.
    await api.database.prisma.employee.deleteMany({ where: { accountId, id: employee } });
    receiver.answer = answers.ok;
    clock.advanceSeconds(7);
    await run();
    const [first, second, third] = receiver.received;
    t.equal(second?.id, first?.id);
    t.same(
      second?.body.data.map((event) => event.id),
      first?.body.data.map((event) => event.id),
    );
    t.not(first?.body.data[0]?.resource.attributes, null);
    t.equal(
      second?.body.data[0]?.resource.attributes,
      null,
      'attributes that were erased meanwhile are not sent',
    );
    if (second !== undefined) t.doesNotThrow(() => verify(secret, second), 'it is signed again');
    t.same(
      third?.body.data.map(({ type }) => type),
      ['employee.created', 'employee.created', 'employee.deleted'],
    );
    t.match(await state(id), { failing_since: null });
  },
);

t.test('the time between attempts doubles up to 8 hours, and Retry-After makes it longer', async (t) => {
  const { accountId, clock, receiver, create, addEmployees, run } = await deliveryScene(t, api);
  const { id } = await create({ url: receiver.url });
  receiver.answer = answers.status(503);
  await addEmployees(1);
  const delay = async () => {
    await run();
    const row = await api.database.prisma.webhookEndpoint.findFirstOrThrow({ where: { accountId, id } });
    const seconds = ((row.dueAt?.getTime() ?? 0) - clock().getTime()) / 1000;
    clock.advanceSeconds(seconds + 1);
    return seconds;
  };
  for (const expected of [5, 10, 20]) {
    const seconds = await delay();
    t.ok(seconds >= expected && seconds <= expected * 1.25, `${seconds}`);
  }
  receiver.answer = answers.status(429, { 'retry-after': '3600' });
  t.equal(await delay(), 3600);
  receiver.answer = answers.status(503, { 'retry-after': '99999999' });
  t.equal(await delay(), 8 * 3600);
  receiver.answer = answers.status(503, { 'retry-after': 'soon' });
  t.ok((await delay()) < 1000);
  for (let attempt = 0; attempt < 6; attempt += 1) await delay();
  t.ok((await delay()) <= 10 * 3600);
});

t.test(
  'an endpoint is paused after 3 days of failures, and at once after 410; it continues where it stopped',
  async (t) => {
    const { clock, receiver, post, create, addEmployees, run, state } = await deliveryScene(t, api);
    const { id } = await create({ url: receiver.url });
    receiver.answer = answers.status(404);
    await addEmployees(1);
    await run();
    clock.advanceSeconds(3 * 86_400 - 60);
    await run();
    t.match(await state(id), { status: 'enabled' });
    clock.advanceSeconds(9 * 3600);
    await run();
    t.match(await state(id), { status: 'paused', pause_reason: 'failing', paused_at: clock().toISOString() });
    const sent = receiver.received.length;
    clock.advanceSeconds(86_400);
    await addEmployees(1);
    await run();
    t.equal(receiver.received.length, sent, 'nothing is sent while it is paused');
    t.equal((await post(`/${id}/resumptions`, {})).statusCode, 201);
    receiver.answer = answers.status(410);
    await run();
    t.match(await state(id), { status: 'paused', pause_reason: 'gone' });
    receiver.answer = answers.ok;
    await post(`/${id}/resumptions`, {});
    await run();
    t.equal(receiver.received.at(-1)?.body.data.length, 1, 'the newer event follows');
    t.equal(new Set(eventIds(receiver)).size, 2);
    t.match(await state(id), { status: 'enabled', pause_reason: null, paused_at: null, failing_since: null });
  },
);

t.test(
  'an endpoint whose application may no longer read employees, or whose events have expired, is paused',
  async (t) => {
    const { accountId, application, clock, receiver, create, addEmployees, run, state } = await deliveryScene(
      t,
      api,
    );
    const [one, other] = [await create({ url: receiver.url }), await create({ url: receiver.url })];
    const { prisma } = api.database;
    await prisma.webhookEndpoint.updateMany({
      where: { accountId, id: other.id },
      data: { pausedAt: clock() },
    });
    await addEmployees(1);
    await prisma.application.updateMany({
      where: { accountId, id: application.id },
      data: { scopes: ['webhooks:read', 'webhooks:write'] },
    });
    await run();
    t.match(await state(one.id), { status: 'paused', pause_reason: 'access' });
    await prisma.application.updateMany({
      where: { accountId, id: application.id },
      data: { scopes: ['reports:read', 'webhooks:read', 'webhooks:write'] },
    });
    await prisma.event.updateMany({ where: { accountId }, data: { occurredAt: new Date('2020-01-01') } });
    await prisma.webhookEndpoint.updateMany({
      where: { accountId, id: other.id },
      data: { pausedAt: null, dueAt: clock() },
    });
    await run();
    t.match(await state(other.id), { status: 'paused', pause_reason: 'expired' });
    t.same(receiver.received, []);
  },
);

t.test('both secrets sign for a day after a rotation', async (t) => {
  const { clock, receiver, post, create, addEmployees, run } = await deliveryScene(t, api);
  const { id, secret } = await create({ url: receiver.url });
  const rotated = (await post(`/${id}/secrets`)).json().meta.secret;
  await addEmployees(1);
  await run();
  const [first] = receiver.received;
  if (first !== undefined) for (const key of [secret, rotated]) t.doesNotThrow(() => verify(key, first));
  clock.advanceSeconds(86_401);
  await addEmployees(1);
  await run();
  t.equal(String(receiver.received[1]?.headers['webhook-signature']).split(' ').length, 1);
});

t.test('redirects are not followed, and a large response is truncated', async (t) => {
  const { clock, receiver, get, create, addEmployees, run } = await deliveryScene(t, api);
  const target = await startReceiver(t);
  const { id } = await create({ url: receiver.url });
  await addEmployees(1);
  receiver.answer = answers.status(307, { location: target.url });
  await run();
  clock.advanceSeconds(7);
  receiver.answer = answers.status(500, {}, 'ä\0'.repeat(300_000));
  await run();
  t.same(target.received, []);
  const { data } = (await get(`/${id}/deliveries`)).json();
  t.same(
    data.map(({ attributes }: { attributes: { response_status: number } }) => attributes.response_status),
    [500, 307],
  );
  t.equal(data[0].attributes.response_body, 'ä'.repeat(500));
});

t.test('the last 50 attempts are kept', async (t) => {
  const { accountId, clock, receiver, get, create, addEmployees, run } = await deliveryScene(t, api);
  const { id } = await create({ url: receiver.url });
  const { prisma } = api.database;
  const attempt = {
    accountId,
    endpointId: id,
    deliveryId: 'x',
    events: 1,
    attemptedAt: clock(),
    durationMs: 1,
  };
  await prisma.webhookAttempt.createMany({
    data: Array.from({ length: 50 }, (_, index) => ({
      ...attempt,
      slot: index,
      number: BigInt(index || 50),
    })),
  });
  await prisma.webhookEndpoint.updateMany({ where: { accountId, id }, data: { attempts: 50 } });
  for (let count = 0; count < 3; count += 1) {
    await addEmployees(1);
    await run();
    clock.advanceSeconds(1);
  }
  const { data, meta } = (await get(`/${id}/deliveries`)).json();
  t.equal(meta.record_count, 50);
  t.same(
    data.map((delivery: { id: string }) => delivery.id),
    Array.from({ length: 50 }, (_, index) => `${id}_${53 - index}`),
  );
});

t.test('a process whose lease has expired changes nothing', async (t) => {
  const { clock, receiver, create, addEmployees, run, worker, state } = await deliveryScene(t, api);
  const { id } = await create({ url: receiver.url });
  await addEmployees(2);
  const held = holdResponse(receiver);
  await worker.poll();
  const release = await held;
  clock.advanceSeconds(31);
  receiver.answer = answers.ok;
  const other = createWorker(t, api);
  await other.run();
  t.equal(receiver.received.length, 2);
  t.equal(receiver.received[0]?.id, receiver.received[1]?.id, 'another process repeats the delivery');
  release();
  await worker.idle();
  t.match(await state(id), {
    failing_since: null,
    last_event_id: receiver.received[1]?.body.meta.next_cursor,
  });
  await run();
  t.equal(receiver.received.length, 2);
});

t.test('a slow endpoint and one that resets connections delay no other', async (t) => {
  const { receiver, create, addEmployees, worker } = await deliveryScene(t, api);
  holdTimers(t);
  const slow = await startReceiver(t);
  const resetting = await startReceiver(t);
  const held: (() => void)[] = [];
  slow.answer = (response) => held.push(() => response.end());
  resetting.answer = answers.reset;
  for (const { url } of [slow, resetting, receiver]) await create({ url });
  await addEmployees(1);
  await worker.poll();
  await until(() => receiver.received.length > 0 && held.length > 0);
  t.equal(receiver.received.length, 1, 'before the slow one has responded');
  for (const release of held) release();
  await worker.idle();
});

t.test(
  'an account has a maximum number of deliveries of a process at a time, and delays no other account',
  async (t) => {
    const { accountId, receiver, create, addEmployees, worker } = await deliveryScene(t, api, {
      maximumOfAccount: 4,
    });
    const second = await api.token(await createApplication(api.database, accountId));
    holdTimers(t);
    const held: (() => void)[] = [];
    receiver.answer = (response) => held.push(() => response.end());
    for (let index = 0; index < 4; index += 1) await create({ url: receiver.url });
    for (let index = 0; index < 3; index += 1) {
      const request = { url: '/v1/webhook_endpoints', token: second, body: { url: receiver.url } };
      t.equal((await sendJson(api, request)).statusCode, 201);
    }
    const other = await webhookScene(api);
    const otherReceiver = await startReceiver(t);
    await other.create({ url: otherReceiver.url });
    await addEmployees(1);
    await other.addEmployees(1);
    await worker.poll();
    await until(() => held.length === 4 && otherReceiver.received.length === 1);
    await until(() => worker.running === 4);
    await worker.poll();
    t.equal(worker.running, 4);
    t.equal(held.length, 4);
    receiver.answer = answers.ok;
    for (const release of held) release();
    await until(() => receiver.received.length === 7);
    await worker.idle();
    t.equal(receiver.received.length, 7);
  },
);

t.test(
  'an attempt that ends because the process exits is not a failure, and is repeated at once',
  async (t) => {
    const { receiver, create, addEmployees, worker, state, get } = await deliveryScene(t, api);
    const { id } = await create({ url: receiver.url });
    await addEmployees(1);
    receiver.answer = () => {};
    await worker.poll();
    await until(() => receiver.received.length === 1);
    await worker.stop();
    t.match(await state(id), { status: 'enabled', failing_since: null });
    t.same((await get(`/${id}/deliveries`)).json().data, []);
    receiver.answer = answers.ok;
    await createWorker(t, api).run();
    t.equal(receiver.received.length, 2);
    t.equal(receiver.received[0]?.id, receiver.received[1]?.id);
    t.equal(receiver.received[0]?.text, receiver.received[1]?.text);
  },
);
