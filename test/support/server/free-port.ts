import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';

/** A port that was free a moment ago: a server has to know its address before it listens. */
export async function freePort(): Promise<number> {
  const placeholder = net.createServer().listen(0, '127.0.0.1');
  await once(placeholder, 'listening');
  const { port } = placeholder.address() as AddressInfo;
  placeholder.close();
  await once(placeholder, 'close');
  return port;
}
