import type { ProblemCode } from '../contract/contract.js';

/** One thing that is wrong with a request, and where: a parameter, a header, or a member of the body. */
export type ProblemError = { readonly detail: string } & (
  | { readonly parameter: string }
  | { readonly pointer: string }
  | { readonly header: string }
);

export interface ProblemOptions {
  /** Headers that the answer carries besides those of every problem, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly errors?: readonly ProblemError[];
  /** What went wrong inside: logged, never sent. */
  readonly cause?: unknown;
}

/**
 * A refusal that the caller is told of. The code is a row of the contract's error catalogue, which gives it
 * its status, title and `type`.
 *
 * @see RFC 9457
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly errors: readonly ProblemError[] | undefined;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.headers = options.headers ?? {};
    this.errors = options.errors;
  }
}

/** 400 `invalid_request` that says what is wrong with one query or form parameter. */
export function invalidParameter(parameter: string, rule: string): Problem {
  const detail = `${parameter} ${rule}.`;
  return new Problem('invalid_request', detail, { errors: [{ parameter, detail }] });
}

/**
 * 404 `not_found`. An unknown id, a malformed one and one of another account get this same answer, so that
 * nobody learns what exists elsewhere.
 */
export function recordNotFound(): Problem {
  return new Problem('not_found', 'No record with this id exists in your account.');
}
