import type { Role, SecondFactorPolicy, User } from './user.js';

/**
 * The stage of a sign-in: complete; with the password only, so that a second factor must be proved; or without a second
 * factor in an account that requires one, so that the user must set one up.
 */
export type SignInStage = 'complete' | 'second_factor' | 'enrolment';

/**
 * The stage of a session. It is determined at each request, so that a new policy, a new factor or the removal of a factor
 * applies to sessions that exist.
 *
 * @param session.secondFactorAt when the user proved a second factor in this session; `null`: not yet
 * @param session.singleSignOn whether the user signed in at the identity provider, which is responsible for its factors
 */
export function signInStage(
  user: Pick<User, 'role' | 'hasSecondFactor' | 'secondFactorPolicy' | 'onlySingleSignOn'>,
  { secondFactorAt, singleSignOn }: { secondFactorAt: Date | null; singleSignOn: boolean },
): SignInStage {
  // For an owner without the identity provider: a recovery code.
  if (user.hasSecondFactor || user.onlySingleSignOn) {
    return secondFactorAt === null ? 'second_factor' : 'complete';
  }
  if (singleSignOn) return 'complete';
  return requiresSecondFactor(user.secondFactorPolicy, user.role) ? 'enrolment' : 'complete';
}

/** Whether users with this role must have a second factor. */
export function requiresSecondFactor(policy: SecondFactorPolicy, role: Role): boolean {
  return policy === 'all' || (policy === 'administrators' && role !== 'member');
}
