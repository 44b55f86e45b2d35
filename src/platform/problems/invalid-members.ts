import { invalidRequest } from './invalid-request.js';
import type { Problem } from './problem.js';

/** A member of a body that matches its schema and is invalid for another reason. */
export interface InvalidMember {
  readonly path: readonly (string | number)[];
  /** The valid values. The text follows the name of the member. */
  readonly rule: string;
}

/** 400 `invalid_request` that names each member of the body by JSON pointer. */
export function invalidMembers(members: readonly InvalidMember[]): Problem {
  return invalidRequest(members, ({ path, rule }) => {
    const pointer = path.map((key) => `/${key}`).join('');
    return { pointer, detail: `${pointer} ${rule}.` };
  });
}
