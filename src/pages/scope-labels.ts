import type { ScopeName } from '../contract/contract.js';

/** What each scope lets an application do, for the person who decides about it. */
export const scopeLabels: Readonly<Record<ScopeName, string>> = {
  'reports:read': 'See all employees of your account, and see and run its saved reports',
  'reports:write': 'Create, change and delete saved reports',
  'user:read': 'See your profile: name, e-mail address, picture, language, time zone and phone number',
  'user:write': 'Change your profile',
};

/** The words for a scope name that comes from the database or from a request that was checked. */
export function scopeLabel(scope: string): string {
  return (scopeLabels as Readonly<Record<string, string>>)[scope] ?? scope;
}
