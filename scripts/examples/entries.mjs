import { authorizePages } from './authorize.mjs';
import { conflicts } from './conflicts.mjs';
import { employees } from './employees.mjs';
import { failures } from './failures.mjs';
import { lifetimes, rateLimits } from './limits.mjs';
import { reports } from './reports.mjs';
import { requestErrors } from './request-errors.mjs';
import { timeouts } from './timeouts.mjs';
import { tokenErrors, tokens } from './tokens.mjs';
import { users } from './users.mjs';

/** Recorded one after the other, in this order: reports are listed before others create more of them. */
export const inOrder = {
  ...reports,
  ...employees,
  ...tokens,
  ...users,
  ...authorizePages,
  ...requestErrors,
  ...tokenErrors,
  ...conflicts,
  ...lifetimes,
  ...rateLimits,
};

/** Recorded beside the others, because they take seconds. */
export const meanwhile = timeouts;

/** Recorded when everything else is. */
export const atTheEnd = failures;

/**
 * How each example is recorded, by its name: a function that sends a request with a {@link World} and returns what
 * `send` returns. The entry of a request example sends it.
 */
export const entries = { ...inOrder, ...meanwhile, ...atTheEnd };
