import net from 'node:net';
import type { Random } from '../../kit/random.js';

const token = 'grant_type=client_credentials&client_id=x&client_secret=y';

/** Requests that the server rejects without any change; some of their bytes are changed. */
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

/** Milliseconds to wait for a response. The server does not respond to a partial request. */
const timeoutMs = 500;

/** The response of the server to raw bytes. */
export interface RawResponse {
  /** 0 if it is not HTTP. */
  readonly status: number;
  readonly hasRequestId: boolean;
}

/** The bytes of a request, partly changed, truncated or repeated. */
export function rawRequest(random: Random): Buffer {
  const bytes = Buffer.from(random.pick(originals), 'latin1');
  for (let left = random.upTo(4); left > 0; left -= 1) bytes[random.upTo(bytes.length)] = random.upTo(256);
  if (random.chance(0.2)) return bytes.subarray(0, 1 + random.upTo(bytes.length));
  return random.chance(0.2) ? Buffer.concat([bytes, bytes]) : bytes;
}

/** Sends bytes and reads the head of the first response, if there is one. */
export function exchangeRaw(port: number, bytes: Buffer): Promise<RawResponse | undefined> {
  return new Promise((resolve) => {
    let text = '';
    const socket = net.connect(port, '127.0.0.1').setEncoding('latin1');
    const end = (response?: RawResponse) => {
      socket.destroy();
      resolve(response);
    };
    socket.setTimeout(timeoutMs, () => end());
    socket.on('error', () => end());
    socket.on('close', () => end());
    socket.on('data', (chunk) => {
      text += chunk;
      // An informational response precedes the final one.
      text = text.replace(/^HTTP\/1\.1 1\d\d .*?\r\n\r\n/s, '');
      const headEnd = text.indexOf('\r\n\r\n');
      if (headEnd === -1) return;
      const head = text.slice(0, headEnd);
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? 0);
      end({ status, hasRequestId: /\r\nx-request-id:/i.test(head) });
    });
    socket.end(bytes);
  });
}
