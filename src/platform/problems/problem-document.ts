import type { Contract, ProblemCode } from '../contract/contract.js';
import type { components } from '../contract/generated.js';
import type { Problem } from './problem.js';

export type ProblemDocument = components['schemas']['Problem'];
type OAuthProblemDocument = components['schemas']['OAuthProblem'];

/** Path segment of an error code in URLs: the code with `-` in place of `_`. */
export function problemSlug(code: ProblemCode): string {
  return code.replaceAll('_', '-');
}

/** Builds a problem document. `instance` is the path of the request without its query. @see RFC 9457 section 3 */
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

/** Text in the characters of `error_description`, which are printable ASCII. @see RFC 6749 section 5.2 */
export function oauthDescription(text: string): string {
  return text.replaceAll('"', "'").replaceAll(/[^\x20-\x5B\x5D-\x7E]/g, '?');
}

/** Adds `error` and `error_description` for OAuth clients. @see RFC 6749 section 5.2 */
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
