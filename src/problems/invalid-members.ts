import { Problem } from './problem.js';

/** A member of a body that is well formed and still cannot be taken. */
export interface InvalidMember {
  readonly path: readonly (string | number)[];
  /** What it must be; follows its name. */
  readonly rule: string;
}

/** 400 `invalid_request` that names each member of the body by JSON pointer. */
export function invalidMembers(members: readonly InvalidMember[]): Problem {
  const errors = members.slice(0, maximumFindings).map(({ path, rule }) => {
    const pointer = path.map((key) => `/${key}`).join('');
    return { pointer, detail: `${pointer} ${rule}.` };
  });
  const detail = errors.length === 1 ? (errors[0]?.detail ?? '') : `The request has ${errors.length} errors.`;
  return new Problem('invalid_request', detail, { errors });
}

/** As many as the validator names. */
const maximumFindings = 20;
