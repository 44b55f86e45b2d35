import { OAuthApplications } from '../../src/features/oauth-clients/oauth-applications.js';
import { claimEndpoints } from '../../src/features/webhooks/delivery/claim-endpoints.js';
import {
  createPageReaders,
  EndpointDeliveries,
} from '../../src/features/webhooks/delivery/endpoint-deliveries.js';
import { WebhookSender } from '../../src/features/webhooks/delivery/webhook-sender.js';
import { wakeEndpoints } from '../../src/features/webhooks/delivery/webhook-worker.js';
import { WebhookSecrets } from '../../src/features/webhooks/webhook-secrets.js';
import { openDatabase } from '../../src/platform/database/open-database.js';
import { createTestDatabase, testServer } from '../support/database/database.js';
import { openTransaction } from '../support/database/transaction.js';
import { sendJson } from '../support/records/send-json.js';
import { buildTestApp, testSecrets } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import { holdTimers } from '../support/server/timers.js';
import t, { type Test } from '../support/tap.js';
import { until } from '../support/until.js';
import { answers, holdResponse, startReceiver } from '../support/webhooks/receiver.js';
import { deliveryScene, webhookScene } from '../support/webhooks/scene.js';

const api = await buildTestApp(t, { clock: createTestClock() });

type Scene = Awaited<ReturnType<typeof deliveryScene>>;

/**
 * Claims an endpoint with a new event, as a process that then hangs.
 *
 * @param options.repeated whether the first attempt has failed
 */
async function stalled(scene: Scene, { repeated = false } = {}) {
  const { api, clock, create, addEmployees, receiver, run } = scene;
  const { id } = await create({ url: receiver.url });
  await addEmployees(1);
  const { database } = api;
  if (repeated) {
    receiver.answer = answers.status(500);
    await run();
    receiver.received.length = 0;
    clock.advanceSeconds(60);
  }
  await wakeEndpoints(database, clock());
  const limits = { maximum: 10, maximumOfAccount: 10, running: new Map() };
  const claimed = await claimEndpoints(database, { now: clock(), ...limits });
  const endpoint = claimed.find((one) => one.id === id);
  if (endpoint === undefined) throw new Error('The endpoint was not claimed');
  const sender = new WebhookSender({ allowLocal: true });
  const deliveries = new EndpointDeliveries({
    ...{ database, clock, sender, secrets: new WebhookSecrets(testSecrets) },
    onError: (error) => {
      throw error;
    },
  });
  const readPage = createPageReaders(database, api.config.baseUrl)(new Date(0));
  return {
    id,
    async goOn() {
      const isDue = await deliveries.deliver(endpoint, readPage);
      await sender.close();
      return isDue;
    },
  };
}

t.test('a process that lost its lease before the first attempt sends nothing', async (t) => {
  const scene = await deliveryScene(t, api);
  const { id, goOn } = await stalled(scene);
  t.equal((await scene.post(`/${id}/resumptions`, {})).statusCode, 201);
  t.equal(await goOn(), false);
  t.equal(scene.receiver.received.length, 0);
  await scene.run();
  t.equal(scene.receiver.received.length, 1);
});

for (const [repeated, name] of [
  [false, 'a first attempt'],
  [true, 'a repeated attempt'],
] as const) {
  t.test(`${name} of a claimed endpoint is not started after all access was revoked`, async (t) => {
    const scene = await deliveryScene(t, api);
    const { id, goOn } = await stalled(scene, { repeated });
    const context = { accountId: scene.accountId, at: scene.clock() };
    const revoked = await new OAuthApplications(scene.api.database).revokeAccess(
      context,
      scene.application.id,
    );
    t.same(revoked, { revokedGrants: 0, pausedEndpoints: 1 });
    t.equal(await goOn(), false);
    t.match(await scene.state(id), { status: 'paused', pause_reason: 'revoked' });
    await scene.addEmployees(1);
    scene.clock.advanceSeconds(3600);
    await scene.run();
    t.equal(scene.receiver.received.length, 0);
    t.match(await scene.state(id), { status: 'paused', pause_reason: 'revoked' });

    scene.receiver.answer = answers.ok;
    t.equal((await scene.post(`/${id}/resumptions`, {})).statusCode, 201);
    await scene.run();
    t.equal(scene.receiver.received.flatMap(({ body }) => body.data).length, 2, 'no event is lost');
  });

  t.test(`${name} of a claimed endpoint is not started after it was deleted`, async (t) => {
    const scene = await deliveryScene(t, api);
    const { id, goOn } = await stalled(scene, { repeated });
    const { token } = scene;
    const deleted = await sendJson(api, { method: 'DELETE', url: `/v1/webhook_endpoints/${id}`, token });
    t.equal(deleted.statusCode, 204);
    t.equal(await goOn(), false);
    t.equal(scene.receiver.received.length, 0);
  });
}

t.test('an attempt that may last longer than the lease is not started', async (t) => {
  const scene = await deliveryScene(t, api);
  const { goOn } = await stalled(scene);
  scene.clock.advanceSeconds(16);
  t.equal(await goOn(), false);
  t.equal(scene.receiver.received.length, 0);
  scene.clock.advanceSeconds(15);
  await scene.run();
  t.equal(scene.receiver.received.length, 1);
});

t.test('a change of the event types during an attempt starts a new delivery', async (t) => {
  const { clock, receiver, create, addEmployees, worker, run, token } = await deliveryScene(t, api);
  const { id } = await create({ url: receiver.url });
  await addEmployees(1);
  const held = holdResponse(receiver);
  await worker.poll();
  const release = await held;
  const body = { event_types: ['employee.created', 'report.created'] };
  const changed = await sendJson(api, { method: 'PATCH', url: `/v1/webhook_endpoints/${id}`, token, body });
  t.equal(changed.statusCode, 200);
  release();
  await worker.idle();
  receiver.answer = answers.ok;
  clock.advanceSeconds(31);
  await run();
  const [first, second] = receiver.received;
  t.equal(receiver.received.length, 2);
  t.not(first?.id, second?.id);
});

t.test('the response of a previous URL does not count', async (t) => {
  const { clock, receiver, create, addEmployees, worker, run, state, token } = await deliveryScene(t, api);
  const next = await startReceiver(t);
  const { id } = await create({ url: receiver.url });
  await addEmployees(1);
  const held = holdResponse(receiver, 410);
  await worker.poll();
  const release = await held;
  const body = { url: next.url };
  await sendJson(api, { method: 'PATCH', url: `/v1/webhook_endpoints/${id}`, token, body });
  release();
  await worker.idle();
  t.match(await state(id), { status: 'enabled', failing_since: null });
  clock.advanceSeconds(31);
  await run();
  t.same(
    next.received.map(({ id }) => id),
    receiver.received.map(({ id }) => id),
    'the new URL gets the same delivery',
  );
});

t.test('accounts take turns when more endpoints are due than a process can deliver to', async (t) => {
  const { clock, receiver, create, addEmployees } = await deliveryScene(t, api);
  for (let index = 0; index < 4; index += 1) await create({ url: receiver.url });
  const other = await webhookScene(api);
  await other.create({ url: receiver.url });
  await addEmployees(1);
  await wakeEndpoints(api.database, clock());
  clock.advanceSeconds(1);
  await other.addEmployees(1);
  await wakeEndpoints(api.database, clock());
  const limits = { now: clock(), maximum: 2, maximumOfAccount: 20, running: new Map() };
  const claimed = await claimEndpoints(api.database, limits);
  t.ok(claimed.some(({ accountId }) => accountId === other.accountId));
  t.equal(claimed.length, 2);
});

/** A scene on a database whose options open further connections. */
async function withTransactions(t: Test) {
  const options = await createTestDatabase(t);
  const database = await openDatabase(options);
  t.teardown(() => database.close());
  return {
    options,
    ...(await deliveryScene(t, await buildTestApp(t, { database, clock: createTestClock() }))),
  };
}

const onPostgresql = { skip: testServer === undefined && 'the embedded database has one connection' };

t.test(
  'an endpoint that is locked by another transaction delays no other account',
  onPostgresql,
  async (t) => {
    const { options, api, receiver, create, addEmployees, worker, ...scene } = await withTransactions(t);
    const other = await webhookScene(api);
    const { id } = await create({ url: receiver.url });
    const { id: otherId } = await other.create({ url: receiver.url });
    const releases: (() => void)[] = [];
    receiver.answer = (response) => releases.push(() => response.end());
    holdTimers(t);
    await addEmployees(1);
    await other.addEmployees(1);
    await worker.poll();
    await until(() => releases.length === 2);
    const transaction = await openTransaction(t, options);
    const lock = 'SELECT 1 FROM webhook_endpoints WHERE id = $1 FOR UPDATE';
    t.equal((await transaction.query(lock, [id])).length, 1);
    for (const release of releases) release();
    const attempts = async () => (await other.get(`/${otherId}/deliveries`)).json().data.length;
    // Stored while the other endpoint is locked.
    await until(async () => (await attempts()) === 1);
    t.equal((await scene.get(`/${id}/deliveries`)).json().data.length, 0);
    await transaction.end('ROLLBACK');
    await worker.idle();
  },
);

t.test('new events of other accounts are delivered while an endpoint is locked', onPostgresql, async (t) => {
  const { options, ...scene } = await withTransactions(t);
  const { api, receiver, create, addEmployees, worker, run } = scene;
  const other = await webhookScene(api);
  const { id } = await create({ url: receiver.url });
  const otherReceiver = await startReceiver(t);
  await other.create({ url: otherReceiver.url });
  await addEmployees(1);
  await other.addEmployees(1);
  const transaction = await openTransaction(t, options);
  await transaction.query('SELECT 1 FROM webhook_endpoints WHERE id = $1 FOR UPDATE', [id]);
  const polled = worker.poll();
  await until(() => otherReceiver.received.length === 1);
  t.equal(otherReceiver.received.length, 1, 'while the endpoint is locked');
  t.equal(receiver.received.length, 0);
  await transaction.end('ROLLBACK');
  await polled;
  await run();
  t.equal(receiver.received.length, 1, 'the locked endpoint follows');
});
