import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { FastifyInstance, FastifyRequest, FastifyServerOptions } from 'fastify';
import type { Contract } from '../contract/contract.js';
import { Problem, problemDocument } from '../problems/problem.js';
import { anyOriginHeaders } from './cors.js';
import { pathOf, problemMediaType } from './error-handler.js';

/** Maximum size of a request body in bytes. */
export const bodyLimitBytes = 64 * 1024;

/**
 * Timeouts of a connection in milliseconds. They close connections of clients that are stalled, not of clients with a
 * high latency.
 */
export const connectionLimits = {
  /** From the first byte of a request to the last byte of its body, which has at most 64 KiB; uploads have other limits. */
  requestTimeout: 30_000,
  /** Between two requests; longer than the timeout of proxies, so that the proxy closes the connection. */
  keepAliveTimeout: 75_000,
} as const satisfies FastifyServerOptions;

export const headerLimits = {
  /** From the first byte, or from the connection when there is none, to the end of the headers. */
  headersTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
} as const;

/** For a client that has stopped reading or has disappeared. */
export const idleLimits: IdleLimits = { idleMs: 120_000, intervalMs: 5_000 };

/** Limits of an upload. They replace the time limit of requests, so that 50 MB can be sent over a slow connection. */
export interface UploadLimits {
  /** Bytes that must arrive in each period in which the server reads. */
  readonly minimumBytes: number;
  readonly periodMs: number;
  /** Milliseconds for the whole upload. */
  readonly deadlineMs: number;
}

export const uploadLimits: UploadLimits = {
  minimumBytes: 64 * 1024,
  periodMs: 30_000,
  deadlineMs: 1_800_000,
};

/** Checks in a period. */
const checksPerPeriod = 6;

/** Connections on which a file arrives. */
const uploading = new WeakSet<Socket>();

/** Closes the connection of an upload that is too slow. Watches until the body has arrived. */
export function watchUpload({ raw }: FastifyRequest, limits: UploadLimits): void {
  const { socket } = raw;
  if (raw.readableEnded || raw.destroyed) return;
  uploading.add(socket);
  const deadline = performance.now() + limits.deadlineMs;
  let bytesBefore = socket.bytesRead;
  let slowChecks = 0;
  const timer = setInterval(() => {
    const isFast = socket.bytesRead - bytesBefore >= limits.minimumBytes;
    // While the process does not read, the database is slow and not the client.
    if (isFast || raw.isPaused()) {
      bytesBefore = socket.bytesRead;
      slowChecks = 0;
    } else {
      slowChecks += 1;
    }
    if (slowChecks >= checksPerPeriod || performance.now() > deadline) socket.destroy();
  }, limits.periodMs / checksPerPeriod);
  timer.unref();
  const stop = () => {
    clearInterval(timer);
    uploading.delete(socket);
  };
  raw.once('end', stop).once('close', stop);
}

export interface IdleLimits {
  /** Milliseconds without a byte in either direction, after which a connection is closed. */
  readonly idleMs: number;
  /** Milliseconds between two checks of a connection, by which it may be closed later. */
  readonly intervalMs: number;
}

/** Consecutive intervals without a byte. */
interface IdleTime {
  readonly since: number;
  readonly seenAt: number;
  readonly bytes: string;
}

/**
 * Closes connections without traffic, because the client has stopped reading or has disappeared.
 *
 * The socket timeout of Node.js alone is not enough: if a part of a response was sent after it was written, Node.js
 * detects that only after the timeout and waits again. A client that reads nothing would be disconnected after twice the
 * time. But only this timeout detects the progress of a large response: it is therefore used for short intervals, and a
 * connection is closed after several intervals without traffic.
 */
export function closeIdleConnections(server: Server, { idleMs, intervalMs }: IdleLimits): void {
  const idleTimes = new WeakMap<Socket, IdleTime>();
  server.setTimeout(intervalMs, (socket: Socket) => {
    // Node.js reports the keep-alive timeout between two requests with the same event.
    if (socket.timeout !== intervalMs) {
      socket.destroy();
      return;
    }
    const idle = idleTimeOf(socket, idleTimes.get(socket), intervalMs);
    if (idle.seenAt - idle.since >= idleMs) {
      socket.destroy();
      return;
    }
    idleTimes.set(socket, idle);
    socket.setTimeout(intervalMs);
  });
}

function idleTimeOf(socket: Socket, previous: IdleTime | undefined, intervalMs: number): IdleTime {
  const seenAt = performance.now();
  const bytes = `${socket.bytesRead} ${socket.bytesWritten} ${socket.writableLength}`;
  // Node.js emits no event for an interval in which a part of a response was sent.
  const goesOn = previous?.bytes === bytes && seenAt - previous.seenAt < 1.9 * intervalMs;
  return { since: goesOn ? previous.since : seenAt - intervalMs, seenAt, bytes };
}

/**
 * Destroys responses that are queued behind another one when their connection is closed. Node.js does not destroy them,
 * so their handlers would not notice that the client has disconnected.
 */
export function closePipelinedResponses({ server }: FastifyInstance): void {
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (response.socket !== null) return;
    const close = () => {
      // Node.js destroys the current response.
      if (response.socket !== null || response.closed) return;
      response.destroyed = true;
      response.emit('close');
    };
    // The number of pipelined requests is not limited.
    socket.setMaxListeners(0).once('close', close);
    response.once('close', () => socket.off('close', close));
  });
}

type ConnectionError = Error & { code?: string };

/**
 * `_httpMessage` is the response to the request whose body is being received. The event `clientError` has only the socket. The
 * public way, a map that the event `request` fills, would cost every request.
 */
type HttpSocket = Socket & { _httpMessage?: ServerResponse };

/** Milliseconds until the connection is closed if the client does not close it. */
const lingerMilliseconds = 1000;

/**
 * Responds to errors before a request is complete: bytes that are not HTTP, headers that are too large, a client that
 * sends too slowly. The connection is closed after the response.
 */
export function createConnectionErrorHandler(problems: Contract['problems'], errorsUrl: string) {
  return (error: ConnectionError, socket: HttpSocket): void => {
    // Uploads have limits of their own.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && uploading.has(socket)) return;
    const midResponse = socket._httpMessage?.headersSent === true;
    if (error.code === 'ECONNRESET' || !socket.writable || midResponse) {
      socket.destroy();
      return;
    }
    socket.setTimeout(lingerMilliseconds, () => socket.destroy());
    const problem = toProblem(error);
    const requestId = randomUUID();
    // Without a parsed request `instance` is "/".
    const instance = pathOf({ raw: socket._httpMessage?.req ?? {} });
    const document = problemDocument(problem, { problems, errorsUrl, instance, requestId });
    const body = JSON.stringify(document);
    socket.end(
      [
        `HTTP/1.1 ${document.status} ${STATUS_CODES[document.status]}`,
        `Content-Type: ${problemMediaType}`,
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${requestId}`,
        ...Object.entries(anyOriginHeaders).map(([name, value]) => `${name}: ${value}`),
        'Cache-Control: no-store',
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    );
  };
}

function toProblem({ code }: ConnectionError): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem(
        'request_header_fields_too_large',
        'The URL and headers must not be larger than 16 KiB.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout', 'The request did not arrive in time.');
    default:
      return new Problem('invalid_request', 'The bytes received are not an HTTP request.');
  }
}
