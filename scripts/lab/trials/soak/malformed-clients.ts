import net, { type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../../kit/random.js';
import type { Fleet } from './fleet.js';

const malformed = [
  'GARBAGE\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  'POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n',
  'POST /v1/oauth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  '\u0000\u0001\u0002\u0016\u0003\u0001',
];

const slowRequest =
  'POST /v1/reports HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n{"title":';

const mostSockets = 60;

/** Opens connections that send bytes that are not HTTP, or a request slowly. @returns how many */
export async function runMalformedClients({
  fleet,
  random,
  stopped,
}: {
  fleet: Fleet;
  random: Random;
  stopped: () => boolean;
}): Promise<number> {
  const sockets = new Set<Socket>();
  const connect = () => {
    const { port } = random.pick(fleet.servers);
    const socket = net.connect(port, '127.0.0.1').on('error', () => {});
    sockets.add(socket.once('close', () => sockets.delete(socket)));
    return socket;
  };
  let count = 0;
  while (!stopped()) {
    count += 1;
    if (random.chance(0.5)) connect().resume().end(random.pick(malformed));
    else if (sockets.size < mostSockets) sendSlowly(connect(), slowRequest);
    else random.pick([...sockets]).destroy();
    await wait(20 + random.upTo(60));
  }
  for (const socket of sockets) socket.destroy();
  return count;
}

function sendSlowly(socket: Socket, text: string): void {
  let sent = 0;
  socket.resume();
  const timer = setInterval(() => {
    if (sent < text.length) socket.write(text[sent++]);
  }, 50);
  socket.once('close', () => clearInterval(timer));
}
