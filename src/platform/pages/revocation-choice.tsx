import type { RevocationChoice } from '../accounts/revoke-user-access.js';
import type { PageContext } from './page-context.js';

const name = 'revoke_grants';

/** The checkbox of a change of how users sign in, which also disconnects their applications. `id` is unique on the page. */
export function RevokeGrantsField({
  id,
  label,
  checked = false,
}: {
  id: string;
  label: string;
  checked?: boolean;
}) {
  return (
    <div class="field">
      <label class="choice">
        <input type="checkbox" name={name} value="yes" checked={checked} aria-describedby={`${id}-hint`} />
        <span>{label}</span>
      </label>
      <p class="hint" id={`${id}-hint`}>
        Their access and refresh tokens stop working, and the users authorize the applications again. Without
        it, applications stay connected.
      </p>
    </div>
  );
}

/** What the submitted form revokes. The session of the request is kept. */
export function revocationChoice({ form, sessionId }: PageContext): RevocationChoice {
  return { sessionId, withGrants: form.text(name) === 'yes' };
}
