import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Contract, ProblemCode } from '../contract/contract.js';
import { Problem } from '../problems/problem.js';
import { problemDocument } from '../problems/problem-document.js';
import { pathOf, problemMediaType } from './problem-sender.js';
import { isUploading } from './upload-connections.js';

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
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return;
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
        'Cache-Control: no-store',
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    );
  };
}

const known: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  HPE_HEADER_OVERFLOW: [
    'request_header_fields_too_large',
    'The URL and headers must not be larger than 16 KiB.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time.'],
};

function toProblem({ code = '' }: ConnectionError): Problem {
  const [problemCode, detail] = known[code] ?? [
    'invalid_request',
    'The bytes received are not an HTTP request.',
  ];
  return new Problem(problemCode, detail);
}
