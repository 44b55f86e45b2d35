import type { Contract, ProblemCode } from '../contract/contract.js';
import type { components } from '../contract/generated.js';
import type { Problem } from './problem.js';

export type ProblemDocument = components['schemas']['Problem'];
export type OAuthProblemDocument = components['schemas']['OAuthProblem'];

/** Path segment that stands for an error code in URLs. */
export function problemSlug(code: ProblemCode): string {
  return code.replaceAll('_', '-');
}

/** Builds the body of a refusal. `instance` is the path of the request without its query. */
export function problemDocument(
  problem: Problem,
  context: { problems: Contract['problems']; errorsUrl: string; instance: string; requestId: string },
): ProblemDocument {
  const { status, title } = context.problems[problem.code];
  return {
    type: `${context.errorsUrl}/${problemSlug(problem.code)}`,
    title,
    status,
    detail: problem.message,
    instance: context.instance,
    code: problem.code,
    request_id: context.requestId,
    ...(problem.errors && { errors: [...problem.errors] }),
  };
}

/** Text in the printable ASCII that RFC 6749 allows in `error_description`. */
export function oauthDescription(text: string): string {
  return text.replaceAll('"', "'").replaceAll(/[^\x20-\x5B\x5D-\x7E]/g, '?');
}

/** Adds the members that OAuth clients look for. @see RFC 6749 section 5.2 */
export function oauthProblemDocument(
  document: ProblemDocument,
  problems: Contract['problems'],
): OAuthProblemDocument {
  return {
    error: problems[document.code as ProblemCode].oauth_error ?? 'invalid_request',
    error_description: oauthDescription(document.detail),
    ...document,
  };
}
