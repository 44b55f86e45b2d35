import type { Role } from '../../../platform/accounts/user.js';
import { isRecordId } from '../../../platform/pages/fields.js';
import {
  describedBy,
  ErrorSummary,
  FieldError,
  type FormError,
  TextField,
} from '../../../platform/pages/form-parts.js';
import { CsrfField } from '../../../platform/pages/layout.js';
import { withNotice } from '../../../platform/pages/notices.js';
import type { PageContext, PageResponse } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { settings } from '../../../platform/pages/paths.js';
import { SitePage } from '../../../platform/pages/site-page.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import { sentence } from '../../../platform/problems/rule-texts.js';
import { maximumInvitations } from '../invitations.js';
import { LinkPage } from './link-page.js';
import {
  assignableRoles,
  mayNotChange,
  roleDescriptions,
  roleName,
  submittedRole,
  type UserPagesDependencies,
} from './user-pages.js';

/** Path of the form, and prefix of those of each invitation. */
export const invitationsPath = `${settings.users}/invitations`;

const emailField = 'email';
const firstRoleField = 'role_0';

/** Form that invites a person, and revocation of invitations. */
export function invitationPages(
  site: PageRouter,
  { invitations, passwordLinks }: UserPagesDependencies,
): void {
  const formPage = (context: PageContext, form: { email: string; role?: Role }, errors: FormError[] = []) => (
    <InvitePage {...{ context, ...form, errors }} delivers={passwordLinks.delivers} />
  );
  const rejected = (
    context: PageContext,
    form: { email: string; role?: Role },
    error: FormError,
  ): PageResponse => ({ status: 400, page: formPage(context, form, [error]) });

  site.get(`${settings.users}/invite`, async (context) => ({ page: formPage(context, { email: '' }) }));

  // The address of the form: a user whose session expired is sent back to it after signing in.
  site.get(invitationsPath, async () => ({ redirect: `${settings.users}/invite` }));

  site.post(
    invitationsPath,
    async (context) => {
      const email = context.form.text(emailField);
      const role = submittedRole(context);
      if (role === undefined) {
        return rejected(context, { email }, { field: firstRoleField, message: 'Choose a role.' });
      }
      const failed = (message: string) => rejected(context, { email, role }, { field: emailField, message });
      const outcome = await invitations.create(context.auditContext, { email, role });
      switch (outcome.kind) {
        case 'invalid_email':
          return failed(sentence('The e-mail address', outcome.violation));
        case 'exists':
          return failed('A user of your account has this e-mail address.');
        case 'foreign_domain':
          return failed('This e-mail address cannot be used.');
        case 'too_many':
          return failed(`An account can have ${maximumInvitations} open invitations. Revoke one first.`);
        case 'forbidden':
          throw mayNotChange();
        case 'invited':
          switch (outcome.link.kind) {
            case 'mailed':
              return { redirect: withNotice(settings.users, 'invited') };
            case 'failed':
              return { redirect: withNotice(settings.users, 'invitation_not_sent') };
            case 'shown':
              return {
                script: true,
                page: (
                  <LinkPage
                    context={context}
                    title="Invitation created"
                    email={email}
                    url={outcome.link.url}
                    lifetime="7 days"
                    back={settings.users}
                  />
                ),
              };
          }
      }
    },
    {
      restore: async (context) => {
        const role = submittedRole(context);
        const form = { email: context.form.text(emailField), ...(role && { role }) };
        return { page: formPage(context, form) };
      },
    },
  );

  site.get(`${invitationsPath}/:id/revoke`, async () => ({ redirect: settings.users }));

  site.post(`${invitationsPath}/:id/revoke`, async (context) => {
    const id = context.parameter('id');
    const outcome = isRecordId(id) ? await invitations.revoke(context.auditContext, id) : 'not_found';
    if (outcome === 'not_found') throw recordNotFound();
    if (outcome === 'forbidden') throw mayNotChange();
    return { redirect: withNotice(settings.users, 'invitation_revoked') };
  });
}

function InvitePage({
  context,
  email,
  role = 'member',
  errors,
  delivers,
}: {
  context: PageContext;
  email: string;
  role?: Role;
  errors: readonly FormError[];
  delivers: boolean;
}) {
  const title = 'Invite a user';
  const messages = new Map(errors.map((error) => [error.field, error.message]));
  const roleError = messages.get(firstRoleField);
  return (
    <SitePage context={context} title={title} hasErrors={errors.length > 0} current="users">
      <h1>{title}</h1>
      <ErrorSummary errors={errors} />
      <p>
        {delivers
          ? 'The person gets a mail with a link that can be used once, within 7 days.'
          : 'You get a link that can be used once, within 7 days, and send it to the person.'}
      </p>
      <form method="post" action={invitationsPath} noValidate class="fields">
        <CsrfField token={context.csrfToken} />
        <TextField
          id={emailField}
          label="E-mail address"
          type="email"
          value={email}
          autocomplete="off"
          maxLength={320}
          error={messages.get(emailField)}
        />
        <fieldset {...describedBy(firstRoleField, { error: roleError !== undefined })}>
          <legend>Role</legend>
          <FieldError field={firstRoleField} message={roleError} />
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
                <strong>{roleName(offered)}</strong> {roleDescriptions[offered]}
              </span>
            </label>
          ))}
        </fieldset>
        <div class="actions">
          <button type="submit">{delivers ? 'Send invitation' : 'Create invitation'}</button>
          <a href={settings.users}>Cancel</a>
        </div>
      </form>
    </SitePage>
  );
}
