import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Contract, Operation } from '../contract/contract.js';
import type { Problem } from '../problems/problem.js';
import { oauthProblemDocument, type ProblemDocument, problemDocument } from '../problems/problem-document.js';
import { namesMediaType } from './accept.js';
import { requestIdHeader } from './request-id.js';

export const problemMediaType = 'application/problem+json';

/** Answers a request with a problem document. */
export type ProblemSender = (problem: Problem, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/**
 * @param renderPage writes the problem for a person; used where a browser asks and the route has pages
 */
export function createProblemSender(
  problems: Contract['problems'],
  errorsUrl: string,
  renderPage: (document: ProblemDocument) => { html: string; headers: Record<string, string> },
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
      const { html, headers } = renderPage(document);
      return reply.headers(headers).type('text/html; charset=utf-8').send(html);
    }
    const forOAuthClients = operation !== undefined && servesOAuthClients(operation);
    const body = forOAuthClients ? oauthProblemDocument(document, problems) : document;
    const plainJson = forOAuthClients && !namesMediaType(request.headers, problemMediaType);
    return (
      reply
        .header('content-type', plainJson ? 'application/json' : problemMediaType)
        // A finished buffer: Fastify must not serialise it by the schema of the operation.
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
 * Path of the request without the query; what no URI may contain is percent-encoded. It begins with a slash, also where
 * the target is `*` or an address of another scheme.
 */
export function pathOf({ raw }: { readonly raw: Pick<IncomingMessage, 'url'> }): string {
  const url = raw.url ?? '/';
  const end = url.search(/[?#]/);
  const path = end === -1 ? url : url.slice(0, end);
  const encoded = path.replaceAll(/%(?![\dA-Fa-f]{2})|[^\w\-.~!$&'()*+,;=:@/%]/g, encodeURIComponent);
  return encoded.startsWith('/') ? encoded : `/${encoded}`;
}

/**
 * OAuth clients look for `error` in a body of type `application/json`, and lose it under any other: the
 * contract declares that type for the refusals of the endpoints that they call.
 *
 * @see RFC 6749 section 5.2
 */
function servesOAuthClients({ responses }: Operation): boolean {
  return responses.get(400)?.includes('application/json') ?? false;
}
