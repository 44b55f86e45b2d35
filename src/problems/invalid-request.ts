import { Problem, type ProblemError } from './problem.js';

/** Errors of one response: more help no client, and the response stays small whatever was sent. */
export const maximumErrors = 20;

/** 400 `invalid_request` with an error for each finding, of which there is at least one; the first twenty are described. */
export function invalidRequest<Finding>(
  findings: readonly Finding[],
  describe: (finding: Finding) => ProblemError,
): Problem {
  const errors = findings.slice(0, maximumErrors).map(describe);
  return new Problem('invalid_request', summaryOf(errors, findings.length), { errors });
}

function summaryOf(errors: readonly ProblemError[], found: number): string {
  const [first] = errors;
  if (errors.length === 1 && first !== undefined) return first.detail;
  return found > errors.length
    ? `The request has more than ${errors.length} errors; the first ${errors.length} are listed.`
    : `The request has ${errors.length} errors.`;
}
