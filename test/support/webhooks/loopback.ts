import { type AddressInfo, createServer } from 'node:net';
import type { Test } from '../tap.js';

/** Counts connections to a port of this machine, with IPv4 and with IPv6. */
export async function listenOnLoopback(t: Test) {
  const listener = { connections: 0, port: 0 };
  const server = createServer((socket) => {
    listener.connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  t.teardown(() => server.close());
  listener.port = (server.address() as AddressInfo).port;
  return listener;
}
