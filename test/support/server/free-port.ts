import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';

/** Finds a free port, for a server that needs to know its URL before it listens. */
export async function freePort(): Promise<number> {
  const placeholder = net.createServer().listen(0, '127.0.0.1');
  await once(placeholder, 'listening');
  const { port } = placeholder.address() as AddressInfo;
  placeholder.close();
  await once(placeholder, 'close');
  return port;
}
