import { testServer } from '../support/database/database.js';
import { buildTestApp } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import t from '../support/tap.js';
import { eventIds, startReceiver } from '../support/webhooks/receiver.js';
import { createWorker, webhookScene } from '../support/webhooks/scene.js';

const accounts = testServer === undefined ? 4 : 20;

t.test('endpoints of many accounts get every event once and in order, with two processes', async (t) => {
  const clock = createTestClock(new Date());
  const api = await buildTestApp(t, { clock });
  const scenes = await Promise.all(
    Array.from({ length: accounts }, async () => {
      const [scene, receiver] = [await webhookScene(api), await startReceiver(t)];
      await scene.create({ url: receiver.url });
      return { ...scene, receiver };
    }),
  );
  const workers = [createWorker(t, api), createWorker(t, api)];
  for (let round = 0; round < 2; round += 1) {
    await Promise.all(scenes.map(({ addEmployees }) => addEmployees(110)));
    await Promise.all(workers.map(({ run }) => run()));
  }
  // The first attempt on a connection that the receiver has closed fails.
  for (let attempt = 0; attempt < 3; attempt += 1) {
    clock.advanceSeconds(40);
    await Promise.all(workers.map(({ run }) => run()));
  }
  for (const { accountId, receiver } of scenes) {
    t.same(
      [...new Set(eventIds(receiver))],
      Array.from(
        { length: 220 },
        (_, index) => `evt_${accountId}_${(index + 1).toString(36).padStart(8, '0')}`,
      ),
    );
  }
  const repeated = scenes.filter(({ receiver }) => eventIds(receiver).length > 220).length;
  t.comment(`${repeated} endpoints got an event twice`);
});
