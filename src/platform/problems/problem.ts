import type { Contract, ProblemCode } from '../contract/contract.js';
import type { components } from '../contract/generated.js';
import type { ProblemItemCode } from '../contract/generated-values.js';
import { counted } from '../counted.js';

/** A validation error, and where it is: a parameter, a header or a member of the body. */
export type ProblemError = { readonly code: ProblemItemCode; readonly detail: string } & (
  | { readonly parameter: string }
  | { readonly pointer: string }
  | { readonly header: string }
);

/** What an error page says in place of the title and the detail, which are for developers. */
interface ProblemPageText {
  readonly heading?: string;
  /** What happened, and what the user can do. Default: the detail. */
  readonly text?: string;
}

interface ProblemOptions {
  /** Additional headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly retryAfterSeconds?: number;
  readonly errors?: readonly ProblemError[];
  /** For error pages. Default: the heading of the code, and the detail. */
  readonly page?: ProblemPageText;
  /** The underlying error: logged, never sent. */
  readonly cause?: unknown;
}

/**
 * An error that is sent to the client as a problem document. The error catalogue of the contract has the status and the
 * title of its code.
 *
 * @see RFC 9457
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: readonly ProblemError[] | undefined;
  readonly page: ProblemPageText | undefined;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, { cause: options.cause });
    this.code = code;
    const { headers, retryAfterSeconds: seconds } = options;
    this.headers = { ...headers, ...(seconds !== undefined && { 'retry-after': String(seconds) }) };
    this.errors = options.errors;
    this.page = options.page;
  }
}

/** A problem with `Retry-After`, which its detail states too. */
export function retryLater(code: ProblemCode, detail: string, retryAfterSeconds: number): Problem {
  const text = `${detail} Try again in ${counted(retryAfterSeconds, 'second')}.`;
  return new Problem(code, text, { retryAfterSeconds });
}

/**
 * 404 `not_found`. Unknown ids, malformed ids and ids of other accounts get the same response, so that clients
 * cannot find out which records exist in other accounts.
 */
export function recordNotFound(): Problem {
  return new Problem('not_found', 'No record with this id exists in your account.', {
    page: { text: 'What you are looking for does not exist, or was deleted. Check the address of the page.' },
  });
}

/**
 * The record that a request names.
 *
 * @throws {Problem} 404 `not_found` when there is none
 */
export function found<Record>(record: Record | null | undefined): Record {
  if (record === null || record === undefined) throw recordNotFound();
  return record;
}

/** 400 `invalid_request`: the redirect URI is not one of the application. The page names both, the problem document neither. */
export class UnregisteredRedirectUriProblem extends Problem {
  readonly applicationName: string;
  readonly redirectUri: string;

  constructor(
    { detail, errors = [] }: { detail: string; errors?: readonly ProblemError[] },
    { applicationName, redirectUri }: { applicationName: string; redirectUri: string },
  ) {
    super('invalid_request', detail, { errors });
    this.applicationName = applicationName;
    this.redirectUri = redirectUri;
  }
}

/** 403 `access_denied`: the application belongs to another account than the user. */
export class OtherAccountProblem extends Problem {
  constructor() {
    super(
      'access_denied',
      'This application belongs to another account. Sign out, then sign in as a user of that account.',
    );
  }
}

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
  const {
    status,
    oauth_error: error = 'invalid_request',
    oauth_status = status,
  } = problems[document.code as ProblemCode];
  return {
    error,
    error_description: oauthDescription(document.detail),
    ...document,
    status: oauth_status,
  };
}
