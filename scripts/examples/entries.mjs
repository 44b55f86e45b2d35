import { authorizePages } from './authorize.mjs';
import { conflicts } from './conflicts.mjs';
import { employees } from './employees.mjs';
import { events } from './events.mjs';
import { failures } from './failures.mjs';
import { lifetimes, rateLimits } from './limits.mjs';
import { openid } from './openid.mjs';
import { proofs } from './proofs.mjs';
import { reports } from './reports.mjs';
import { requestErrors } from './request-errors.mjs';
import { timeouts } from './timeouts.mjs';
import { tokenErrors, tokens } from './tokens.mjs';
import { users } from './users.mjs';
import { webhooks } from './webhooks.mjs';

/** Recorded one after the other, in this order: events and reports are listed before other entries create more of them. */
export const inOrder = {
  ...events,
  ...webhooks,
  ...reports,
  ...employees,
  ...tokens,
  ...openid,
  ...users,
  ...authorizePages,
  ...requestErrors,
  ...tokenErrors,
  ...proofs,
  ...conflicts,
  ...lifetimes,
  ...rateLimits,
};

/** Recorded concurrently with the others, because they take seconds. */
export const concurrent = timeouts;

/** Recorded after all other entries. */
export const last = failures;

/**
 * The entry for each example, by its name: a function that takes a `World`, sends a request and returns the result
 * of `send`. The entry for a request example sends that example.
 */
export const entries = { ...inOrder, ...concurrent, ...last };
