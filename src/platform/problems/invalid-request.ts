import { Problem, type ProblemError } from './problem.js';
import { codeOf, sentence, type Violation } from './rule-texts.js';

/** Errors in one response. The limit bounds the size of the response. */
export const maximumReportedErrors = 20;

type Place = { readonly parameter: string } | { readonly pointer: string } | { readonly header: string };

/** A validation error: where it is, and the rule that is violated. */
export interface InvalidValue {
  readonly place: Place;
  readonly violation: Violation;
  /** Subject of the sentence. Default: the parameter, the header or the pointer. */
  readonly subject?: string;
}

/**
 * 400 `invalid_request` with an error for each of the first 20 values, of which there is at least one.
 *
 * @param summarize the detail for several errors
 */
export function invalidRequest(
  values: readonly InvalidValue[],
  { headers = {}, summarize = summaryOf }: InvalidRequestOptions = {},
): Problem {
  const errors = values.slice(0, maximumReportedErrors).map(toProblemError);
  const detail = errors.length === 1 ? (errors[0]?.detail ?? '') : summarize(values.length);
  return new Problem('invalid_request', detail, { headers, errors });
}

interface InvalidRequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly summarize?: (count: number) => string;
}

/** 400 `invalid_request` for one query or form parameter. */
export function invalidParameter(parameter: string, violation: Violation): Problem {
  return invalidRequest([{ place: { parameter }, violation }]);
}

/** A member of a body that matches its schema and is invalid for another reason. */
interface InvalidMember {
  readonly path: readonly (string | number)[];
  readonly violation: Violation;
}

/** 400 `invalid_request` that names each member of the body by JSON pointer. */
export function invalidMembers(members: readonly InvalidMember[]): Problem {
  return invalidRequest(
    members.map(({ path, violation }) => ({
      place: { pointer: path.map((key) => `/${key}`).join('') },
      violation,
    })),
  );
}

function toProblemError({ place, violation, subject }: InvalidValue): ProblemError {
  const [name = ''] = Object.values(place);
  return { ...place, code: codeOf(violation), detail: sentence(subject ?? (name || 'The body'), violation) };
}

function summaryOf(count: number): string {
  return count > maximumReportedErrors
    ? `The request has more than ${maximumReportedErrors} validation errors. The first ${maximumReportedErrors} are listed in errors.`
    : `The request has ${count} validation errors.`;
}
