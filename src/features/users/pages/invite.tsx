import type { Role } from '../../../platform/accounts/user.js';
import { actionForm, formPage, rejected } from '../../../platform/pages/define-pages.js';
import { requestedId } from '../../../platform/pages/fields.js';
import { withFlash } from '../../../platform/pages/flash.js';
import { FieldError, Form, TextField, useDescription } from '../../../platform/pages/form-parts.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { settings } from '../../../platform/pages/paths.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import { sentence } from '../../../platform/problems/rule-texts.js';
import { maximumInvitations } from '../invitations.js';
import {
  afterLink,
  assignableRoles,
  mayNotChange,
  roleDescriptions,
  roleNames,
  submittedRole,
  type UserPagesDependencies,
} from './user-pages.js';

/** Path of the form, and prefix of those of each invitation. */
export const invitationsPath = `${settings.users}/invitations`;

const emailField = 'email';
const firstRoleField = 'role_0';

/** Form that invites a person, and revocation of invitations. */
export function invitationPages(site: PageRouter, { invitations, canSendMail }: UserPagesDependencies): void {
  formPage<InviteForm>(site, invitationsPath, {
    page: `${settings.users}/invite`,
    recentPassword: ['form', 'grants access to the account'],
    initial: () => ({ email: '', role: 'member' }),
    read: (context) => ({ email: context.form.text(emailField), role: submittedRole(context) }),
    view: (context, form) => ({
      title: 'Invite a user',
      body: <InviteFields {...{ context, form, canSendMail }} />,
    }),
    save: async (context, { email, role }) => {
      if (role === undefined) return rejected(firstRoleField, 'Choose a role.');
      const outcome = await invitations.create(context.auditContext, { email, role });
      switch (outcome.kind) {
        case 'invalid_email':
          return rejected(emailField, sentence('The e-mail address', outcome.violation));
        case 'email_taken':
          return rejected(emailField, 'A user of your account has this e-mail address.');
        case 'foreign_domain':
          return rejected(emailField, 'This e-mail address cannot be used.');
        case 'limit_reached':
          return rejected(
            emailField,
            `An account can have ${maximumInvitations} open invitations. Revoke one first.`,
          );
        case 'forbidden':
          throw mayNotChange();
        case 'invited':
          return afterLink(outcome.link, {
            email,
            lifetime: '7 days',
            back: settings.users,
            title: 'Invitation created',
            mailed: 'invited',
            failed: 'invitation_not_sent',
          });
      }
    },
  });

  // A user whose session expired is sent back to the path of the form after signing in.
  site.get(invitationsPath, async () => ({ redirect: `${settings.users}/invite` }));

  actionForm(site, `${invitationsPath}/:id/revoke`, {
    recentPassword: ['form', 'revokes an invitation'],
    back: () => settings.users,
    save: async (context) => {
      const outcome = await invitations.revoke(context.auditContext, requestedId(context));
      if (outcome === 'not_found') throw recordNotFound();
      if (outcome === 'forbidden') throw mayNotChange();
      return { redirect: withFlash(settings.users, 'invitation_revoked') };
    },
  });
}

interface InviteForm {
  readonly email: string;
  readonly role: Role | undefined;
}

function InviteFields({
  context,
  form: { email, role = 'member' },
  canSendMail,
}: {
  context: PageContext;
  form: InviteForm;
  canSendMail: boolean;
}) {
  return (
    <>
      <p>
        {canSendMail
          ? 'The person gets a mail with a link that can be used once, within 7 days.'
          : 'You get a link that can be used once, within 7 days, and send it to the person.'}
      </p>
      <Form
        action={invitationsPath}
        button={canSendMail ? 'Send invitation' : 'Create invitation'}
        cancel={settings.users}
      >
        <TextField
          id={emailField}
          label="E-mail address"
          type="email"
          value={email}
          autocomplete="off"
          maxLength={320}
        />
        <fieldset {...useDescription(firstRoleField)}>
          <legend>Role</legend>
          <FieldError field={firstRoleField} />
          {assignableRoles(context).map((offered, index) => (
            <label key={offered} class="choice">
              <input
                type="radio"
                id={`role_${index}`}
                name="role"
                value={offered}
                checked={offered === role}
              />
              <span>
                <strong>{roleNames[offered]}</strong> {roleDescriptions[offered]}
              </span>
            </label>
          ))}
        </fieldset>
      </Form>
    </>
  );
}
