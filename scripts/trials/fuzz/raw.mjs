import net from 'node:net';
import { AnswerReader } from '../client/answer-reader.mjs';

const token = 'grant_type=client_credentials&client_id=x&client_secret=y';

/** Requests that are refused as they are; bytes of them are changed. */
const originals = [
  'GET /v1/employees?page[size]=1 HTTP/1.1\r\nHost: api.bench\r\nAuthorization: Bearer x\r\n\r\n',
  `POST /v1/oauth/token HTTP/1.1\r\nHost: api.bench\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${token.length}\r\n\r\n${token}`,
  'POST /v1/reports HTTP/1.1\r\nHost: api.bench\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n',
  'GET /v1/reports HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  'POST /v1/reports HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'GET http://api.bench/v1/employees HTTP/1.1\r\nHost: api.bench\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: api.bench\r\n\r\n',
  'CONNECT api.bench:80 HTTP/1.1\r\nHost: api.bench\r\n\r\n',
  'GET /v1/employees HTTP/1.0\r\n\r\n',
  'GET /v1/employees HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
];

/** Milliseconds after which a server that does not answer half a request is left alone. */
const patienceMs = 500;

/** Bytes of a request, some of them changed, cut off, or sent twice. */
export function rawRequest(random) {
  const bytes = Buffer.from(random.pick(originals), 'latin1');
  for (let left = random.upTo(4); left > 0; left -= 1) bytes[random.upTo(bytes.length)] = random.upTo(256);
  if (random.chance(0.2)) return bytes.subarray(0, 1 + random.upTo(bytes.length));
  return random.chance(0.2) ? Buffer.concat([bytes, bytes]) : bytes;
}

/** Sends bytes and reads the first answer, if there is one. */
export function exchangeRaw(port, bytes) {
  return new Promise((resolve) => {
    const reader = new AnswerReader();
    const socket = net.connect(port, '127.0.0.1');
    const end = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(patienceMs, () => end());
    socket.on('error', () => end());
    socket.on('close', () => end());
    socket.on('data', (chunk) => {
      try {
        const answer = reader.read(chunk, 'GET');
        if (answer !== undefined) end(answer);
      } catch (error) {
        end({ status: 0, headers: {}, body: Buffer.from(error.message) });
      }
    });
    socket.end(bytes);
  });
}
