import { Problem } from '../../../problems/problem.js';
import type { Application } from '../../../services/applications/client-registry.js';
import type { User } from '../../../services/user.js';

/**
 * The user must belong to the account of the application.
 *
 * @throws {Problem} 403 `access_denied`; never a redirect, so that the application learns nothing about the user
 */
export function sameAccount(application: Application, user: User): void {
  if (application.accountId !== user.accountId) {
    throw new Problem(
      'access_denied',
      'This application belongs to another account. Sign out, then sign in as a user of that account.',
    );
  }
}
