import { invalidRequest } from './invalid-request.js';
import type { Problem } from './problem.js';

/** A member of a body that has the right form and a value that is not valid. */
export interface InvalidMember {
  readonly path: readonly (string | number)[];
  /** What it must be; follows its name. */
  readonly rule: string;
}

/** 400 `invalid_request` that names each member of the body by JSON pointer. */
export function invalidMembers(members: readonly InvalidMember[]): Problem {
  return invalidRequest(members, ({ path, rule }) => {
    const pointer = path.map((key) => `/${key}`).join('');
    return { pointer, detail: `${pointer} ${rule}.` };
  });
}
