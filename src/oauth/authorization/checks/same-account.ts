import { Problem } from '../../../problems/problem.js';
import type { Application } from '../../../services/applications/client-registry.js';
import type { User } from '../../../services/user.js';

/** 403 `access_denied`: the application belongs to another account than the user. */
export class OtherAccountProblem extends Problem {
  constructor() {
    super(
      'access_denied',
      'This application belongs to another account. Sign out, then sign in as a user of that account.',
    );
  }
}

/**
 * The user must belong to the account of the application.
 *
 * @throws {OtherAccountProblem} never a redirect, so that the application learns nothing about the user
 */
export function sameAccount(application: Application, user: User): void {
  if (application.accountId !== user.accountId) throw new OtherAccountProblem();
}
