import { once } from 'node:events';
import net from 'node:net';
import { toRecording } from './send.mjs';

/** Request timeout in milliseconds. With the default timeout, a recording takes half a minute. */
const requestTimeoutMs = 500;

/** Sends part of a request and reads the response until the server closes the connection. */
async function requestTimeout(world) {
  const { app, port } = await world.startOther();
  // Node.js applies the longer of the two to the whole request.
  app.server.headersTimeout = requestTimeoutMs;
  app.server.requestTimeout = requestTimeoutMs;
  const socket = net.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const head = [
    'POST /v1/reports HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `Authorization: Bearer ${await world.token()}`,
    'Content-Length: 100',
  ];
  socket.write([...head, '', '{"title": '].join('\r\n'));
  const text = Buffer.concat(await socket.toArray()).toString();
  const [start, body] = text.split('\r\n\r\n');
  const [statusLine, ...lines] = start.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(': ', 1)[0].toLowerCase(), line.slice(line.indexOf(': ') + 2)]),
  );
  return toRecording(Number(statusLine.split(' ')[1]), headers, body);
}

/** Errors that take seconds. They are recorded concurrently with the others. */
export const timeouts = { RequestTimeoutResponseExample: requestTimeout };
