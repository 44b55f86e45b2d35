import { WebhookSender } from '../../src/features/webhooks/delivery/webhook-sender.js';
import { publicLookup } from '../../src/platform/network/public-address.js';
import { findUrlError } from '../../src/platform/network/receiver-url.js';
import type { Violation } from '../../src/platform/problems/rule-texts.js';
import { withoutThreads } from '../support/server/threads.js';
import { holdTimers } from '../support/server/timers.js';
import t from '../support/tap.js';
import { until } from '../support/until.js';
import { listenOnLoopback } from '../support/webhooks/loopback.js';
import { startNameServer } from '../support/webhooks/name-server.js';

const [publicAddress, loopback] = ['93.184.215.14', '127.0.0.1'];

const delivery = {
  secrets: [`whsec_${Buffer.alloc(32).toString('base64')}`],
  id: 'msg_1',
  body: Buffer.from('{}'),
  at: new Date(),
};

t.test('rejects a connection to a host that is public at registration and private later', async (t) => {
  holdTimers(t);
  const listener = await listenOnLoopback(t);
  const nameServer = await startNameServer(t, (number) => [number === 0 ? publicAddress : loopback]);
  const sender = new WebhookSender({ allowLocal: true });
  t.teardown(() => sender.close());
  const url = `https://rebinding.example:${listener.port}/`;
  t.equal(await findUrlError('https://rebinding.example/', { allowLocal: false }), undefined);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const { status, error } = await sender.send({ ...delivery, url });
    t.match({ status, error }, { status: null, error: 'The address of the host is not public' });
  }
  t.equal(nameServer.queries, 4, 'each connection looks the name up again');
  t.equal(listener.connections, 0);
});

t.test('a connection uses the checked addresses, without another lookup', async (t) => {
  holdTimers(t);
  const listener = await listenOnLoopback(t);
  const nameServer = await startNameServer(t, (number) => [number % 2 === 0 ? publicAddress : loopback]);
  const lookUp = () =>
    new Promise((resolve) =>
      publicLookup('rebinding.example', { all: true }, (error, addresses) =>
        resolve(error?.name ?? addresses),
      ),
    );
  t.same(await lookUp(), [{ address: publicAddress, family: 4 }]);
  t.equal(await lookUp(), 'PrivateAddressError');
  t.equal(nameServer.queries, 2);
  const sender = new WebhookSender({ allowLocal: false });
  t.teardown(() => sender.close());
  const url = `https://rebinding.example:${listener.port}/`;
  let hasEnded = false;
  const sent = sender.send({ ...delivery, url }).finally(() => {
    hasEnded = true;
  });
  // Until it connects, or cannot.
  await until(() => hasEnded || process.getActiveResourcesInfo().includes('TCPConnectWrap'));
  sender.interrupt();
  t.equal((await sent).status, null);
  t.equal(nameServer.queries, 3, 'one lookup');
  t.equal(listener.connections, 0);
});

t.test('a name with a public and a private address is rejected, in either order', async (t) => {
  holdTimers(t);
  const listener = await listenOnLoopback(t);
  const both = [publicAddress, loopback];
  await startNameServer(t, (number) => (number % 2 === 0 ? both : both.toReversed()));
  const sender = new WebhookSender({ allowLocal: false });
  t.teardown(() => sender.close());
  for (let attempt = 0; attempt < 2; attempt += 1) {
    t.type(await findUrlError('https://both.example/', { allowLocal: false }), 'object');
    const url = `https://both.example:${listener.port}/`;
    for (const order of ['public first', 'private first'])
      t.equal(
        (await sender.send({ ...delivery, url })).error,
        'The address of the host is not public',
        order,
      );
  }
  t.equal(listener.connections, 0);
});

t.test('a name is resolved while all threads of the process wait', async (t) => {
  holdTimers(t);
  await startNameServer(t, () => [publicAddress]);
  await withoutThreads(t, async () => {
    let urlError: Violation | undefined | 'pending' = 'pending';
    findUrlError('https://partner.example/', { allowLocal: false }).then((found) => {
      urlError = found;
    });
    await until(() => urlError !== 'pending');
    t.equal(urlError, undefined);
    let address: unknown;
    publicLookup('partner.example', {}, (error, found) => {
      address = error ?? found;
    });
    await until(() => address !== undefined);
    t.equal(address, publicAddress);
  });
});
