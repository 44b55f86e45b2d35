/**
 * When a form needs a recent password:
 *
 * - `no`: never
 * - `form`: when it is submitted
 * - `page`: before it is shown, because it has a file, which the question for the password would lose
 * - `write_scopes`: when it grants a scope that writes
 */
type RecentPassword = 'no' | 'form' | 'page' | 'write_scopes';

/** Whether a form needs a recent password, and why. */
type PageAction = readonly [recentPassword: RecentPassword, reason: string];

/**
 * The forms of all pages, by the path of their route. One rule decides: what grants or destroys access or data needs a
 * recent password.
 */
export const pageActions: Readonly<Record<string, PageAction>> = {
  '/sign_in': ['no', 'has the password'],
  '/sign_in/passkey': ['no', 'has a proof of the passkey'],
  '/sign_in/second_factor': ['no', 'completes a sign-in'],
  '/sign_in/sso': ['no', 'starts a sign-in'],
  '/sign_in/sso/:account': ['no', 'starts a sign-in'],
  '/sign_out': ['no', 'ends only the session of the browser'],
  '/forgot_password': ['no', 'sends a link to the user'],
  '/accept_invitation/:token': ['no', 'has the token of a link'],
  '/set_password/:token': ['no', 'has the token of a link'],
  '/confirm_email/:token': ['no', 'has the token of a link'],
  '/v1/oauth/authorize': ['write_scopes', 'grants an application access'],

  '/people/employees/new': ['no', 'adds one record'],
  '/people/employees/:employee_id/edit': ['no', 'changes one record'],
  '/people/employees/:employee_id/delete': ['form', 'destroys a record'],
  '/people/employees/import': ['page', 'leads to an import; stores the file only'],
  '/people/employees/imports/:id/columns': ['no', 'starts a check, which changes nothing'],
  '/people/employees/imports/:id/start': ['form', 'replaces values of many records'],
  '/people/employees/imports/:id/cancel': ['no', 'deletes only the uploaded copy of a file'],
  '/people/reports': ['no', 'adds a report'],
  '/people/reports/:id/edit': ['no', 'changes a report'],
  '/people/reports/:id/delete': ['form', 'destroys a report'],

  '/people/settings/oauth_applications': ['form', 'creates a client secret'],
  '/people/settings/oauth_applications/:id/edit': ['form', 'grants or removes scopes and redirect URIs'],
  '/people/settings/oauth_applications/:id/secrets': ['form', 'creates a client secret'],
  '/people/settings/oauth_applications/:id/secrets/:secret_id/revoke': ['form', 'revokes a client secret'],
  '/people/settings/oauth_applications/:id/revoke_access': ['form', 'revokes all access of an application'],
  '/people/settings/oauth_applications/:id/delete': [
    'form',
    'revokes all access, and destroys the application',
  ],
  '/people/settings/oauth_applications/:id/webhooks/:endpoint_id/test': ['no', 'sends a test without data'],
  '/people/settings/oauth_applications/:id/webhooks/:endpoint_id/resume': [
    'form',
    'sends events to its URL, or skips some',
  ],

  '/people/settings/connected_applications/:id/disconnect': ['form', 'revokes the access of an application'],
  '/people/settings/account/profile': ['no', 'changes only how the user is shown'],
  '/people/settings/account/sessions': ['no', 'ends only own sessions'],
  '/people/settings/account/email': ['form', 'changes who can sign in'],
  '/people/settings/account/password': ['no', 'has a field for the current password'],
  '/people/settings/account/second_factor/app': ['form', 'adds a second factor'],
  '/people/settings/account/second_factor/app/remove': ['form', 'removes a second factor'],
  '/people/settings/account/second_factor/passkeys': ['form', 'adds a second factor'],
  '/people/settings/account/second_factor/passkeys/:id/remove': ['form', 'removes a second factor'],
  '/people/settings/account/second_factor/recovery_codes': ['form', 'replaces the recovery codes'],

  '/people/settings/users/invitations': ['form', 'grants access to the account'],
  '/people/settings/users/invitations/:id/revoke': ['form', 'revokes an invitation'],
  '/people/settings/users/:id/role': ['form', 'grants or removes permissions'],
  '/people/settings/users/:id/disable': ['form', 'revokes the access of a user'],
  '/people/settings/users/:id/enable': ['form', 'grants a user access'],
  '/people/settings/users/:id/sessions': ['form', 'revokes the sessions of a user'],
  '/people/settings/users/:id/second_factor': ['form', 'removes the second factors of a user'],
  '/people/settings/users/:id/single_sign_on': ['form', 'removes how a user signs in'],
  '/people/settings/users/:id/password_link': ['form', 'creates a link that sets a password'],
  '/people/settings/users/:id/applications/:application_id/disconnect': [
    'form',
    'revokes the access of an application',
  ],
  '/people/settings/single_sign_on': ['form', 'changes who can sign in'],
  '/people/settings/single_sign_on/only': ['form', 'changes who can sign in'],
  '/people/settings/single_sign_on/remove': ['form', 'changes who can sign in'],
  '/people/settings/security': ['form', 'changes who needs a second factor'],
};

/**
 * When the form of a route needs a recent password.
 *
 * @throws {Error} when the table does not have the route
 */
export function recentPasswordOf(path: string): RecentPassword {
  const action = pageActions[path];
  if (action === undefined)
    throw new Error(`The form ${path} is missing in src/platform/pages/page-actions.ts`);
  return action[0];
}
