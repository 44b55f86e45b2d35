import { ConfirmForm } from '../../../platform/pages/confirm-form.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { settings } from '../../../platform/pages/paths.js';
import { RevokeGrantsField } from '../../../platform/pages/revocation-choice.js';
import { SitePage } from '../../../platform/pages/site-page.js';
import { removePath } from './paths.js';

/** Confirms that the identity provider is removed. */
export function RemovePage({ context }: { context: PageContext }) {
  const title = 'Remove single sign-on?';
  return (
    <SitePage context={context} title={title} current="singleSignOn">
      <h1>{title}</h1>
      <div class="warning">
        <p>
          <strong>This takes effect immediately:</strong>
        </p>
        <ul>
          <li>Other users who signed in with single sign-on are signed out.</li>
          <li>Users sign in with a password. Users without one set it under “Forgot your password?”.</li>
          <li>The issuer, the client ID, the client secret and the links of users are deleted.</li>
        </ul>
      </div>
      <ConfirmForm
        context={context}
        action={removePath}
        button="Remove single sign-on"
        cancel={settings.singleSignOn}
      >
        <RevokeGrantsField
          id="remove-grants"
          label="Also disconnect the applications of users who have signed in with single sign-on"
        />
      </ConfirmForm>
    </SitePage>
  );
}
