import type { IncomingMessage } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type Contract, methodsByPath, type Operation } from '../contract/contract.js';
import { isDatabaseUnavailable, isWriteConflict } from '../database/database-errors.js';
import { describeValidation, type RequestPart } from '../problems/describe-validation.js';
import {
  oauthProblemDocument,
  Problem,
  type ProblemDocument,
  problemDocument,
  recordNotFound,
} from '../problems/problem.js';
import { namesMediaType, prefersHtml } from './accept.js';
import { unsupportedMediaType } from './binding/request-syntax.js';
import { requestIdHeader } from './request-head.js';

export const problemMediaType = 'application/problem+json';

type ProblemSender = (problem: Problem, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** @param sendPage sends the problem as a page, to browsers outside of the API */
export function createProblemSender(
  problems: Contract['problems'],
  errorsUrl: string,
  sendPage: (
    reply: FastifyReply,
    document: ProblemDocument,
    context: { problem: Problem; request: FastifyRequest },
  ) => FastifyReply,
): ProblemSender {
  return (problem, request, reply) => {
    const document = problemDocument(problem, {
      problems,
      errorsUrl,
      instance: pathOf(request),
      requestId: request.id,
    });
    request.problemCode = problem.code;
    const { operation, page = operation === undefined && !programPath.test(document.instance) } =
      request.routeOptions.config;
    const forOAuthClients = operation !== undefined && servesOAuthClients(operation);
    const body = forOAuthClients ? oauthProblemDocument(document, problems) : document;
    reply
      .code(body.status)
      .headers({ [requestIdHeader]: request.id, 'cache-control': 'no-store', ...problem.headers });
    if (page) addVary(reply, 'Accept');
    if (page ? prefersHtml(request.headers) : hasDeclaredPage(request, document.status)) {
      return sendPage(reply, document, { problem, request });
    }
    const plainJson = forOAuthClients && !namesMediaType(request.headers, problemMediaType);
    return (
      reply
        .header('content-type', plainJson ? 'application/json' : problemMediaType)
        // A buffer, so that Fastify does not serialize it with the schema of the operation.
        .send(Buffer.from(JSON.stringify(body)))
    );
  };
}

/** Whether a client asks for the page that the contract declares for an error of an operation. */
function hasDeclaredPage({ headers, routeOptions: { config } }: FastifyRequest, status: number): boolean {
  return (
    config.operation?.responses.get(status)?.includes('text/html') === true &&
    namesMediaType(headers, 'text/html')
  );
}

/**
 * Paths for programs: the API in every version, published or not, and metadata. Their errors are problem documents,
 * whatever the client accepts.
 */
const programPath = /^\/+(?:v\d|(?:mcp|\.well-known)(?:\/|$))/i;

function addVary(reply: FastifyReply, name: string): void {
  const names = reply.getHeader('vary');
  reply.header('vary', names === undefined ? name : `${names}, ${name}`);
}

/**
 * Path of the request without the query. Characters that a URI must not contain are percent-encoded. It starts with a
 * slash, even if the request target is `*` or a URI with another scheme.
 */
export function pathOf({ raw }: { readonly raw: Pick<IncomingMessage, 'url'> }): string {
  const url = raw.url ?? '/';
  const end = url.search(/[?#]/);
  const path = end === -1 ? url : url.slice(0, end);
  const encoded = path.replaceAll(/%(?![\dA-Fa-f]{2})|[^\w\-.~!$&'()*+,;=:@/%]/g, encodeURIComponent);
  return encoded.startsWith('/') ? encoded : `/${encoded}`;
}

/**
 * OAuth clients read `error` only from a body of type `application/json`. The contract declares that type for errors of
 * the endpoints that they call.
 *
 * @see RFC 6749 section 5.2
 */
function servesOAuthClients({ responses }: Operation): boolean {
  return responses.get(400)?.includes('application/json') ?? false;
}

/** Sends a problem document for any error that was thrown while a request was processed. */
export function createErrorHandler(sendProblem: ProblemSender) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = toProblem(error, request);
    if (problem.cause !== undefined && loggedCodes.has(problem.code)) {
      request.log.error({ err: problem.cause }, problem.code);
    }
    return sendProblem(problem, request, reply);
  };
}

/** Codes whose cause is logged. */
const loggedCodes: ReadonlySet<string> = new Set(['internal_error', 'service_unavailable']);

/** Seconds after which a client may retry: enough for most restarts of the database and for write conflicts. */
const retryAfterSeconds = 2;

function toProblem(error: FastifyError, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error;
  // An error of the client's socket has the same code as an error of a database connection.
  if (error === request.raw.errored) return unreadable();
  if (error.validation !== undefined) {
    const part = error.validationContext as RequestPart;
    // An id that cannot exist gets the same response as an unknown one.
    if (part === 'params') return recordNotFound();
    const form = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
    return describeValidation(error.validation as Parameters<typeof describeValidation>[0], part, { form });
  }
  if (isDatabaseUnavailable(error) || isWriteConflict(error)) {
    return new Problem(
      'service_unavailable',
      'The service is temporarily unavailable. Try again in a few seconds.',
      { retryAfterSeconds, cause: error },
    );
  }
  return fromFramework(error, request) ?? internalError(error);
}

/** Problems for errors of Fastify, by error code. */
function fromFramework(error: FastifyError, { routeOptions }: FastifyRequest): Problem | undefined {
  const { operation } = routeOptions.config;
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_CONTENT_TYPE':
      return operation?.body
        ? unsupportedMediaType(operation)
        : new Problem('unsupported_media_type', 'The content type of the body is not supported.');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('payload_too_large', 'The body must not be larger than 64 KiB.', {
        page: { text: 'The form is larger than 64 KiB. Go back, shorten its texts and submit it again.' },
      });
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new Problem('invalid_request', 'The body must be JSON and must not be empty.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('invalid_request', 'The length of the body must match its Content-Length header.');
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new Problem('invalid_request', 'The body must be valid JSON.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return recordNotFound();
    case 'FST_ERR_BAD_URL':
      return new Problem('invalid_request', 'The path must be percent-encoded UTF-8.', {
        page: { heading: 'Page not found', text: 'The address of the page is invalid. Check it.' },
      });
    default:
      return error.statusCode === 400 ? unreadable() : undefined;
  }
}

function unreadable(): Problem {
  return new Problem('invalid_request', 'The request is malformed or incomplete.', {
    page: { text: 'The server cannot read what the browser sent. Go back, reload the page and try again.' },
  });
}

function internalError(cause: unknown): Problem {
  const detail = 'The server failed to process the request. Quote the request_id when you ask for support.';
  return new Problem('internal_error', detail, {
    cause,
    page: {
      text: 'The server failed to process the request. Try again. If it fails again, ask for support and quote the request below.',
    },
  });
}

/** Methods of a path in the contract as the value of an `Allow` header; `null` for an unknown path. */
type AllowedMethods = (path: string) => string | null;

/** @see RFC 9110 section 10.2.1 */
export function createAllowedMethods(contract: Contract): AllowedMethods {
  const paths = [...methodsByPath(contract.operations.values())].map(([template, methods]) => ({
    segments: template.split('/').map((segment) => (segment.startsWith('{') ? null : segment)),
    methods: methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)).join(', '),
  }));
  return (path) => {
    const segments = path.split('/');
    return paths.find((known) => matches(known.segments, segments))?.methods ?? null;
  };
}

/** @param template `null` is a parameter, which is never empty */
function matches(template: readonly (string | null)[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) => (part === null ? segments[index] !== '' : part === segments[index]))
  );
}

/** Characters of the path that are repeated in the error. */
const maximumEcho = 1000;

/**
 * 404 `public-api-not-found`: no route has this method and path. If the path has other methods, `Allow` lists them.
 */
export function routeNotFound(request: FastifyRequest, allowedMethods?: AllowedMethods): Problem {
  const path = pathOf(request);
  const allow = allowedMethods?.(path) ?? null;
  const shown = path.length > maximumEcho ? `${path.slice(0, maximumEcho)}…` : path;
  return new Problem('public-api-not-found', `No route matches ${request.method} ${shown}.`, {
    ...(allow !== null && { headers: { allow } }),
  });
}
