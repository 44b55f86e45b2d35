import { administratorRoles, type User } from '../accounts/user.js';
import { Problem } from '../problems/problem.js';
import { directoryPath, homePath, reportsPath } from './paths.js';

export type Audience = 'users' | 'administrators' | 'owners';

/** Pages that belong together, with the one that leads to the others. */
export interface Section {
  readonly title: string;
  readonly path: string;
  readonly audience: Audience;
}

export const homeSection: Section = { title: 'Home', path: homePath, audience: 'administrators' };
export const directorySection: Section = { title: 'People', path: directoryPath, audience: 'users' };
export const reportsSection: Section = { title: 'Reports', path: reportsPath, audience: 'administrators' };

/** The section of a path that belongs to no page; `undefined` when it is below no section. */
export function sectionOf(path: string, settingsPages: readonly Section[]): Section | undefined {
  return [reportsSection, ...settingsPages].find((section) => `${path}/`.startsWith(`${section.path}/`));
}

/** Whether a user may see and change the settings of the account. */
export function isAdministrator({ role }: Pick<User, 'role'>): boolean {
  return administratorRoles.includes(role);
}

export function belongsTo(audience: Audience, user: Pick<User, 'role'>): boolean {
  if (audience === 'owners') return user.role === 'owner';
  return audience === 'users' || isAdministrator(user);
}

/** @throws {Problem} 403 `access_denied` when the user does not belong to the audience */
export function checkAudience(audience: Audience, user: Pick<User, 'role'>): void {
  if (!belongsTo(audience, user)) throw forbidden(isAdministrator(user) ? 'owners' : 'administrators');
}

/** 403 `access_denied`: the page is for an audience. */
export function forbidden(audience: Exclude<Audience, 'users'>): Problem {
  const users = audience === 'owners' ? 'owners' : 'owners and administrators';
  const detail = `Only ${users} of the account can see this page.`;
  return new Problem('access_denied', detail, {
    page: { text: `${detail} Ask one of them if you need it.` },
  });
}
