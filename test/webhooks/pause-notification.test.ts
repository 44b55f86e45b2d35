import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { EndpointOutcome } from '../../src/features/webhooks/delivery/outcome.js';
import { notifyOwners } from '../../src/features/webhooks/pause-notification.js';
import { accountScope, withScope } from '../../src/platform/database/scope.js';
import { LinkDelivery } from '../../src/platform/mail/link-delivery.js';
import { createUser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import { startMailServer } from '../support/server/mail-server.js';
import t from '../support/tap.js';
import { answers, startReceiver } from '../support/webhooks/receiver.js';
import { createWorker, webhookScene } from '../support/webhooks/scene.js';

const logger = { warn: () => {} };

t.test('the enabled owners of the account get a mail when an endpoint is paused', async (t) => {
  const clock = createTestClock(new Date());
  const api = await buildTestApp(t, { clock });
  const { accountId, create, addEmployees } = await webhookScene(api);
  const owner = await createUser(api.database, accountId, { role: 'owner' });
  await createUser(api.database, accountId, { role: 'member' });
  const outboxDirectory = path.join(t.testdir({}), 'outbox');
  const config = { ...api.config, baseUrl: 'https://api.test', outboxDirectory };
  const delivery = new LinkDelivery({ config, clock, logger });
  const { run } = createWorker(t, api, {
    onPaused: (outcome) => notifyOwners(api.database, delivery, outcome),
  });
  const receiver = await startReceiver(t);
  receiver.answer = answers.status(410);
  await create({ url: `${receiver.url}?token=hidden` });
  await addEmployees(1);
  await run();
  const files = await readdir(outboxDirectory);
  t.equal(files.length, 1);
  const text = await readFile(path.join(outboxDirectory, files[0] ?? ''), 'utf8');
  t.match(text, `To: ${owner.email}`);
  t.match(text, /Subject: Webhooks to localhost:\d+ are paused/);
  t.match(text, /responded with 410 Gone/);
  t.notMatch(text, /hidden/, 'the query may have a secret');
});

t.test('the owners get mails about at most twenty paused endpoints an hour', async (t) => {
  const clock = createTestClock(new Date());
  const api = await buildTestApp(t, { clock });
  const { accountId, application } = await webhookScene(api);
  const owner = await createUser(api.database, accountId, { role: 'owner' });
  const mail = await startMailServer(t);
  const config = { ...api.config, baseUrl: 'https://api.test', smtpUrl: mail.url };
  const delivery = new LinkDelivery({ config, clock, logger });
  const endpoint = { accountId, applicationId: application.id, url: 'https://hooks.example/' };
  const outcome = { ...endpoint, pauseReason: 'gone', attempt: null } as EndpointOutcome;
  const notify = () =>
    withScope(accountScope(accountId), () => notifyOwners(api.database, delivery, outcome));
  await Promise.all(Array.from({ length: 20 }, notify));
  await t.rejects(notify(), { code: 'rate_limit_exceeded' });
  t.equal(mail.mails.filter(({ to }) => to.includes(owner.email)).length, 20);
});
