import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebhookSender } from '../../src/features/webhooks/delivery/webhook-sender.js';
import { isPublicAddress, publicLookup } from '../../src/platform/network/public-address.js';
import { findUrlError } from '../../src/platform/network/receiver-url.js';
import { privateHosts, rejectedHosts } from '../support/network/private-hosts.js';
import t from '../support/tap.js';
import { listenOnLoopback } from '../support/webhooks/loopback.js';
import { startNameServer } from '../support/webhooks/name-server.js';

const delivery = {
  secrets: [`whsec_${Buffer.alloc(32).toString('base64')}`],
  id: 'msg_1',
  body: Buffer.from('{}'),
  at: new Date(),
};

t.test('no notation of a private host is accepted as the URL of an endpoint', async (t) => {
  t.ok(privateHosts.length >= 60);
  for (const allowLocal of [true, false])
    for (const host of [...privateHosts, ...rejectedHosts])
      t.type(await findUrlError(`https://${host}:8443/`, { allowLocal }), 'object', host);
});

t.test('a stored URL with a private host is not connected to', async (t) => {
  const listener = await listenOnLoopback(t);
  for (const allowLocal of [true, false]) {
    const sender = new WebhookSender({ allowLocal });
    t.teardown(() => sender.close());
    for (const host of [...privateHosts, ...rejectedHosts]) {
      const { status, error } = await sender.send({ ...delivery, url: `https://${host}:${listener.port}/` });
      t.equal(status, null, host);
      // Not every machine resolves `localhost.`, and some hosts are not valid.
      t.match(error, /address of the host is not public|cannot be resolved|^The request failed$/, host);
    }
  }
  const production = new WebhookSender({ allowLocal: false });
  t.teardown(() => production.close());
  for (const host of ['localhost', '127.0.0.1', '[::1]'])
    t.match(
      await production.send({ ...delivery, url: `http://${host}:${listener.port}/` }),
      { status: null },
      host,
    );
  t.equal(listener.connections, 0);
});

t.test('the lookup for a connection fails if an address is private, with any options', async (t) => {
  await startNameServer(t, () => ['93.184.215.14', '10.0.0.1']);
  for (const options of [{}, { all: true }, { all: false, family: 4 }, { all: true, family: 4 }]) {
    const error = await new Promise((resolve) => publicLookup('partner.example', options, resolve));
    t.match(error, { name: 'PrivateAddressError' }, JSON.stringify(options));
  }
});

t.test('no redirect is followed, with any status', async (t) => {
  const listener = await listenOnLoopback(t);
  let status = 301;
  const server = createHttpServer((_request, response) =>
    response.writeHead(status, { location: `http://127.0.0.1:${listener.port}/` }).end(),
  );
  await new Promise<void>((resolve) => server.listen(0, resolve));
  t.teardown(() => server.close());
  const sender = new WebhookSender({ allowLocal: true });
  t.teardown(() => sender.close());
  const url = `http://localhost:${(server.address() as AddressInfo).port}/`;
  for (status of [300, 301, 302, 303, 307, 308])
    t.equal((await sender.send({ ...delivery, url })).status, status);
  t.equal(listener.connections, 0);
});

t.test('public addresses are accepted', async (t) => {
  for (const address of ['1.1.1.1', '93.184.215.14', '2606:4700:4700::1111', '2a00:1450:4001::1'])
    t.ok(isPublicAddress(address), address);
});
