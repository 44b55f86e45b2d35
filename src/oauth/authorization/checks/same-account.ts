import { Problem } from '../../../problems/problem.js';
import type { Application } from '../../../services/applications/client-registry.js';
import type { User } from '../../../services/user.js';

/**
 * An application acts for users of its own account only.
 *
 * @throws {Problem} 403 `access_denied`; no redirect, so that the application learns nothing of the user
 */
export function sameAccount(application: Application, user: User): void {
  if (application.accountId !== user.accountId) {
    throw new Problem(
      'access_denied',
      'This application belongs to another account. Sign out, then sign in as a user of that account.',
    );
  }
}
