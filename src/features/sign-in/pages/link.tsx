import { keptFormField } from '../../../platform/pages/kept-form.js';
import { CsrfField } from '../../../platform/pages/layout.js';
import {
  singleSignOnAddress,
  singleSignOnFormPath,
  singleSignOnPath,
} from '../../../platform/pages/paths.js';

/**
 * Leads from the sign-in page to single sign-on: a link, or a form when the account is known or the form of an expired session is
 * kept.
 */
export function SingleSignOnLink({
  csrfToken,
  returnTo,
  keptForm,
  accountId,
}: {
  csrfToken: string;
  returnTo: string;
  keptForm: string;
  /** The account of the user, if it is known. */
  accountId?: string | undefined;
}) {
  const label = 'Sign in with single sign-on';
  if (keptForm === '' && accountId === undefined) {
    return (
      <p>
        <a href={singleSignOnAddress(returnTo)}>{label}</a>
      </p>
    );
  }
  return (
    <form method="post" action={accountId === undefined ? singleSignOnFormPath : singleSignOnPath(accountId)}>
      <CsrfField token={csrfToken} />
      <input type="hidden" name="return_to" value={returnTo} />
      {keptForm !== '' && <input type="hidden" name={keptFormField} value={keptForm} />}
      <button type="submit" class="quiet">
        {label}
      </button>
    </form>
  );
}
