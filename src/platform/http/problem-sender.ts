import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Contract, Operation } from '../contract/contract.js';
import type { Problem } from '../problems/problem.js';
import { oauthProblemDocument, type ProblemDocument, problemDocument } from '../problems/problem-document.js';
import { namesMediaType } from './accept.js';
import { requestIdHeader } from './request-id.js';

export const problemMediaType = 'application/problem+json';

/** Sends a problem document as the response. */
export type ProblemSender = (problem: Problem, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/**
 * @param renderPage renders the problem as a page, for browsers on routes with pages
 */
export function createProblemSender(
  problems: Contract['problems'],
  errorsUrl: string,
  renderPage: (
    document: ProblemDocument,
    context: { problem: Problem; request: FastifyRequest },
  ) => { html: string; headers: Record<string, string> },
): ProblemSender {
  return (problem, request, reply) => {
    const document = problemDocument(problem, {
      problems,
      errorsUrl,
      instance: pathOf(request),
      requestId: request.id,
    });
    request.problemCode = problem.code;
    reply
      .code(document.status)
      .headers({ [requestIdHeader]: request.id, 'cache-control': 'no-store', ...problem.headers });
    const { operation } = request.routeOptions.config;
    if (wantsPage(request, document.status)) {
      const { html, headers } = renderPage(document, { problem, request });
      return reply.headers(headers).type('text/html; charset=utf-8').send(html);
    }
    const forOAuthClients = operation !== undefined && servesOAuthClients(operation);
    const body = forOAuthClients ? oauthProblemDocument(document, problems) : document;
    const plainJson = forOAuthClients && !namesMediaType(request.headers, problemMediaType);
    return (
      reply
        .header('content-type', plainJson ? 'application/json' : problemMediaType)
        // A buffer, so that Fastify does not serialize it with the schema of the operation.
        .send(Buffer.from(JSON.stringify(body)))
    );
  };
}

function wantsPage({ headers, routeOptions: { config } }: FastifyRequest, status: number): boolean {
  const hasPage =
    config.page === true || config.operation?.responses.get(status)?.includes('text/html') === true;
  return hasPage && namesMediaType(headers, 'text/html');
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
