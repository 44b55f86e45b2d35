import type { User } from '../../../platform/accounts/user.js';
import { OtherAccountProblem } from '../../../platform/problems/problem.js';
import type { Application } from '../../clients/client-registry.js';

/**
 * The user must belong to the account of the application.
 *
 * @throws {OtherAccountProblem} never a redirect, so that the application learns nothing about the user
 */
export function sameAccount(application: Application, user: User): void {
  if (application.accountId !== user.accountId) throw new OtherAccountProblem();
}
