import type { ScopeName } from '../../platform/contract/contract.js';

/** What each scope permits, as shown on the consent screen. */
const scopeLabels: Readonly<Record<ScopeName, string>> = {
  'reports:read': 'See all employees of your account, and see and run its saved reports',
  'reports:write': 'Create, change and delete saved reports',
  'user:read': 'See your profile: name, e-mail address, picture, language, time zone and phone number',
  'user:write': 'Change your profile',
  'webhooks:read': 'See its webhook endpoints and their deliveries',
  'webhooks:write': 'Have changes of employees and reports sent to its server',
};

/** Label of a scope; an unknown scope is its own label. */
export function scopeLabel(scope: string): string {
  return (scopeLabels as Readonly<Record<string, string>>)[scope] ?? scope;
}
