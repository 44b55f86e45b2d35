import type { SignInStage } from '../../../platform/accounts/sign-in-stage.js';
import { ownSecondFactorPath, withReturnTo } from '../../../platform/pages/paths.js';
import { secondFactorPath } from './step-page.js';

/** The page after the password: the next step of the sign-in, or the requested page. */
export function nextStep(stage: SignInStage, returnTo: string): string {
  switch (stage) {
    case 'complete':
      return returnTo;
    case 'second_factor':
      return withReturnTo(secondFactorPath, returnTo);
    case 'enrolment':
      return withReturnTo(ownSecondFactorPath, returnTo);
  }
}
