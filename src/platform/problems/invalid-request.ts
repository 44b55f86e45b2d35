import { Problem, type ProblemError } from './problem.js';

/** Errors in one response. The limit bounds the size of the response. */
export const maximumErrors = 20;

/** 400 `invalid_request` with an error for each of the first 20 findings. `findings` must not be empty. */
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
    ? `The request has more than ${errors.length} validation errors. The first ${errors.length} are listed in errors.`
    : `The request has ${errors.length} validation errors.`;
}
