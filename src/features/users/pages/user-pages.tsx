import type { Grants } from '../../../oauth/grants/grants.js';
import type { SessionSummary } from '../../../platform/accounts/sessions.js';
import { type Role, roles } from '../../../platform/accounts/user.js';
import type { UserSummary } from '../../../platform/accounts/users.js';
import { mayAdminister } from '../../../platform/changes/locks.js';
import type { Core } from '../../../platform/core.js';
import type { DeliveredLink } from '../../../platform/mail/link-delivery.js';
import { Badge } from '../../../platform/pages/badge.js';
import { browserName } from '../../../platform/pages/browser-name.js';
import { shownOncePage } from '../../../platform/pages/copyable.js';
import { type Column, column, DataTable } from '../../../platform/pages/data-table.js';
import { requestedId } from '../../../platform/pages/fields.js';
import { type Flash, withFlash } from '../../../platform/pages/flash.js';
import type { PageContext, PageResponse } from '../../../platform/pages/page-context.js';
import { settings } from '../../../platform/pages/paths.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import { found, Problem, recordNotFound } from '../../../platform/problems/problem.js';
import type { UserServices } from '../index.js';
import type { UserChange } from '../user-administration.js';

export type UserPagesDependencies = Pick<Core, 'users' | 'userSessions'> &
  UserServices & { readonly grants: Grants };

/** Display name of each role. */
export const roleNames: Readonly<Record<Role, string>> = {
  owner: 'Owner',
  admin: 'Administrator',
  member: 'Member',
};

/** Summary of the second factors of a user. */
export function secondFactorText({
  hasAuthenticatorApp,
  passkeys,
}: Pick<UserSummary, 'hasAuthenticatorApp' | 'passkeys'>): string {
  const parts = [
    ...(hasAuthenticatorApp ? ['authenticator app'] : []),
    ...(passkeys > 0 ? [passkeys === 1 ? 'passkey' : `${passkeys} passkeys`] : []),
  ].join(' and ');
  return parts === '' ? 'None' : parts.charAt(0).toUpperCase() + parts.slice(1);
}

/** What each role permits. */
export const roleDescriptions: Readonly<Record<Role, string>> = {
  owner: 'Manages everything, with the other owners.',
  admin: 'Manages employees, reports, applications and users, except owners.',
  member: 'Sees the directory, and changes only their own profile.',
};

/** Roles that the user may give to others. */
export function assignableRoles({ user }: PageContext): Role[] {
  return roles.filter((role) => mayAdminister(user.role, role));
}

/** The role that a form submits; `undefined` for any other value. */
export function submittedRole({ form }: PageContext): Role | undefined {
  const value = form.text('role');
  return roles.find((role) => role === value);
}

/** Path of the page of a user, or of a page below it. */
export function userPath(id: string, ...below: readonly string[]): string {
  return [settings.users, id, ...below].join('/');
}

/**
 * The user that the path identifies.
 *
 * @throws {Problem} 404 `not_found` when the account has no user with this id
 */
export async function requestedUser(
  context: PageContext,
  { users }: Pick<UserPagesDependencies, 'users'>,
): Promise<UserSummary> {
  return found(await users.get(context.user.accountId, requestedId(context)));
}

/** Whether the signed-in user may change another user on the pages. */
export function mayChange({ user }: PageContext, { id, role }: Pick<UserSummary, 'id' | 'role'>): boolean {
  return user.id !== id && mayAdminister(user.role, role);
}

/**
 * The user that the path identifies, whom the signed-in user may change.
 *
 * @throws {Problem} 404 `not_found`, 403 `access_denied`
 */
export async function changeableUser(
  context: PageContext,
  dependencies: Pick<UserPagesDependencies, 'users'>,
): Promise<UserSummary> {
  const user = await requestedUser(context, dependencies);
  if (!mayChange(context, user)) throw mayNotChange();
  return user;
}

/** 403 `access_denied`: the service decides the same, with the users locked. */
export function mayNotChange(): Problem {
  return new Problem('access_denied', 'You may not change this user in this way.', {
    page: {
      text: 'You may not change this user in this way. Only owners change owners, and another user has to change you.',
    },
  });
}

/**
 * The response to a form that changed a user: the page of the user with a flash message.
 *
 * @throws {Problem} 404 `not_found`, 403 `access_denied`
 */
export function afterChange({ kind }: UserChange, id: string, flash: Flash): PageResponse {
  switch (kind) {
    case 'not_found':
      throw recordNotFound();
    case 'forbidden':
      throw mayNotChange();
    case 'last_owner':
      throw new Problem(
        'access_denied',
        'The account must keep an enabled owner. Make another user an owner first.',
        {
          page: {
            heading: 'The account needs an owner',
            text: 'This user is the only owner who can sign in. Make another user an owner first.',
          },
        },
      );
    case 'changed':
    case 'unchanged':
      return { redirect: withFlash(userPath(id), flash) };
  }
}

/** The response to a form that created a link. Without mail, it is the only page that shows the link. */
export function afterLink(
  link: DeliveredLink,
  {
    email,
    lifetime,
    back,
    title,
    mailed,
    failed,
  }: { email: string; lifetime: string; back: string; title: string; mailed: Flash; failed: Flash },
): PageResponse {
  if (link.kind !== 'shown') return { redirect: withFlash(back, link.kind === 'mailed' ? mailed : failed) };
  return shownOncePage({
    title,
    warning: (
      <>
        <strong>Copy the link now. You won't be able to see it again.</strong> Send it to {email}, and to no
        other person: anyone with the link can use it. It can be used once, within {lifetime}.
      </>
    ),
    values: [{ id: 'link', label: 'Link', value: link.url }],
    next: { href: back, label: 'I have sent the link' },
  });
}

const sessionColumns: readonly Column<SessionSummary>[] = [
  column('Browser', ({ userAgent, current }) => (
    <>
      {browserName(userAgent)} {current && <Badge>This browser</Badge>}
    </>
  )),
  column('IP address', ({ address }) => address ?? 'Unknown'),
  column('Last used', ({ lastSeenAt }) => <Timestamp at={lastSeenAt} />),
  column('Signed in', ({ createdAt }) => <Timestamp at={createdAt} />),
];

/** The sessions of a user, with browser, address and last use. */
export function SessionList({ sessions }: { sessions: readonly SessionSummary[] }) {
  return <DataTable caption="Sessions, the last used first" columns={sessionColumns} rows={sessions} />;
}
