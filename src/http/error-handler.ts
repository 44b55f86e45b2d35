import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable, isWriteConflict } from '../database/database-errors.js';
import { describeValidation, type RequestPart } from '../problems/describe-validation.js';
import { Problem, recordNotFound } from '../problems/problem.js';
import { unsupportedMediaType } from './binding/request-syntax.js';
import type { ProblemSender } from './problem-sender.js';

/** Answers whatever was thrown while a request was served with a problem document. */
export function createErrorHandler(sendProblem: ProblemSender) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = toProblem(error, request);
    if (problem.cause !== undefined && loggedCodes.has(problem.code)) {
      request.log.error({ err: problem.cause }, problem.code);
    }
    return sendProblem(problem, request, reply);
  };
}

/** Codes of failures, whose cause is in the log. */
const loggedCodes: ReadonlySet<string> = new Set(['internal_error', 'service_unavailable']);

/** Seconds after which a client may try again: the database is mostly back by then, and a conflict over. */
const retryAfterSeconds = '2';

function toProblem(error: FastifyError, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error;
  // The codes of sockets do not say whose socket it was: a client that leaves during its upload would look like the
  // database.
  if (error === request.raw.errored) return unreadable();
  if (error.validation !== undefined) {
    const part = error.validationContext as RequestPart;
    // An id that could not exist is answered like one that does not.
    if (part === 'params') return recordNotFound();
    const form = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
    return describeValidation(error.validation as Parameters<typeof describeValidation>[0], part, { form });
  }
  if (isDatabaseUnavailable(error) || isWriteConflict(error)) {
    return new Problem(
      'service_unavailable',
      'The service is temporarily unavailable. Try again in a few seconds.',
      {
        headers: { 'retry-after': retryAfterSeconds },
        cause: error,
      },
    );
  }
  return fromFramework(error, request) ?? internalError(error);
}

/** Refusals of Fastify's own, by its error codes. */
function fromFramework(error: FastifyError, { routeOptions }: FastifyRequest): Problem | undefined {
  const { operation } = routeOptions.config;
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_CONTENT_TYPE':
      return operation?.body
        ? unsupportedMediaType(operation)
        : new Problem('unsupported_media_type', 'The operation has no request body of this content type.');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('payload_too_large', 'The body must not be larger than 64 KiB.');
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new Problem('invalid_request', 'A JSON body is required, and this one is empty.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('invalid_request', 'The body is not as long as its Content-Length header says.');
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new Problem('invalid_request', 'The body is not valid JSON.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return recordNotFound();
    case 'FST_ERR_BAD_URL':
      return new Problem('invalid_request', 'The path must be percent-encoded UTF-8.');
    default:
      return error.statusCode === 400 ? unreadable() : undefined;
  }
}

function unreadable(): Problem {
  return new Problem('invalid_request', 'The request could not be read: it is malformed or was cut off.');
}

function internalError(cause: unknown): Problem {
  const detail = 'The server failed to process the request. Quote the request_id when you ask for support.';
  return new Problem('internal_error', detail, { cause });
}
